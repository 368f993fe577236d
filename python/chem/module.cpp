// The extension module tenfold._chem: what the package needs of tenfold::chem.
#define TENFOLD_FILLS_NUMPY_TABLE
#include "core/numpy_api.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include <tenfold/chem.hpp>

#include "core/arrays.hpp"
#include "core/errors.hpp"

namespace tenfold::python {
namespace {

using chem::integrals;
using chem::ordered_integrals;

std::shared_ptr<integrals> read(const std::string &file) {
    const py::gil_scoped_release unlocked;
    return std::make_shared<integrals>(chem::read_fcidump(file));
}

/// In the order of tenfold.chem.ClosedShell, but for the Fock matrix, which goes to an array.
py::tuple find_closed_shell(const integrals &all, const py::object &fock) {
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
    std::shared_ptr<integrals> all;
    ordered_integrals own;
};

std::unique_ptr<ordered_object> make_ordered(std::shared_ptr<integrals> all,
                                             std::vector<index_t> order) {
    ordered_integrals own(*all, std::move(order));
    return std::make_unique<ordered_object>(ordered_object{std::move(all), std::move(own)});
}

/// Fills an array with the block of integrals that begins at these orbitals.
void write(const ordered_object &from, const extents_t &first, const py::object &array) {
    const tensor_view<double> block = view_of<double>(array);
    const py::gil_scoped_release unlocked;
    from.own.write(first, block);
}

chem::pair_kind kind_of(bool antisymmetric) {
    return antisymmetric ? chem::pair_kind::antisymmetric : chem::pair_kind::symmetric;
}

/// A tensor as an array, which keeps it alive.
py::object array_of(tensor<double> given) {
    auto kept = std::make_unique<tensor<double>>(std::move(given));
    tensor<double> &own = *kept;
    const py::capsule owner(kept.get(),
                            [](void *held) { delete static_cast<tensor<double> *>(held); });
    static_cast<void>(kept.release());
    return array_on(owner, data_type::f64, own.data(), own.shape().extents(), true);
}

py::object pack(const py::object &array, int mode, bool antisymmetric) {
    const tensor_view<double> x = view_of<double>(array);
    return array_of([&] {
        const py::gil_scoped_release unlocked;
        return chem::pack_pairs(x, mode, kind_of(antisymmetric));
    }());
}

void unpack(const py::object &packed, int mode, bool antisymmetric, const py::object &out) {
    const tensor_view<double> from = view_of<double>(packed);
    const tensor_view<double> to = view_of<double>(out);
    const py::gil_scoped_release unlocked;
    chem::unpack_pairs(from, mode, kind_of(antisymmetric), to);
}

void define_integrals(py::module_ &module) {
    py::class_<integrals, std::shared_ptr<integrals>>(module, "Integrals")
        .def_readonly("orbitals", &integrals::orbitals)
        .def_readonly("electrons", &integrals::electrons)
        .def_readonly("spin", &integrals::spin)
        .def_readonly("symmetries", &integrals::symmetries)
        .def_readonly("constant", &integrals::constant)
        .def_readonly("orbital_energies", &integrals::orbital_energies);
    py::class_<ordered_object>(module, "OrderedIntegrals")
        .def(py::init(&make_ordered))
        .def("write", &write);
    module.def("read_fcidump", &read);
    module.def("find_closed_shell", &find_closed_shell);
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
} // namespace tenfold::python

PYBIND11_MODULE(_chem, module) {
    using namespace tenfold;
    if (_import_array() <
        0) // and not import_array(), which returns from a function of its own kind
        throw pybind11::error_already_set();
    python::translate_errors();
    python::define_integrals(module);
    python::define_diis(module);
    module.def("pack_pairs", &python::pack);
    module.def("unpack_pairs", &python::unpack);
}
