#include "contract/calibrate/ceilings.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>

#include <tenfold/context.hpp>

#include "base/context_of.hpp"
#include "base/machine.hpp"
#include "base/parallel.hpp"
#include "contract/calibrate/kernels/ceiling_kernels.hpp"
#include "contract/calibrate/stopwatch.hpp"
#include "simd/kernel_table.hpp"

TENFOLD_DECLARE_KERNELS(contract_ceilings, tenfold::calibrate_impl::ceiling_kernels)
TENFOLD_DECLARE_KERNELS(contract_dot_ceilings, tenfold::calibrate_impl::dot_ceiling)

namespace tenfold::calibrate_impl {
namespace {

const ceiling_kernels &kernels_of(isa set) noexcept {
    static const auto table = TENFOLD_KERNEL_TABLE(contract_ceilings);
    return *table.find(set).kernels;
}

/// Null: this build has none.
const dot_ceiling *kernel_of(dot_product kind) noexcept {
    static const auto table = TENFOLD_KERNEL_TABLE(contract_dot_ceilings);
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

} // namespace tenfold::calibrate_impl
