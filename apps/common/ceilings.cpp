#include "apps/common/ceilings.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>

#include <tenfold/context.hpp>
#include <tenfold/tensor.hpp>

#include "apps/common/kernels/ceiling_kernels.hpp"
#include "apps/common/timing.hpp"
#include "base/context_of.hpp"
#include "base/machine.hpp"
#include "base/parallel.hpp"
#include "gemm/kernels/mixed_registry.hpp"
#include "simd/kernel_table.hpp"

TENFOLD_DECLARE_KERNELS(apps_ceilings, tenfold::apps_impl::ceiling_kernels)
TENFOLD_DECLARE_KERNELS(apps_dot_ceilings, tenfold::apps_impl::dot_ceiling)

namespace tenfold::apps_impl {
namespace {

const ceiling_kernels &kernels_of(isa set) noexcept {
    static const auto table = TENFOLD_KERNEL_TABLE(apps_ceilings);
    return *table.find(set).kernels;
}

/// Null: this build has none.
const dot_ceiling *kernel_of(dot_product kind) noexcept {
    static const auto table = TENFOLD_KERNEL_TABLE(apps_dot_ceilings);
    const auto feature =
        kind == dot_product::bf16 ? &base::machine::avx512_bf16 : &base::machine::avx512_vnni;
    for (const auto &one : table)
        if (one.variant.feature == feature)
            return one.kernels;
    return nullptr;
}

bool is_single_precision(data_type type) noexcept { return real_type_of(type) != data_type::f64; }

/// Where results go that exist only so that computing them is not left out.
std::atomic<double> sink;

/// Runs the given number of rounds on the calling thread.
using rounds_function = std::function<void(std::int64_t)>;

/// Returns the number of rounds that take one thread about `seconds`. The best of three tries
/// counts, because an interrupted one would look like slow hardware.
std::int64_t rounds_for(const rounds_function &run, double seconds) {
    for (std::int64_t rounds = 1000;; rounds *= 2) {
        double best = seconds;
        for (int attempt = 0; attempt < 3; ++attempt) {
            const stopwatch watch;
            run(rounds);
            best = std::min(best, watch.seconds());
        }
        if (best >= seconds)
            return rounds;
    }
}

double peak_gflops(const rounds_function &run, double flops_per_round, int asked, double seconds) {
    // More threads than cores would take turns and reach no more, but each burst would take longer.
    const int threads = std::min(asked, base::machine_of(context::global()).cores);
    // Each burst takes about a tenth of the time, and the best one counts: it was not interrupted.
    const std::int64_t rounds = rounds_for(run, seconds / 20);
    // The first burst wakes the threads. On a busy machine there may be no time for more than
    // three.
    constexpr int fewest = 3;
    double best = 0;
    const stopwatch watch;
    for (int bursts = 0; bursts < fewest || watch.seconds() < seconds; ++bursts) {
        const stopwatch burst;
        base::run_parallel(threads, [&](base::team_member) { run(rounds); });
        best = std::max(best,
                        flops_per_round * threads * static_cast<double>(rounds) / burst.seconds());
    }
    return best * 1e-9;
}

} // namespace

double fma_peak_gflops(data_type type, isa set, int threads, double seconds) {
    const ceiling_kernels &kernels = kernels_of(set);
    if (is_single_precision(type))
        return peak_gflops(
            [&](std::int64_t rounds) {
                sink.store(static_cast<double>(kernels.fma_f32(rounds)), std::memory_order_relaxed);
            },
            static_cast<double>(kernels.flops_per_round_f32), threads, seconds);
    return peak_gflops(
        [&](std::int64_t rounds) {
            sink.store(kernels.fma_f64(rounds), std::memory_order_relaxed);
        },
        static_cast<double>(kernels.flops_per_round_f64), threads, seconds);
}

double dot_peak_gflops(dot_product kind, int threads, double seconds) {
    const dot_ceiling *kernel = kernel_of(kind);
    if (kernel == nullptr)
        return 0;
    return peak_gflops(
        [&](std::int64_t rounds) {
            sink.store(static_cast<double>(kernel->rounds(rounds)), std::memory_order_relaxed);
        },
        static_cast<double>(kernel->flops_per_round), threads, seconds);
}

double integer_peak_gflops(const context &ctx, int threads, double seconds) {
    if (!gemm_impl::has_instruction(gemm_impl::mixed_product::i8, ctx.isa(), base::machine_of(ctx)))
        return 0;
    return dot_peak_gflops(dot_product::i8, threads, seconds);
}

double stream_traffic(stream kind, byte_count size) noexcept {
    const bool one_way = kind == stream::read || kind == stream::write;
    const double times = kind == stream::saxpy ? 3 : one_way ? 1 : 2;
    return times * static_cast<double>(size.value);
}

double stream_seconds(const stream_pass &what, void *to, const void *from, byte_count size,
                      int passes) {
    const ceiling_kernels &kernels = kernels_of(what.isa);
    const stream kind = what.kind;
    const bool single = is_single_precision(what.type);
    auto *target = static_cast<std::byte *>(to);
    const auto *source = static_cast<const std::byte *>(from);
    const stopwatch watch;
    base::run_parallel(what.threads, [&](base::team_member member) {
        const base::range part = base::split(size.value, member.size(), member.id(), 4096);
        std::byte *y = target + part.begin;
        const std::byte *x = source + part.begin;
        for (int pass = 0; pass < passes; ++pass) {
            if (kind == stream::copy)
                kernels.copy(y, x, part.size());
            else if (kind == stream::plain_copy)
                std::memcpy(y, x, static_cast<std::size_t>(part.size()));
            else if (kind == stream::read)
                sink.store(static_cast<double>(kernels.read(x, part.size())),
                           std::memory_order_relaxed);
            else if (kind == stream::write)
                kernels.write(y, part.size());
            else if (single)
                kernels.saxpy_f32(0.5F, reinterpret_cast<const float *>(x),
                                  reinterpret_cast<float *>(y), part.size() / 4);
            else
                kernels.saxpy_f64(0.5, reinterpret_cast<const double *>(x),
                                  reinterpret_cast<double *>(y), part.size() / 8);
        }
    });
    return watch.seconds() / passes;
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
