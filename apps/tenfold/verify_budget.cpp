#include "apps/tenfold/verify_budget.hpp"

#include <algorithm>

#include "apps/common/program.hpp"
#include "apps/common/text.hpp"
#include "apps/tenfold/contraction_result.hpp"
#include "contract/reference/reference.hpp"

namespace tenfold::apps_impl {

index_t elements_to_verify(const contraction_spec &spec, std::span<const input> inputs) {
    constexpr double most_terms = 1e8, most_of_one = 1e10;
    if (inputs.size() <= 2)
        return verified_elements;
    const double terms = contract_impl::terms_of_one_element(spec, inputs);
    if (terms > most_of_one)
        throw usage_error(format("--verify: an element of '%s' is a sum of %.3g products, too many "
                                 "for plain loops; verify it with smaller extents",
                                 spec.text.c_str(), terms));
    const double affordable = most_terms / std::max(terms, 1.0);
    return static_cast<index_t>(
        std::clamp(affordable, 1.0, static_cast<double>(verified_elements)));
}

index_t elements_to_verify(const resolved_contraction &resolved) {
    std::vector<input> inputs;
    for (const layout &one : resolved.inputs)
        inputs.emplace_back(resolved.type, nullptr, one);
    return elements_to_verify(resolved.spec, inputs);
}

} // namespace tenfold::apps_impl
