#include "distributed/plan/labels.hpp"

#include <tenfold/error.hpp>

#include "einsum/problem/checks.hpp"

namespace tenfold::dist_impl {

labelled_problem label_problem(const contraction_spec &spec, std::span<const data_type> types,
                               std::span<const extents_t> extents, bool diagonal_output) {
    if (spec.inputs.empty() || spec.inputs.size() > 2)
        throw error(errc::unsupported, "a distributed contraction has one or two inputs; '" +
                                           spec.text + "' has " +
                                           std::to_string(spec.inputs.size()));
    if (extents.size() != spec.inputs.size() + 1 || types.size() != extents.size())
        throw error(errc::invalid_argument, "extents of " + std::to_string(extents.size()) +
                                                " tensors for '" + spec.text + "', which has " +
                                                std::to_string(spec.inputs.size() + 1));

    // The single-node classification checks labels, orders, extents and overflow.
    std::vector<input> inputs;
    for (std::size_t i = 0; i < spec.inputs.size(); ++i)
        inputs.emplace_back(types[i], nullptr, layout(extents[i]));
    const output d(types.back(), nullptr, layout(extents.back()));
    einsum_impl::make_problem(spec, inputs, d, d, diagonal_output,
                              einsum_impl::type_of_sums(spec, types[0], types.back(), false));
    return einsum_impl::label_problem(spec, extents);
}

void check_shared_names(const contraction_spec &spec, std::span<const data_type> types,
                        std::span<const distribution> operands) {
    for (const einsum_impl::shared_name &shared : einsum_impl::shared_names(spec)) {
        const auto &[name, first, second] = shared;
        const auto refuse = [&](const std::string &one, const std::string &other) {
            einsum_impl::refuse_two_tensors(einsum_impl::text_of(spec), spec.inputs.size(), shared,
                                            "one is " + one + ", the other " + other);
        };
        if (types[first] != types[second])
            refuse(std::string(tenfold::name(types[first])),
                   std::string(tenfold::name(types[second])));
        if (!(operands[first] == operands[second]))
            refuse("spread as " + operands[first].describe(), operands[second].describe());
    }
}

} // namespace tenfold::dist_impl
