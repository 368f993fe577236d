#include "gemm/rate_probe.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "base/machine.hpp"
#include "base/rates.hpp"
#include "base/workspace.hpp"
#include "gemm/kernel_loops.hpp"
#include "gemm/kernels/mixed_registry.hpp"
#include "gemm/plan/blocking.hpp"
#include "gemm/plan/plan.hpp"

namespace tenfold::gemm_impl {
namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start) {
    return std::chrono::duration<double>(clock::now() - start).count();
}

/// What is run again and again, and the shortest time that it took.
struct sample {
    std::function<void()> run;
    int passes = 1; ///< of one measurement, so that reading the clock does not count
    double seconds = 0;

    void measure() {
        run(); // brings its data back, which the samples before it pushed out of the caches
        const clock::time_point start = clock::now();
        for (int pass = 0; pass < passes; ++pass)
            run();
        const double one = seconds_since(start) / passes;
        seconds = seconds > 0 ? std::min(seconds, one) : one;
    }
};

/// The samples of one type's micro-kernel.
struct kernel_samples {
    // Two lengths of k whose panels stay in L1: their difference is multiply-adds alone.
    tile_loop brief, longer;
    tile_loop block; ///< A's block from L2, as in a packed product

    kernel_samples(const base::machine &machine, const kernel_info &kernel,
                   const gemm_impl::blocking &blocks)
        : brief(kernel, kernel.mr, in_l1(machine, kernel) / 4),
          longer(kernel, kernel.mr, in_l1(machine, kernel)), block(kernel, blocks.mc, blocks.kc) {}

    static index_t in_l1(const base::machine &machine, const kernel_info &kernel) {
        constexpr index_t fewest = 32;
        return std::max(fewest,
                        machine.l1d.size / 2 / ((kernel.mr + kernel.nr) * size_of(kernel.type)));
    }
};

/// Runs each sample in turn, at least once, until the time is over.
void measure(std::span<sample> samples) {
    constexpr double longest = 15e-3;
    constexpr int most_rounds = 12;
    const clock::time_point start = clock::now();
    for (int round = 0; round < most_rounds; ++round)
        for (sample &one : samples)
            if (round == 0 || seconds_since(start) < longest)
                one.measure();
}

/// The kernel of dot products of bf16, as if it were one of f32: its words are as long, and as each
/// holds two steps, panels have room for them.
kernel_info kernel_of_dots(const base::machine &machine, isa instruction_set) {
    const mixed_kernel_info &dots = select(mixed_product::bf16_dot, instruction_set, machine);
    return {dots.name, data_type::f32, dots.variant, dots.loops.mr, dots.loops.nr, &dots.loops};
}

/// Additions of which each waits for the one before: one cycle each on all processors. Unrolled,
/// because a core that is shared with another thread fetches a short loop in every other cycle
/// only.
constexpr int chained_additions = 2000;
void add_in_a_chain() {
    std::uint64_t sum = 1;
    std::uint64_t summand = 1;
    __asm__ volatile("" : "+r"(summand));
#pragma GCC unroll 100
    for (int i = 0; i < chained_additions; ++i) {
        sum += summand;
        __asm__ volatile("" : "+r"(sum));
    }
}

/// Passes that make a sample some microseconds long.
int passes_for(const tile_loop &loop) {
    constexpr double fewest_flops = 5e5;
    return static_cast<int>(std::ceil(fewest_flops / loop.flops()));
}

} // namespace

double measure_fmas_per_cycle(isa instruction_set, double fma_flops_f64) {
    sample chain = {add_in_a_chain};
    constexpr int rounds = 50;
    for (int round = 0; round < rounds; ++round)
        chain.measure();
    const micro_kernel &kernel = *select(data_type::f64, instruction_set)->kernel;
    const double fmas = fma_flops_f64 / (2 * kernel.vector_length);
    constexpr double clearly_two = 1.4; // the clock may have changed meanwhile
    return fmas * chain.seconds / chained_additions < clearly_two ? 1 : 2;
}

