#include "gemm/plan/choose.hpp"

namespace tenfold::gemm_impl {

mixed_product choose_bf16(const gemm_plan_options &options) noexcept {
    const auto rates = options.rates != nullptr
                           ? *options.rates
                           : base::machine_rates::typical_of(options.instruction_set);
    const bool dots =
        !options.reproducible && rates.dot_flops_bf16 > rates.fma_flops_f32 &&
        has_instruction(mixed_product::bf16_dot, options.instruction_set, *options.machine);
    return dots ? mixed_product::bf16_dot : mixed_product::bf16_widened;
}

} // namespace tenfold::gemm_impl
