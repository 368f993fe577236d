#include "futures.hpp"

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <pybind11/stl.h>

#include <tenfold/dist_async.hpp>

#include "options.hpp"
#include "plans.hpp"
#include "tensors.hpp"

namespace tenfold::python {
namespace {

/// Of a copy, a contraction, or a redistribution.
template <class... T> using one_of_futures =
    std::variant<dist_future<void>, dist_future<dist_report>, dist_future<dist_tensor<T>>...>;
using any_future = list_of_distributed_types<one_of_futures>;

/// An operation under way, and the Python objects that it uses, which live as long.
class future_object {
public:
    future_object(any_future begun, py::object used)
        : used_(std::move(used)), begun_(std::move(begun)) {}
    future_object(const future_object &) = delete;
    future_object &operator=(const future_object &) = delete;
    ~future_object() {
        const py::gil_scoped_release unlocked; // it waits for this rank's messages
        begun_.reset();
    }

    bool test() {
        const py::gil_scoped_release unlocked;
        return std::visit([](auto &one) { return one.test(); }, *begun_);
    }

    /// None, a tensor, or what a contraction did.
    py::object wait() {
        py::object result = std::visit(
            []<class Result>(dist_future<Result> &one) -> py::object {
                if constexpr (std::is_void_v<Result>) {
                    const py::gil_scoped_release unlocked;
                    one.wait();
                    return py::none();
                } else {
                    Result done = [&] {
                        const py::gil_scoped_release unlocked;
                        return one.wait();
                    }();
                    if constexpr (std::is_same_v<Result, dist_report>)
                        return report_fields(done);
                    else
                        return py::cast(
                            std::make_unique<tensor_object>(any_tensor(std::move(done))));
                }
            },
            *begun_);
        used_ = py::none();
        return result;
    }

private:
    py::object used_;
    std::optional<any_future> begun_;
};

using handle = std::unique_ptr<future_object>;

handle copy_in_background(tensor_object &to, const tensor_object &from, py::object used) {
    any_future begun = std::visit(
        [&]<class T>(dist_tensor<T> &y) {
            const py::gil_scoped_release unlocked;
            return any_future(copy_async(std::get<dist_tensor<T>>(from.any), y));
        },
        to.any);
    return std::make_unique<future_object>(std::move(begun), std::move(used));
}

handle redistribute_in_background(const tensor_object &from, const distribution &spread,
                                  py::object used) {
    any_future begun = std::visit(
        [&](const auto &one) {
            const py::gil_scoped_release unlocked;
            return any_future(redistribute_async(one, spread));
        },
        from.any);
    return std::make_unique<future_object>(std::move(begun), std::move(used));
}

/// Of one or two inputs.
handle contract_in_background(const std::string &expression, const inputs_t &inputs,
                              tensor_object &out, const options_object &options, py::object used) {
    const std::vector<dist_operand> operands = operands_of(inputs);
    const dist_impl::any_input &a = operands.front().any();
    const dist_impl::any_input *const b = operands.size() == 2 ? &operands[1].any() : nullptr;
    const auto result = std::visit([](const auto &one) { return dist_impl::any_of(one); }, out.any);
    dist_options how = options.get();
    how.conj_a = a.conjugated;
    how.conj_b = b != nullptr && b->conjugated;
    any_future begun = [&] {
        const py::gil_scoped_release unlocked;
        return any_future(dist_future<dist_report>(dist_impl::start_contraction(
            expression, a.its, b != nullptr ? &b->its : nullptr, result, how)));
    }();
    return std::make_unique<future_object>(std::move(begun), std::move(used));
}

} // namespace

void define_futures(py::module_ &module) {
    py::class_<future_object>(module, "Future")
        .def("test", &future_object::test)
        .def("wait", &future_object::wait);
    module.def("copy_async", &copy_in_background);
    module.def("redistribute_async", &redistribute_in_background);
    module.def("contract_async", &contract_in_background);
}

} // namespace tenfold::python
