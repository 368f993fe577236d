// Shuffle networks: W registers of W elements are transposed in log2(W) steps. The steps below 128
// bits are unpacks within lanes, which run on every shuffle port with a latency of one cycle; the
// rest exchange whole lanes. An instruction set may have a network of its own. Included by kernel
// sources only.
#pragma once

#include "transpose/kernels/elements.hpp"

namespace tenfold::transpose_impl {
namespace {

/// 4 x 4 words in each lane of four registers.
template <class Isa> [[gnu::always_inline]] inline void transpose_words(reg *r) {
    const reg low01 = Isa::low32(r[0], r[1]);
    const reg high01 = Isa::high32(r[0], r[1]);
    const reg low23 = Isa::low32(r[2], r[3]);
    const reg high23 = Isa::high32(r[2], r[3]);
    r[0] = Isa::low64(low01, low23);
    r[1] = Isa::high64(low01, low23);
    r[2] = Isa::low64(high01, high23);
    r[3] = Isa::high64(high01, high23);
}

/// 2 x 2 double words in each lane of two registers.
template <class Isa> [[gnu::always_inline]] inline void transpose_double_words(reg *r) {
    const reg low = Isa::low64(r[0], r[1]);
    r[1] = Isa::high64(r[0], r[1]);
    r[0] = low;
}

/// 16 x 16 bytes in each lane of 16 registers. Each step rotates the bits of (register, byte) by
/// one place; after four the two have changed places.
template <class Isa, class Reg> [[gnu::always_inline]] inline void transpose_bytes(Reg *r) {
#pragma GCC unroll 4
    for (int step = 0; step < 4; ++step) {
        Reg zipped[16];
#pragma GCC unroll 8
        for (int i = 0; i < 8; ++i) {
            zipped[2 * i] = Isa::low8(r[i], r[i + 8]);
            zipped[2 * i + 1] = Isa::high8(r[i], r[i + 8]);
        }
#pragma GCC unroll 16
        for (int i = 0; i < 16; ++i)
            r[i] = zipped[i];
    }
}

/// Within each lane of as many registers as a lane has elements.
template <int Size, class Isa = registers>
[[gnu::always_inline]] inline void transpose_in_lanes(reg *r) {
    if constexpr (Isa::own_networks)
        Isa::template transpose_in_lanes<Size>(r);
    else if constexpr (Size == 1)
        transpose_bytes<Isa>(r);
    else if constexpr (Size == 4)
        transpose_words<Isa>(r);
    else if constexpr (Size == 8)
        transpose_double_words<Isa>(r);
}

template <int Size, class Isa = registers>
[[gnu::always_inline]] inline void transpose_registers(reg *r) {
    constexpr int per_lane = 16 / Size;
    if constexpr (Isa::own_networks) {
        Isa::template transpose<Size>(r);
    } else {
#pragma GCC unroll 8
        for (int lane = 0; lane < Isa::lanes; ++lane)
            transpose_in_lanes<Size>(r + lane * per_lane);
#pragma GCC unroll 8
        for (int c = 0; c < per_lane; ++c)
            Isa::transpose_lanes(r + c, per_lane);
    }
}

} // namespace
} // namespace tenfold::transpose_impl
