// The speed of simulated ranks.
#pragma once

#include <tenfold/types.hpp>

namespace tenfold::simulation {

/// Of one rank. The platform file must say the same flops.
struct machine_speed {
    double flops = 1e12;            ///< per second, of products
    double memory_bandwidth = 1e11; ///< bytes read or written per second
};
void set_speed(const machine_speed &of_a_rank);

/// What a rank did itself since the program began, in simulated seconds.
struct local_seconds {
    double multiplying = 0;
    double copying = 0; ///< packing, unpacking, adding
};
local_seconds seconds_of_this_rank();

/// The same addresses for every rank and call, the first of which asks for most: nothing is ever
/// written there.
void *shared_memory(byte_count size);

} // namespace tenfold::simulation
