// The list of kernels that `tenfold info` prints.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <tenfold/context.hpp>

namespace tenfold::apps_impl {

/// Returns one object per kernel of this build: "kind" ("gemm" or "transpose"), "name", "in_use"
/// (by the current instruction set), and for gemm also the type and the block sizes on this
/// machine.
nlohmann::ordered_json kernel_list(const context &ctx);

} // namespace tenfold::apps_impl
