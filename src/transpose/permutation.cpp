#include "transpose/permutation.hpp"

#include <algorithm>
#include <string>

#include <tenfold/error.hpp>

namespace tenfold::transpose_impl {

std::vector<int> permutation_of(const contraction_spec &spec, const layout &a, const layout &b) {
    const std::vector<label_t> &from = spec.inputs.front();
    const std::vector<label_t> &to = spec.output;
    const auto name_of = [&](label_t label) {
        return spec.label_names[static_cast<std::size_t>(label)];
    };
    const auto text = [&](label_t label) { return "label '" + name_of(label) + "'"; };
    if (static_cast<int>(to.size()) != b.order())
        throw error(errc::order_mismatch,
                    "B has " + std::to_string(b.order()) + " modes, '" + spec.text + "' gives it " +
                        std::to_string(to.size()) + " labels",
                    {.first = {.name = "B", .order = b.order()},
                     .second = {.order = static_cast<index_t>(to.size())}});
    for (const std::vector<label_t> *labels : {&from, &to})
        for (const label_t label : *labels)
            if (std::count(labels->begin(), labels->end(), label) > 1)
                throw error(
                    errc::repeated_label,
                    text(label) + " occurs twice in " + (labels == &from ? "A" : "B") +
                        "; a transposition moves each mode once",
                    {.label = name_of(label), .first = {.name = labels == &from ? "A" : "B"}});
    for (const label_t label : from)
        if (std::find(to.begin(), to.end(), label) == to.end())
            throw error(errc::invalid_argument,
                        text(label) + " of A is not in B; sums are contract()'s");

    std::vector<int> permutation;
    for (std::size_t k = 0; k < to.size(); ++k) {
        const auto position = std::find(from.begin(), from.end(), to[k]);
        if (position == from.end())
            throw error(
                errc::unknown_label, text(to[k]) + " of B is not in A",
                {.label = name_of(to[k]), .first = {.name = "B", .mode = static_cast<int>(k)}});
        const auto mode_a = static_cast<int>(position - from.begin());
        const auto mode_b = static_cast<int>(k);
        if (a.extent(mode_a) != b.extent(mode_b))
            throw error(errc::extent_mismatch,
                        text(to[k]) + ": A mode " + std::to_string(mode_a) + " has extent " +
                            std::to_string(a.extent(mode_a)) + ", B mode " +
                            std::to_string(mode_b) + " has extent " +
                            std::to_string(b.extent(mode_b)),
                        {.label = name_of(to[k]),
                         .first = {.name = "A", .mode = mode_a, .extent = a.extent(mode_a)},
                         .second = {.name = "B", .mode = mode_b, .extent = b.extent(mode_b)}});
        permutation.push_back(mode_a);
    }
    return permutation;
}

} // namespace tenfold::transpose_impl
