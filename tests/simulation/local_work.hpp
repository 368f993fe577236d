// The speed of simulated ranks.
#pragma once

#include <tenfold/types.hpp>

namespace tenfold::simulation {

/// The speed of one rank. The platform file must state the same flops.
struct machine_speed {
    double flops = 1e12;            ///< per second, of products
    double memory_bandwidth = 1e11; ///< bytes read or written per second
    // Of the platforms' links, as SMPI's factors for long messages make them (docs/scaling.md).
    // They only price plans; SMPI simulates messages.
    double link_bandwidth = 23.5e9; ///< bytes per second
    double message = 5.8e-6;        ///< seconds
};
void set_speed(const machine_speed &of_a_rank);

/// The seconds of local work of a rank since the program began, in simulated time.
struct local_seconds {
    double multiplying = 0;
    double copying = 0; ///< packing, unpacking, adding
};
local_seconds seconds_of_this_rank();

/// Returns the same addresses for every rank and call; the first call asks for the most. Nothing is
/// ever written there.
void *shared_memory(byte_count size);

} // namespace tenfold::simulation
