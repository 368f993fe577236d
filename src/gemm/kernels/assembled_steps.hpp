// Steps of k in assembly, for the tile that fills the 16 registers of AVX2: 12 accumulators, two
// registers of A's column, two of B's row. GCC 12 orders four steps in a row so that two of the
// accumulators lie on the stack within them, where each waits for memory as long as the FMAs of a
// step and a half take.
#pragma once

#include "gemm/kernels/simd.hpp"

#if defined __AVX2__ && !defined __AVX512F__

// clang-format off

/// Adds A's column times one element of B's row to a column of accumulators.
#define TENFOLD_COLUMN(type, column, element)                                                      \
    "vfmadd231p" type " %%ymm0, " element ", %[upper" column "]\n\t"                               \
    "vfmadd231p" type " %%ymm1, " element ", %[lower" column "]\n\t"
#define TENFOLD_ELEMENT(type, size, i, j, to)                                                      \
    "vbroadcasts" type " (" #i "*6+" #j ")*" size "(%[b]), " to "\n\t"

/// The i-th step from here in packed micro-panels of elements of `size` bytes; `type` is s or d.
#define TENFOLD_STEP(type, size, i)                                                                \
    "vmovup" type " " #i "*64(%[a]), %%ymm0\n\t"                                                   \
    "vmovup" type " " #i "*64+32(%[a]), %%ymm1\n\t"                                                \
    TENFOLD_ELEMENT(type, size, i, 0, "%%ymm2")                                                    \
    TENFOLD_ELEMENT(type, size, i, 1, "%%ymm3")                                                    \
    TENFOLD_COLUMN(type, "0", "%%ymm2")                                                            \
    TENFOLD_ELEMENT(type, size, i, 2, "%%ymm2")                                                    \
    TENFOLD_COLUMN(type, "1", "%%ymm3")                                                            \
    TENFOLD_ELEMENT(type, size, i, 3, "%%ymm3")                                                    \
    TENFOLD_COLUMN(type, "2", "%%ymm2")                                                            \
    TENFOLD_ELEMENT(type, size, i, 4, "%%ymm2")                                                    \
    TENFOLD_COLUMN(type, "3", "%%ymm3")                                                            \
    TENFOLD_ELEMENT(type, size, i, 5, "%%ymm3")                                                    \
    TENFOLD_COLUMN(type, "4", "%%ymm2")                                                            \
    TENFOLD_COLUMN(type, "5", "%%ymm3")

/// `rounds` times `in_a_row` steps, after which a and b have moved on by so many. Operands that are
/// read and written count twice, so that these are all 30 that a statement may have.
#define TENFOLD_ROUNDS(rounds, in_a_row, size, steps)                                              \
    __asm__("1:\n\t" steps                                                                         \
            "add $" in_a_row "*64, %[a]\n\t"                                                       \
            "add $" in_a_row "*6*" size ", %[b]\n\t"                                               \
            "sub $1, %[left]\n\t"                                                                  \
            "jne 1b"                                                                               \
            : [upper0] "+x"(sum[0][0]), [lower0] "+x"(sum[0][1]), [upper1] "+x"(sum[1][0]),        \
              [lower1] "+x"(sum[1][1]), [upper2] "+x"(sum[2][0]), [lower2] "+x"(sum[2][1]),        \
              [upper3] "+x"(sum[3][0]), [lower3] "+x"(sum[3][1]), [upper4] "+x"(sum[4][0]),        \
              [lower4] "+x"(sum[4][1]), [upper5] "+x"(sum[5][0]), [lower5] "+x"(sum[5][1]),        \
              [a] "+r"(a), [b] "+r"(b), [left] "+r"(rounds)                                        \
            :                                                                                      \
            : "ymm0", "ymm1", "ymm2", "ymm3", "cc", "memory")

#define TENFOLD_ALL_STEPS(type, size)                                                              \
    if (fours > 0)                                                                                 \
        TENFOLD_ROUNDS(fours, "4", size,                                                           \
                       TENFOLD_STEP(type, size, 0) TENFOLD_STEP(type, size, 1)                     \
                       TENFOLD_STEP(type, size, 2) TENFOLD_STEP(type, size, 3));                   \
    if (rest > 0)                                                                                  \
        TENFOLD_ROUNDS(rest, "1", size, TENFOLD_STEP(type, size, 0))

// clang-format on

namespace {

/// Whether tiles of MV registers by N columns have their steps here.
template <int MV, int N> constexpr bool steps_are_assembled = MV == 2 && N == 6;

/// sum += A B over k steps of packed micro-panels, 2 registers and 6 elements a step; moves a and b
/// to the ends.
template <class T> [[gnu::always_inline]] inline void
assembled_steps(int64_t k, const T *&a, const T *&b, typename simd<T>::wide (&sum)[6][2]) {
    int64_t fours = k / 4, rest = k % 4;
    if constexpr (sizeof(T) == 8) {
        TENFOLD_ALL_STEPS("d", "8");
    } else {
        TENFOLD_ALL_STEPS("s", "4");
    }
}

} // namespace

#undef TENFOLD_COLUMN
#undef TENFOLD_ELEMENT
#undef TENFOLD_STEP
#undef TENFOLD_ROUNDS
#undef TENFOLD_ALL_STEPS

#else

namespace {
template <int, int> constexpr bool steps_are_assembled = false;
}

#endif
