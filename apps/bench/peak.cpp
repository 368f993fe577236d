#include "apps/bench/peak.hpp"

#include "apps/common/ceilings.hpp"
#include "base/context_of.hpp"
#include "gemm/kernels/mixed_registry.hpp"

namespace tenfold::apps_impl {

double multiply_peak_gflops(const bench_options &options, const context &ctx, double seconds) {
    using gemm_impl::mixed_product;
    const auto has_instruction = [&](mixed_product product) {
        return gemm_impl::select(product, ctx.isa(), base::machine_of(ctx)).variant.feature !=
               nullptr;
    };
    if (options.integers)
        return has_instruction(mixed_product::i8)
                   ? dot_peak_gflops(dot_product::i8, options.threads, seconds)
                   : 0;
    if (options.type == data_type::bf16 &&
        gemm_impl::faster_bf16(ctx.isa(), base::machine_of(ctx)) == mixed_product::bf16_dot)
        return dot_peak_gflops(dot_product::bf16, options.threads, seconds);
    return fma_peak_gflops(options.type, ctx.isa(), options.threads, seconds);
}

} // namespace tenfold::apps_impl
