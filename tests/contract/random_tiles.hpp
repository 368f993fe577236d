// Random tiles, which the planner would not choose.
#pragma once

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

} // namespace tenfold::testing