void probe_rates(const base::machine &machine, isa instruction_set, base::machine_rates &rates) {
    const kernel_info &f64 = *select(data_type::f64, instruction_set);
    const kernel_info &f32 = *select(data_type::f32, instruction_set);
    const auto samples_of = [&](const kernel_info &kernel) {
        return kernel_samples(machine, kernel,
                              choose_blocking(machine, *kernel.kernel, size_of(kernel.type)));
    };
    const kernel_samples of_f64 = samples_of(f64);
    const kernel_samples of_f32 = samples_of(f32);

    const index_t share_of_l2 = machine.l2.size / std::max(1, machine.l2.shared_by);
    const packing_loop in_l2(instruction_set, {share_of_l2 / 4}, {share_of_l2 / 4});
    const packing_loop from_l3(instruction_set, {share_of_l2 * 4}, {share_of_l2 / 4});
    base::workspace_pool pool;
    const auto element = static_cast<index_t>(sizeof(double));
    const index_t of_panels = base::aligned_bytes(from_l3.panel_elements() * element);
    const auto memory = pool.acquire({of_panels + from_l3.matrix_elements() * element});
    if (!memory)
        throw std::bad_alloc();
    std::memset(memory.memory().data(), 0, memory.memory().size());
    auto *const panels = reinterpret_cast<double *>(memory.memory().data());
    const auto *const matrix = panels + of_panels / element;

    gemm_plan_options options;
    options.instruction_set = instruction_set;
    options.machine = &machine;
    options.rates = &rates;
    constexpr index_t n = 2; // so small that the multiplications do not count
    const gemm_plan tiny({data_type::f64, n, n, n, 1, n, 1, n, 1, n}, options);
    const auto workspace = pool.acquire(tiny.workspace_size());
    std::array<double, n *n> a = {}, d = {};

    enum what : std::size_t {
        brief64,
        longer64,
        block64,
        brief32,
        longer32,
        block32,
        l2,
        l3,
        call,
        brief_dots,
        longer_dots // these two where there is an instruction
    };
    std::array<sample, longer_dots + 1> samples;
    std::size_t next = 0;
    for (const kernel_samples *one : {&of_f64, &of_f32})
        for (const tile_loop *loop : {&one->brief, &one->longer, &one->block})
            samples[next++] = {[loop] { loop->run(); }, passes_for(*loop)};
    samples[l2].run = [&] { in_l2.run(matrix, panels); };
    samples[l3].run = [&] { from_l3.run(matrix, panels); };
    samples[call] = {[&] {
                         tiny.execute({.alpha = 1.0,
                                       .a = a.data(),
                                       .b = a.data(),
                                       .beta = 0.0,
                                       .d = d.data(),
                                       .workspace = workspace.memory().data()});
                     },
                     100};
    const kernel_info dots = kernel_of_dots(machine, instruction_set);
    std::optional<kernel_samples> of_dots;
    if (has_instruction(mixed_product::bf16_dot, instruction_set, machine)) {
        of_dots.emplace(machine, dots, choose_blocking(machine, *dots.kernel, size_of(dots.type)));
        samples[brief_dots] = {[&] { of_dots->brief.run(); }, passes_for(of_dots->brief)};
        samples[longer_dots] = {[&] { of_dots->longer.run(); }, passes_for(of_dots->longer)};
    }
    measure(std::span(samples).first(of_dots ? samples.size() : std::size_t{brief_dots}));

    const auto adding = [&](const kernel_samples &of, what brief, what longer) {
        const double seconds = samples[longer].seconds - samples[brief].seconds;
        // At most what micro-kernels reach was lost in starting them.
        const double whole = of.longer.flops() / samples[longer].seconds;
        return seconds > 0
                   ? std::clamp((of.longer.flops() - of.brief.flops()) / seconds, whole, 2 * whole)
                   : whole;
    };
    rates.fma_flops_f64 = adding(of_f64, brief64, longer64);
    rates.fmas_per_cycle = measure_fmas_per_cycle(instruction_set, rates.fma_flops_f64);
    const double f32_flops = adding(of_f32, brief32, longer32);
    if (of_dots) {
        // What is hardly faster counts as no faster: the choice, on which bits depend, must not
        // turn with the noise of probes.
        constexpr double clearly = 1.15;
        const double found = adding(*of_dots, brief_dots, longer_dots);
        rates.dot_flops_bf16 = found > clearly * f32_flops ? found : std::min(found, f32_flops);
    } else {
        rates.dot_flops_bf16 *= f32_flops / rates.fma_flops_f32; // never asked for
    }
    rates.fma_flops_f32 = f32_flops;
    rates.kernel_efficiency =
        std::min(1.0, of_f64.block.flops() / samples[block64].seconds / rates.fma_flops_f64);
    rates.cache_bandwidth = in_l2.bytes() / samples[l2].seconds;
    if (machine.l3.size > 4 * share_of_l2)
        rates.l3_bandwidth = from_l3.arrival(samples[l3].seconds, rates.cache_bandwidth);
    rates.call = samples[call].seconds;
}

} // namespace tenfold::gemm_impl
