#include "gemm/plan/blocking.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace tenfold::gemm_impl {
namespace {

/// Returns how many ways of a cache `bytes` of contiguous data occupy in every set.
index_t ways_for(const base::cache &cache, index_t bytes) noexcept {
    return base::divide_up(bytes, std::max<index_t>(1, cache.size / cache.ways));
}

} // namespace

std::string blocking::describe() const {
    return "MRxNR " + std::to_string(mr) + "x" + std::to_string(nr) + ", KC " + std::to_string(kc) +
           ", MC " + std::to_string(mc) + ", NC " + std::to_string(nc);
}

index_t steps_in_l1(const base::machine &machine, const micro_kernel &kernel,
                    index_t element_size) noexcept {
    // L1 holds a micro-panel of B while A's micro-panels stream through it, each used once. Low et
    // al. (2016) give A as many ways as its next micro-panel needs to replace the last one and not
    // B. Hardware prefetches such a stream from L2 at a line or more every few cycles. A third of
    // L1 for B, which allows a longer k and hence fewer updates of D, measured 0 to 3 per cent
    // faster in all types (docs/adr/0002).
    const index_t fit = machine.l1d.size / 3 / (kernel.nr * element_size);
    return std::clamp<index_t>(fit / 8 * 8, 64, 1024);
}

index_t rows_in_l1(const base::machine &machine, const blocking &blocks,
                   index_t row_bytes) noexcept {
    return (machine.l1d.size / 4 * 3 - blocks.nr * row_bytes) / row_bytes;
}

blocking choose_blocking(const base::machine &machine, const micro_kernel &kernel,
                         index_t element_size) noexcept {
    const index_t mr = kernel.mr;
    const index_t nr = kernel.nr;
    const base::cache &l2 = machine.l2;

    index_t kc = steps_in_l1(machine, kernel, element_size);
    const block_sizes &wanted = machine.blocking;
    if (wanted.kc > 0)
        kc = std::max<index_t>(1, wanted.kc * 8 / element_size);

    // Half of L2 holds the block of A and the next one, which is fetched meanwhile. Low et al.
    // leave free only the ways that B's micro-panel and D pass through, but L2 is not LRU and also
    // holds code and page tables (docs/adr/0002).
    index_t mc = l2.size / 4 / (kc * element_size);
    if (wanted.mc > 0)
        mc = wanted.mc;
    mc = std::max(mr, mc / mr * mr);

    // L3 holds the panel of B in this core's share, less one way for D and the ways that A's block
    // passes through. Without an L3, B streams from memory, once per block of A.
    index_t nc = 4096;
    if (machine.l3.size > 0) {
        const base::cache &l3 = machine.l3;
        const index_t ways_through = ways_for(l3, mc * kc * element_size);
        const index_t ways_panel = std::max<index_t>(1, l3.ways - 1 - ways_through);
        nc = l3.size / l3.ways * ways_panel / (kc * element_size);
        // Other cores use the cache too, and C passes through it: this limit gains 10 % at 4096
        // cubed.
        nc = std::min(nc, l3.size / 8 / (kc * element_size));
    }
    nc = std::clamp<index_t>(nc / nr * nr, nr, base::round_up(8192, nr));
    if (wanted.nc > 0)
        nc = std::max(nr, wanted.nc / nr * nr);
    return {mr, nr, kc, mc, nc};
}

thread_grid choose_grid(int threads, index_t m, index_t n, const blocking &blocks) noexcept {
    const index_t tiles_m = base::divide_up(m, blocks.mr);
    const index_t tiles_n = base::divide_up(n, blocks.nr);
    // Threads that share rows share blocks of A and wait for each other at each block.
    constexpr index_t barriers_worth = 32;
    thread_grid best{threads, 1};
    index_t least = INT64_MAX;
    for (int ways_n = 1; ways_n <= threads; ++ways_n) {
        if (threads % ways_n != 0)
            continue;
        const int ways_m = threads / ways_n;
        const index_t work = base::divide_up(tiles_m, ways_m) * base::divide_up(tiles_n, ways_n);
        if (work < least - least / barriers_worth) {
            least = work;
            best = {ways_m, ways_n};
        }
    }
    return best;
}

} // namespace tenfold::gemm_impl
