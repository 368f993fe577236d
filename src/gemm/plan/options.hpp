// What the plans of matrix products are made for: machine, threads and what the caller asks for.
#pragma once

#include <algorithm>
#include <optional>

#include "base/machine.hpp"
#include "base/rates.hpp"
#include "gemm/plan/blocking.hpp"
#include "gemm/plan/shape.hpp"

#include <tenfold/context.hpp>

namespace tenfold::gemm_impl {

/// Work that outweighs the cost of one more thread (a few microseconds to start, wait and move
/// data): about 20 us of a core.
inline constexpr double flops_per_thread = 1e6;
inline constexpr double bytes_per_thread = 256e3;

/// Returns the number of threads, at most `wanted`, that pay for a product.
inline int worthwhile_threads(int wanted, double work, double work_per_thread) noexcept {
    const double most = std::clamp(work / work_per_thread, 1.0, static_cast<double>(wanted));
    return std::max(1, static_cast<int>(most));
}

/// Returns the number of threads, at most `wanted`, that pays for work of `seconds` on one thread.
inline int worthwhile_team(int wanted, double seconds) noexcept {
    constexpr double seconds_per_thread = 20e-6; // starting a thread and moving data to it
    return static_cast<int>(
        std::clamp(seconds / seconds_per_thread, 1.0, static_cast<double>(std::max(1, wanted))));
}

struct gemm_plan_options {
    int threads = 1;
    tenfold::backend back = backend::native;
    /// Has no effect on the native kernels, whose results never depend on the number of threads.
    /// BLIS does not promise this, so if it is set, the native kernels are used. Products of bf16
    /// that may be summed either way are widened, on every machine.
    bool reproducible = false;
    bf16_sums sums = bf16_sums::automatic;
    isa instruction_set = isa::generic;
    const base::machine *machine = nullptr;        ///< required; plans do not keep it
    std::optional<blocking> blocks = std::nullopt; ///< MR and NR always are the kernel's
    const base::machine_rates *rates = nullptr;    ///< null: typical ones; plans do not keep them
    tensor_sizes whole = {};
    /// Makes an element's bits depend only on its row of A, its column of B, their length, type and
    /// instruction set, and not on m, n, strides, threads or caches. Holds for alpha = 1, beta = 0.
    /// All shapes are then packed, or read in place in the order of packed ones.
    bool same_for_all_shapes = false;
    /// Plans small products like larger ones: tests of those forms want it, which are quick then.
    bool packs_small = false;

    /// Returns the options that the context asks for.
    static gemm_plan_options from(const context &ctx);
};

} // namespace tenfold::gemm_impl
