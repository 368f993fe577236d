// The kernels of the instruction set in force, as `tenfold info` lists them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <tenfold/context.hpp>

namespace tenfold::apps_impl {

/// One object per kernel: "kind" ("gemm", "transpose"), then what the kind's registry says.
nlohmann::ordered_json kernel_list(const context &ctx);

} // namespace tenfold::apps_impl
