// The kernels that `tenfold info` lists.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <tenfold/context.hpp>

namespace tenfold::apps_impl {

/// One object per kernel of this build: "kind" ("gemm" or "transpose"), "name", "in_use" (by the
/// instruction set in force), and for gemm also type and block sizes on this machine.
nlohmann::ordered_json kernel_list(const context &ctx);

} // namespace tenfold::apps_impl
