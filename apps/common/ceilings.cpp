#include "apps/common/ceilings.hpp"

#include <algorithm>
#include <cstring>

#include <tenfold/tensor.hpp>

#include "base/context_of.hpp"
#include "base/machine.hpp"
#include "base/parallel.hpp"
#include "base/workspace.hpp"
#include "gemm/kernels/mixed_registry.hpp"

namespace tenfold::apps_impl {

double integer_peak_gflops(const context &ctx, int threads, double seconds) {
    if (!gemm_impl::has_instruction(gemm_impl::mixed_product::i8, ctx.isa(), base::machine_of(ctx)))
        return 0;
    return dot_peak_gflops(dot_product::i8, threads, seconds);
}

double quick_stream_gbps(stream kind, data_type type, isa set, int threads, byte_count size) {
    size = std::clamp(size, kib(4), mib(64));
    const tensor<float> from({size.value / 4});
    tensor<float> to({size.value / 4});
    // At least about 64 MiB of traffic, so that starting the threads does not count.
    const int passes = static_cast<int>(std::max<index_t>(1, mib(64).value / size.value));
    double best = 0;
    for (int attempt = 0; attempt < 5; ++attempt)
        best = std::max(best, stream_traffic(kind, size) * 1e-9 /
                                  stream_seconds({kind, type, set, threads}, to.data(), from.data(),
                                                 size, passes));
    return best;
}

cache_flusher::cache_flusher(int threads) : threads_(threads) {
    const base::machine &machine = base::machine_of(context::global());
    // Twice the last level, because replacement is not exactly least recently used. A last level
    // that is not inclusive holds other lines than the second level, so that both are added.
    const index_t last_level = std::max(machine.l3.size, machine.l2.size);
    size_ = {2 * (last_level + threads * machine.l2.size) + mib(8).value};
    memory_ = base::allocate_aligned(size_);
    std::memset(memory_, 0, static_cast<std::size_t>(size_.value));
}

cache_flusher::~cache_flusher() { base::free_aligned(memory_); }

void cache_flusher::flush() noexcept {
    auto *words = static_cast<std::uint64_t *>(memory_);
    base::run_parallel(threads_, [&](base::team_member member) {
        const base::range part = base::split(size_.value / 8, member.size(), member.id(), 8);
        for (index_t i = part.begin; i < part.end; i += 8)
            ++words[i];
    });
}

} // namespace tenfold::apps_impl
