#include "contract/calibrate/copy_probe.hpp"

#include <cstddef>
#include <cstring>

#include "base/workspace.hpp"
#include "contract/calibrate/ceilings.hpp"

namespace tenfold::calibrate_impl {

double probe_copy(isa set) {
    constexpr byte_count size = {8 << 20};
    base::workspace_pool pool;
    const auto memory = pool.acquire({2 * size.value});
    if (!memory)
        return 0;
    std::byte *const from = memory.memory().data();
    std::byte *const to = from + size.value;
    std::memset(from, 0, 2 * size.value); // memory that is used for the first time would be slower
    // Once: of what was just written caches may hold a part, of what was just read more.
    return stream_traffic(stream::copy, size) /
           stream_seconds({stream::copy, data_type::f64, set, /*threads=*/1}, to, from, size);
}

} // namespace tenfold::calibrate_impl
