// How k loops go round.
#pragma once

#include <stdint.h>

namespace {

/// Steps of k between two branches, for tiles of so many FMAs a step. Twelve of them keep two units
/// busy for six cycles, in which a core that another hardware thread shares starts 18 to 20
/// instructions: what counts and branches must then not be among them at every step.
template <int multiply_adds> constexpr int steps_in_a_row = multiply_adds < 24 ? 4 : 1;

/// step() `count` times, `in_a_row` of them between two branches.
template <int in_a_row, class Step> inline void repeat(int64_t count, const Step &step) {
    if constexpr (in_a_row > 1) {
        for (int64_t rounds = count / in_a_row; rounds > 0; --rounds) {
#pragma GCC unroll 8
            for (int i = 0; i < in_a_row; ++i)
                step();
        }
        count %= in_a_row;
    }
    for (; count > 0; --count)
        step();
}

} // namespace
