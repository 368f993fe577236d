#include "apps/common/dist_operands.hpp"

#include <algorithm>

#include <tenfold/dist_tasks.hpp>
#include <tenfold/dist_types.hpp>

#include "apps/common/host_array.hpp"
#include "base/parallel.hpp"
#include "base/with_any_type.hpp"
#include "contract/reference/reference.hpp"
#include "einsum/problem/checks.hpp"

namespace tenfold::apps_impl {
namespace {

using contract_impl::verification;

void include(verification &all, const verification &one) {
    // NaN > x is false, but a NaN must become the maximum.
    if (!(one.max_relative_error <= all.max_relative_error))
        all.max_relative_error = one.max_relative_error;
    all.bound = std::max(all.bound, one.bound);
    all.elements += one.elements;
    all.not_numbers += one.not_numbers;
}

/// Returns the part of an operand that contributes to the element of D at `position`: labels of D
/// have their value there, all others their full extent.
slice contributing(const made_up_contraction &problem, const std::vector<label_t> &labels,
                   const extents_t &position) {
    const std::vector<label_t> &output = problem.spec.output;
    slice part;
    for (const label_t label : labels) {
        const auto found = std::find(output.begin(), output.end(), label);
        const bool fixed = found != output.end();
        part.offsets.push_back(fixed ? position[static_cast<std::size_t>(found - output.begin())]
                                     : 0);
        part.extents.push_back(fixed ? 1 : problem.extents[static_cast<std::size_t>(label)]);
    }
    return part;
}

host_array made_up(data_type type, std::uint64_t number, const extents_t &whole,
                   const slice &part) {
    host_array array(type, layout(part.extents));
    base::with_any_type(type, [&]<class T>(T) {
        fill_block(number, whole, part.offsets,
                   tensor_view<T>(reinterpret_cast<T *>(array.data()), part.extents));
    });
    return array;
}

/// Compares one element of D with the contraction of the slices that contribute to it.
template <class T> verification verify_element(const made_up_contraction &problem,
                                               const extents_t &position, T value) {
    const contraction_spec &spec = problem.spec;
    std::vector<host_array> arrays;
    for (const auto &labels : spec.inputs)
        arrays.push_back(made_up(problem.type_of_input(arrays.size(), data_type_of<T>),
                                 tensor_of_input(spec, arrays.size()), problem.extents_of(labels),
                                 contributing(problem, labels, position)));
    const std::vector<input> inputs(arrays.begin(), arrays.end());
    const slice one{position, extents_t(position.size(), 1)};
    const host_array c =
        made_up(data_type_of<T>, generated_c, problem.extents_of(spec.output), one);
    const output d(data_type_of<T>, &value, layout(one.extents));
    if (inputs.size() > 2)
        return contract_impl::verify({spec, inputs, problem.alpha, problem.beta, c}, d,
                                     /*samples=*/1, /*seed=*/1);
    const auto sums = einsum_impl::type_of_sums(spec, inputs[0].type(), data_type_of<T>, false);
    return contract_impl::verify(einsum_impl::make_problem(spec, inputs, c, d, false, sums),
                                 {.alpha = problem.alpha,
                                  .a = arrays[0].data(),
                                  .b = arrays.size() > 1 ? arrays[1].data() : nullptr,
                                  .beta = problem.beta,
                                  .c = c.data()},
                                 &value, /*samples=*/1, /*seed=*/1);
}

} // namespace

extents_t made_up_contraction::extents_of(const std::vector<label_t> &labels) const {
    extents_t result;
    for (const label_t label : labels)
        result.push_back(extents[static_cast<std::size_t>(label)]);
    return result;
}

verification combine(const world &ranks, verification mine) {
    mine.max_relative_error = all_reduce(ranks, mine.max_relative_error, reduction::max);
    mine.bound = all_reduce(ranks, mine.bound, reduction::max);
    mine.elements = all_reduce(ranks, mine.elements, reduction::sum);
    mine.not_numbers = all_reduce(ranks, mine.not_numbers, reduction::sum);
    return mine;
}

template <class T> verification verify_made_up(const made_up_contraction &problem,
                                               const dist_tensor<T> &d, index_t samples) {
    verification all;
    const slice &mine = d.local_slice();
    const tensor_view<const T> block = d.local();
    // Each rank verifies a share of the sample in proportion to its share of D.
    const index_t local = mine.empty() ? 0 : block.size();
    const index_t total = std::max<index_t>(1, layout(d.extents()).size());
    const double share = static_cast<double>(local) / static_cast<double>(total);
    const index_t count =
        std::min(local, static_cast<index_t>(share * static_cast<double>(samples)) + 1);
    for (index_t sample = 0; sample < count; ++sample) {
        // Splits the block into equal parts and takes one element of each.
        const auto part = base::split(local, static_cast<int>(count), static_cast<int>(sample));
        index_t rest =
            part.begin + static_cast<index_t>(generated_bits(static_cast<std::uint64_t>(sample)) %
                                              static_cast<std::uint64_t>(part.size()));
        const T value = block.data()[rest];
        extents_t position = mine.offsets;
        for (std::size_t mode = 0; mode < position.size(); ++mode) {
            position[mode] += rest % mine.extents[mode];
            rest /= mine.extents[mode];
        }
        include(all, verify_element<T>(problem, position, value));
    }
    return combine(d.owner(), all);
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template verification verify_made_up(const made_up_contraction &, const dist_tensor<T> &,      \
                                         index_t);
TENFOLD_FOR_DISTRIBUTED_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold::apps_impl
