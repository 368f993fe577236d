#include "verify_distributed.hpp"

#include <algorithm>

#include "apps/generate.hpp"
#include "apps/mpi_session.hpp"
#include "apps/npy.hpp"
#include "contract/reference.hpp"

namespace tenfold::apps_impl {
namespace {

using contract_impl::verification;

/// Alpha as the reference wants it, with the expression's own factor and sign.
scalar full_alpha(const resolved_contraction &resolved) {
    const contraction_spec &spec = resolved.spec;
    return resolved.alpha *
           (spec.operation == contraction_spec::update::subtract ? -spec.scale : spec.scale);
}

void include(verification &all, const verification &one) {
    // A NaN must win, and NaN > x is false.
    if (!(one.max_relative_error <= all.max_relative_error))
        all.max_relative_error = one.max_relative_error;
    all.bound = std::max(all.bound, one.bound);
    all.elements += one.elements;
}

/// The part of an operand that contributes to one element of D: labels of D at their position
/// there, all others in full.
slice contributing(const std::vector<label_t> &labels, const std::vector<label_t> &output,
                   const extents_t &position, const labelled_extents &extents) {
    slice part;
    for (const label_t label : labels) {
        const auto found = std::find(output.begin(), output.end(), label);
        const bool fixed = found != output.end();
        part.offsets.push_back(fixed ? position[static_cast<std::size_t>(found - output.begin())]
                                     : 0);
        part.extents.push_back(fixed ? 1 : extents[static_cast<std::size_t>(label)].second);
    }
    return part;
}

template <class T>
host_array made_up(std::uint64_t number, const extents_t &whole, const slice &part) {
    host_array array(data_type_of<T>, layout(part.extents));
    fill_block(number, whole, part.offsets,
               tensor_view<T>(reinterpret_cast<T *>(array.data()), part.extents));
    return array;
}

/// One element of D against the contraction of the slices that contribute to it.
template <class T> verification verify_element(const resolved_contraction &resolved,
                                               const extents_t &position, T value) {
    const contraction_spec &spec = resolved.spec;
    std::vector<host_array> arrays;
    std::vector<input> inputs;
    for (std::size_t i = 0; i < resolved.inputs.size(); ++i) {
        const slice part = contributing(spec.inputs[i], spec.output, position, resolved.extents);
        arrays.push_back(made_up<T>(i, resolved.inputs[i].extents(), part));
        inputs.emplace_back(arrays.back());
    }
    const slice one{position, extents_t(position.size(), 1)};
    const host_array c = made_up<T>(generated_c, resolved.d.extents(), one);
    const layout element(one.extents);
    const auto problem = einsum_impl::make_problem(spec, inputs, input(c),
                                                   output(resolved.type, nullptr, element), false);
    return contract_impl::verify(problem, full_alpha(resolved), arrays[0].data(),
                                 arrays.size() > 1 ? arrays[1].data() : nullptr, resolved.beta,
                                 c.data(), &value, 1, 1);
}

/// A share of the sample in proportion to what this rank holds of D.
template <class T>
verification verify_made_up(const resolved_contraction &resolved, const dist_tensor<T> &d) {
    verification all;
    const slice &mine = d.local_slice();
    const tensor_view<const T> block = d.local();
    const index_t local = mine.empty() ? 0 : block.size();
    const index_t total = std::max<index_t>(1, resolved.d.size());
    const double share = static_cast<double>(local) / static_cast<double>(total);
    const index_t samples = std::min(local, static_cast<index_t>(share * verified_elements) + 1);
    for (index_t sample = 0; sample < samples; ++sample) {
        // One element from each of equal parts of the block.
        const index_t first = sample * local / samples;
        const index_t width = (sample + 1) * local / samples - first;
        const index_t element =
            first + static_cast<index_t>(generated_bits(static_cast<std::uint64_t>(sample)) %
                                         static_cast<std::uint64_t>(width));
        extents_t position = mine.offsets;
        index_t rest = element;
        for (std::size_t mode = 0; mode < position.size(); ++mode) {
            position[mode] += rest % mine.extents[mode];
            rest /= mine.extents[mode];
        }
        include(all, verify_element<T>(resolved, position, block.data()[element]));
    }
    return all;
}

template <class T> verification verify_files(const resolved_contraction &resolved,
                                             const contraction_request &request, const T *d) {
    std::vector<host_array> arrays;
    std::vector<input> inputs;
    for (const std::string &file : request.input_files())
        arrays.push_back(read_npy(file));
    for (const host_array &array : arrays)
        inputs.emplace_back(array);
    std::optional<host_array> c;
    if (resolved.reads_c())
        c = read_npy(request.c_file);
    const output d_shape(resolved.type, nullptr, layout(resolved.d.extents()));
    const auto problem = einsum_impl::make_problem(resolved.spec, inputs,
                                                   c ? input(*c) : input(d_shape), d_shape, false);
    return contract_impl::verify(problem, full_alpha(resolved), arrays[0].data(),
                                 arrays.size() > 1 ? arrays[1].data() : nullptr, resolved.beta,
                                 c ? c->data() : nullptr, d, verified_elements, 1);
}

} // namespace

template <class T> contraction_result::check
verify_distributed(const world &ranks, const resolved_contraction &resolved,
                   const contraction_request &request, const dist_tensor<T> &d) {
    verification mine;
    if (request.from_files()) {
        const tensor<T> whole = d.gather(0);
        agree(ranks.comm(), [&] {
            if (ranks.rank() == 0)
                mine = verify_files<T>(resolved, request, whole.data());
        });
    } else {
        mine = verify_made_up<T>(resolved, d);
    }
    double largest[2] = {mine.max_relative_error, mine.bound};
    std::int64_t elements = mine.elements;
    MPI_Allreduce(MPI_IN_PLACE, largest, 2, MPI_DOUBLE, MPI_MAX, ranks.comm());
    MPI_Allreduce(MPI_IN_PLACE, &elements, 1, MPI_INT64_T, MPI_SUM, ranks.comm());
    return {largest[0], largest[1], elements};
}

template contraction_result::check verify_distributed(const world &, const resolved_contraction &,
                                                      const contraction_request &,
                                                      const dist_tensor<float> &);
template contraction_result::check verify_distributed(const world &, const resolved_contraction &,
                                                      const contraction_request &,
                                                      const dist_tensor<double> &);
template contraction_result::check verify_distributed(const world &, const resolved_contraction &,
                                                      const contraction_request &,
                                                      const dist_tensor<c32> &);
template contraction_result::check verify_distributed(const world &, const resolved_contraction &,
                                                      const contraction_request &,
                                                      const dist_tensor<c64> &);

} // namespace tenfold::apps_impl
