// Candidates of contractions with an epilogue.
#pragma once

#include "contract/choose/candidate.hpp"

namespace tenfold::contract_impl {

/// The candidate, with the environment's epilogue if there is one: applied where its products write
/// D, if they can, else in a pass over D after it. Its seconds include that.
candidate_ptr with_epilogue(candidate_ptr one, const plan_environment &environment);

} // namespace tenfold::contract_impl
