// Permutes slices between tensors.
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <tenfold/dist_operations.hpp>
#include <tenfold/einsum.hpp>

#include "base/scalars.hpp"
#include "base/sum_types.hpp"
#include "distributed/comm/agreement.hpp"
#include "distributed/exchange/copy_box.hpp"
#include "distributed/exchange/exchange.hpp"
#include "distributed/exchange/slices.hpp"
#include "distributed/exchange/tensor_access.hpp"
#include "distributed/plan/planning.hpp"
#include "distributed/plan/slice.hpp"
#include "transpose/permutation.hpp"

namespace tenfold {
namespace {

using namespace dist_impl;

/// Counts positions from the beginning of a slice, and takes its modes in another order: mode k of
/// the result is mode `modes[k]`. In these positions, the slices of both tensors are the same box.
class slice_positions {
public:
    slice_positions(const slice &of, std::vector<int> modes) : of_(of), modes_(std::move(modes)) {}

    /// Returns the part of a block of the tensor that is in the slice.
    slice part_of(const slice &block) const {
        const slice common = intersect(block, of_);
        slice part{{}, {}, common.none};
        for (const int one : modes_) {
            const auto mode = static_cast<std::size_t>(one);
            part.offsets.push_back(common.offsets[mode] - of_.offsets[mode]);
            part.extents.push_back(common.extents[mode]);
        }
        return part;
    }

    /// The place of a dense block's elements, by these positions.
    template <class T> placement<T> place(T *elements, const slice &block) const {
        const extents_t strides = dense_strides(block.extents);
        index_t shift = 0;
        extents_t in_order;
        for (const int one : modes_) {
            const auto mode = static_cast<std::size_t>(one);
            shift += (of_.offsets[mode] - block.offsets[mode]) * strides[mode];
            in_order.push_back(strides[mode]);
        }
        return {elements, shift, std::move(in_order)};
    }

private:
    const slice &of_;
    std::vector<int> modes_;
};

std::vector<int> modes_in_order(int order) {
    std::vector<int> modes(static_cast<std::size_t>(order));
    std::iota(modes.begin(), modes.end(), 0);
    return modes;
}

bool is_whole(const slice &one, const extents_t &extents) {
    return !one.none && one.extents == extents; // offsets are 0 then
}

} // namespace

template <class T> void transpose(std::string_view expression, const dist_tensor<T> &a,
                                  const slice &of_a, dist_tensor<T> &b, const slice &of_b,
                                  const dist_transpose_options &options) {
    communicator &comm = communicator_of(b.owner());
    const traced_call traced(comm, "transpose ", expression);
    const auto describe = [&](call_description &call) {
        call.add_quoted("expression", expression)
            .add("type", name(data_type_of<T>))
            .add("A", a)
            .add("slice of A", of_a.describe())
            .add("B", b)
            .add("slice of B", of_b.describe())
            .add("alpha", options.alpha)
            .add("beta given", options.beta.has_value())
            .add("beta", options.beta.value_or(0.0));
    };
    scale_factors factors;
    std::optional<prepared_exchange<T>> movement;
    slice scaled; // of B, if A is not read
    extents_t strides;
    collectively(comm, "transpose", describe, [&] {
        if (!(a.owner() == b.owner()))
            throw error(errc::invalid_argument, "A and B belong to different worlds");
        check_slice(of_a, a.extents(), "A");
        check_slice(of_b, b.extents(), "B");
        if (&a == &b && intersection_size(of_a, of_b) > 0)
            throw error(errc::overlap, "A and B are one tensor, and their slices have elements in "
                                       "common: " +
                                           of_a.describe() + " and " + of_b.describe());
        const int order = a.order();
        const contraction_spec spec = parse(expression, {&order, 1});
        if (spec.inputs.size() != 1)
            throw error(errc::invalid_argument, "'" + spec.text + "' has " +
                                                    std::to_string(spec.inputs.size()) +
                                                    " inputs; a transposition has one");
        factors = scale_factors_of(spec, output_type_of(data_type_of<T>),
                                   {.alpha = options.alpha, .beta = options.beta});
        if (!base::is_sum_type<T> && (factors.alpha != scalar(1) || factors.beta != scalar(0)))
            throw error(errc::type_mismatch, "slices of " + std::string(name(data_type_of<T>)) +
                                                 " are moved as they are: alpha is 1, and beta 0");
        if (factors.beta != scalar(0))
            tensor_access::check_copies(b, "B");
        const slice_positions from(
            of_a, transpose_impl::permutation_of(spec, layout(of_a.extents), layout(of_b.extents)));
        const slice_positions to(of_b, modes_in_order(b.order()));
        if (factors.alpha == scalar(0)) {
            scaled = intersect(b.local_slice(), of_b);
            strides = dense_strides(b.local_slice().extents);
            return;
        }
        tensor_access::check_copies(a, "A");
        movement.emplace(
            comm, [&](int rank) { return from.part_of(a.distribution().block_of(rank)); },
            [&](int rank) { return to.part_of(b.distribution().block_of(rank)); },
            from.place(a.data(), a.local_slice()),
            to.place(tensor_access::elements(b), b.local_slice()), &a.distribution());
    });
    const T beta = base::scalar_cast<T>(factors.beta);
    if (movement) {
        movement->run(beta, base::scalar_cast<T>(factors.alpha));
    } else if (!scaled.empty()) {
        index_t first = 0;
        for (std::size_t mode = 0; mode < strides.size(); ++mode)
            first += (scaled.offsets[mode] - b.local_slice().offsets[mode]) * strides[mode];
        if constexpr (base::is_sum_type<T>)
            scale_box(scaled.extents, beta, tensor_access::elements(b) + first, strides,
                      comm.threads());
    }
    if (is_whole(of_b, b.extents()))
        tensor_access::copies_are_equal(b);
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void transpose(std::string_view, const dist_tensor<T> &, const slice &,               \
                            dist_tensor<T> &, const slice &, const dist_transpose_options &);
TENFOLD_FOR_DISTRIBUTED_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold
