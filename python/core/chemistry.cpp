#include "chemistry.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include <tenfold/chem.hpp>

#include "arrays.hpp"

namespace tenfold::python {
namespace {

std::shared_ptr<chem::integrals> integrals_of_file(const std::string &file) {
    const py::gil_scoped_release unlocked;
    return std::make_shared<chem::integrals>(chem::read_fcidump(file));
}

/// Of a text that a function of Python's reads: `next(size)` returns up to `size` bytes, none at
/// the end.
std::shared_ptr<chem::integrals> integrals_of_text(const std::string &name,
                                                   const py::object &next) {
    return std::make_shared<chem::integrals>(
        chem::read_fcidump(name, [&](char *to, std::size_t size) {
            const py::object part = next(size);
            if (!PyBytes_Check(part.ptr()))
                throw py::type_error("an FCIDUMP is read from a file that is open in binary mode");
            const auto count = static_cast<std::size_t>(PyBytes_GET_SIZE(part.ptr()));
            if (count > size)
                throw py::value_error("read() returned more bytes than it was asked for");
            std::memcpy(to, PyBytes_AS_STRING(part.ptr()), count);
            return count;
        }));
}

/// In the order of tenfold.chem.ClosedShell, but for the Fock matrix, which goes to an array.
py::tuple closed_shell_of(const chem::integrals &all, const py::object &fock) {
    const chem::closed_shell found = [&] {
        const py::gil_scoped_release unlocked;
        return chem::find_closed_shell(all);
    }();
    std::copy(found.fock.begin(), found.fock.end(), view_of<double>(fock).data()); // symmetric
    return py::make_tuple(found.order, found.occupied, found.virtuals(), found.energy,
                          found.largest_coupling);
}

/// Integrals over some orbitals, with those that they refer to.
struct ordered_object {
    std::shared_ptr<chem::integrals> all;
    chem::ordered_integrals own;
};

std::unique_ptr<ordered_object> make_ordered(std::shared_ptr<chem::integrals> all,
                                             std::vector<index_t> order) {
    chem::ordered_integrals own(*all, std::move(order));
    return std::make_unique<ordered_object>(ordered_object{std::move(all), std::move(own)});
}

/// Fills an array with the block of integrals that begins at these orbitals.
void write_block(const ordered_object &from, const extents_t &first, const py::object &array) {
    const tensor_view<double> block = view_of<double>(array);
    const py::gil_scoped_release unlocked;
    from.own.write(first, block);
}

chem::pair_kind pair_kind_of(bool antisymmetric) {
    return antisymmetric ? chem::pair_kind::antisymmetric : chem::pair_kind::symmetric;
}

/// A tensor as an array, which keeps it alive.
py::object array_of_tensor(tensor<double> given) {
    auto kept = std::make_unique<tensor<double>>(std::move(given));
    tensor<double> &own = *kept;
    const py::capsule owner(kept.get(),
                            [](void *held) { delete static_cast<tensor<double> *>(held); });
    static_cast<void>(kept.release());
    return array_on(owner, data_type::f64, own.data(), own.shape().extents(), true);
}

py::object pack_array(const py::object &array, int mode, bool antisymmetric) {
    const tensor_view<double> x = view_of<double>(array);
    return array_of_tensor([&] {
        const py::gil_scoped_release unlocked;
        return chem::pack_pairs(x, mode, pair_kind_of(antisymmetric));
    }());
}

void unpack_array(const py::object &packed, int mode, bool antisymmetric, const py::object &out) {
    const tensor_view<double> from = view_of<double>(packed);
    const tensor_view<double> to = view_of<double>(out);
    const py::gil_scoped_release unlocked;
    chem::unpack_pairs(from, mode, pair_kind_of(antisymmetric), to);
}

void define_integrals(py::module_ &module) {
    using chem::integrals;
    py::class_<integrals, std::shared_ptr<integrals>>(module, "Integrals")
        .def_readonly("orbitals", &integrals::orbitals)
        .def_readonly("electrons", &integrals::electrons)
        .def_readonly("spin", &integrals::spin)
        .def_readonly("symmetries", &integrals::symmetries)
        .def_readonly("constant", &integrals::constant)
        .def_readonly("orbital_energies", &integrals::orbital_energies);
    py::class_<ordered_object>(module, "OrderedIntegrals")
        .def(py::init(&make_ordered))
        .def("write", &write_block);
    module.def("read_fcidump", &integrals_of_file);
    module.def("read_fcidump_text", &integrals_of_text);
    module.def("find_closed_shell", &closed_shell_of);
}

void define_diis(py::module_ &module) {
    using chem::diis_subspace;
    py::class_<diis_subspace>(module, "Subspace")
        .def(py::init<int>())
        .def("places", &diis_subspace::places)
        .def("make_room", &diis_subspace::make_room)
        .def("add", &diis_subspace::add)
        .def("forget_oldest", &diis_subspace::forget_oldest)
        .def("coefficients", &diis_subspace::coefficients);
}

} // namespace

void define_chemistry(py::module_ &module) {
    py::module_ chemistry = module.def_submodule("chem");
    define_integrals(chemistry);
    define_diis(chemistry);
    chemistry.def("pack_pairs", &pack_array);
    chemistry.def("unpack_pairs", &unpack_array);
}

} // namespace tenfold::python
