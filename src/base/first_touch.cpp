#include "base/first_touch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>

#include <tenfold/context.hpp>
#include <tenfold/tensor.hpp>

#include "base/parallel.hpp"

namespace tenfold::base {
namespace {

/// Bytes per thread that justify starting another thread.
constexpr index_t bytes_of_a_thread = index_t{4} << 20;
/// Parts begin at huge pages, because a huge page lies in one memory.
constexpr index_t grain = index_t{2} << 20;

int usual_threads() noexcept {
    try {
        return context::global().threads();
    } catch (const std::exception &) { // computations, not tensors, report a wrong variable
        return 1;
    }
}

} // namespace

void fill_with_zeros(void *memory, byte_count size) noexcept {
    fill_with_zeros(memory, size, size.value < 2 * bytes_of_a_thread ? 1 : usual_threads());
}

void fill_with_zeros(void *memory, byte_count size, int threads) noexcept {
    const index_t most = std::max<index_t>(1, size.value / bytes_of_a_thread);
    const auto team = static_cast<int>(std::min<index_t>(threads, most));
    run_parallel(team, [&](team_member me) {
        const range mine = split(size.value, me.size(), me.id(), grain);
        if (!mine.empty())
            std::memset(static_cast<std::byte *>(memory) + mine.begin, 0,
                        static_cast<std::size_t>(mine.size()));
    });
}

} // namespace tenfold::base
