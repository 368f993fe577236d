// Random tiles, which the planner would not choose.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "contract/tiles/tiled.hpp"
#include "support/random.hpp"

namespace tenfold::testing {

/// Cuts about half of the modes at random positions, of element-wise products as such in most
/// cases.
inline contract_impl::tiled_form random_form(const einsum_impl::contraction_problem &drawn,
                                             random_source &random) {
    const auto elementwise = contract_impl::as_elementwise(drawn);
    const einsum_impl::contraction_problem &problem =
        elementwise && random.chance(0.7) ? *elementwise : drawn;
    contract_impl::tiled_form form;
    form.extents = contract_impl::tile_extents::whole(problem);
    for (extents_t *group :
         {&form.extents.batch, &form.extents.m, &form.extents.n, &form.extents.k})
        for (index_t &extent : *group)
            if (random.chance(0.5))
                extent = random.integer(1, extent);
    form.extents = contract_impl::with_few_remainders(form.extents, problem);
    form.choice = random.pick(contract_impl::arranger(problem).choices());
    form.innermost_n = random.chance(0.5);
    form.loop_threads = random.chance(0.7);
    return form;
}

/// Executes with a workspace of NaN, so that elements of copies and packed panels that were never
/// written show in the result.
inline void execute_among_nans(const contract_impl::candidate_ptr &tiled,
                               const contract_impl::sources &from, void *d) {
    std::vector<double> workspace(
        static_cast<std::size_t>(tiled->workspace().value) / sizeof(double) + 8,
        std::numeric_limits<double>::quiet_NaN());
    void *aligned = workspace.data();
    std::size_t room = workspace.size() * sizeof(double);
    ASSERT_NE(std::align(64, room - 64, aligned, room), nullptr);
    tiled->execute(from, d, static_cast<std::byte *>(aligned));
}

} // namespace tenfold::testing
