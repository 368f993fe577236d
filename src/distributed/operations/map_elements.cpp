// Applies functions of the caller's to the elements of tensors.
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <tenfold/dist_operations.hpp>

#include "distributed/comm/agreement.hpp"
#include "distributed/exchange/copying.hpp"
#include "distributed/exchange/exchange.hpp"
#include "distributed/exchange/tensor_access.hpp"
#include "distributed/operations/same_extents.hpp"
#include "distributed/plan/copies.hpp"

namespace tenfold::dist_impl {
namespace {

/// The elements of an input on the ranks that own D's first copy.
struct input_at_d {
    const void *elements = nullptr;
    std::function<void()> move; ///< collective; empty if they lie there already
};

template <class T>
input_at_d bring(communicator &comm, const dist_tensor<T> &input, const distribution &to) {
    if (same_blocks(input.distribution(), to))
        return {input.data(), {}};
    struct moved {
        std::unique_ptr<T, base::aligned_deleter> memory;
        std::optional<prepared_exchange<T>> movement;
    };
    const auto target_of = [&to](int rank) {
        return to.copy_of(rank) == 0 ? to.block_of(rank) : nothing(to.order());
    };
    auto held = std::make_shared<moved>();
    const slice mine = target_of(comm.rank());
    held->memory.reset(static_cast<T *>(
        base::allocate_aligned(bytes(mine.size() * static_cast<index_t>(sizeof(T))))));
    held->movement.emplace(
        comm, [&](int rank) { return input.distribution().block_of(rank); }, target_of,
        placement<const T>(input.data(), input.local_slice()),
        placement<T>(held->memory.get(), mine), &input.distribution());
    return {held->memory.get(), [held] { held->movement->run(); }};
}

/// Throws unless the input can be read beside D.
input_at_d bring(communicator &comm, const any_tensor &input, const std::string &name,
                 const element_wise_operand &d, const distribution &to) {
    return std::visit(
        [&](const auto *tensor) {
            check_same_extents({*tensor, name}, d);
            tensor_access::check_copies(*tensor, name);
            return bring(comm, *tensor, to);
        },
        input);
}

void describe(call_description &call, const any_tensor &input, const std::string &number) {
    std::visit(
        [&]<class T>(const dist_tensor<T> *tensor) {
            call.add("type of input " + number, name(data_type_of<T>))
                .add("input " + number, *tensor);
        },
        input);
}

} // namespace

template <class T> void map_blocks(dist_tensor<T> &d, std::span<const any_tensor> inputs,
                                   const block_function &compute) {
    communicator &comm = communicator_of(d.owner());
    const traced_call traced(comm, "map_elements");
    const auto describe_all = [&](call_description &call) {
        call.add("type", name(data_type_of<T>)).add("D", d);
        for (std::size_t i = 0; i < inputs.size(); ++i)
            describe(call, inputs[i], std::to_string(i + 1));
    };
    std::vector<input_at_d> brought;
    std::vector<const void *> elements;
    std::optional<prepared_exchange<T>> copying;
    collectively(comm, "map_elements", describe_all, [&] {
        const element_wise_operand output(d, "D");
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            brought.push_back(bring(comm, inputs[i], "input " + std::to_string(i + 1), output,
                                    d.distribution()));
            elements.push_back(brought.back().elements);
        }
        prepare_copying(copying, comm, d.distribution(), tensor_access::elements(d));
    });
    for (const input_at_d &one : brought)
        if (one.move)
            one.move();
    tensor_access::copies_may_differ(d); // in case that `compute` throws
    collectively(comm, "map_elements (elements)", [&] {
        const timed mapping(comm.recorder(), activity::compute, "map elements");
        if (!d.local_slice().empty() && d.distribution().copy_of(comm.rank()) == 0)
            compute(d.local_slice(), tensor_access::elements(d), elements.data());
    });
    if (copying)
        copying->run();
    tensor_access::copies_are_equal(d);
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void map_blocks(dist_tensor<T> &, std::span<const any_tensor>, const block_function &);
TENFOLD_FOR_DISTRIBUTED_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold::dist_impl
