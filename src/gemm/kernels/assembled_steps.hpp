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
#define TENFOLD_ELEMENT(type, size, b, i, j, to)                                                   \
    "vbroadcasts" type " (" #i "*6+" #j ")*" size "(" b "), " to "\n\t"

/// The i-th step from here in packed micro-panels of elements of `size` bytes, at registers a and
/// b; `type` is s or d.
#define TENFOLD_STEP(type, size, a, b, i)                                                          \
    "vmovup" type " " #i "*64(" a "), %%ymm0\n\t"                                                  \
    "vmovup" type " " #i "*64+32(" a "), %%ymm1\n\t"                                               \
    TENFOLD_ELEMENT(type, size, b, i, 0, "%%ymm2")                                                 \
    TENFOLD_ELEMENT(type, size, b, i, 1, "%%ymm3")                                                 \
    TENFOLD_COLUMN(type, "0", "%%ymm2")                                                            \
    TENFOLD_ELEMENT(type, size, b, i, 2, "%%ymm2")                                                 \
    TENFOLD_COLUMN(type, "1", "%%ymm3")                                                            \
    TENFOLD_ELEMENT(type, size, b, i, 3, "%%ymm3")                                                 \
    TENFOLD_COLUMN(type, "2", "%%ymm2")                                                            \
    TENFOLD_ELEMENT(type, size, b, i, 4, "%%ymm2")                                                 \
    TENFOLD_COLUMN(type, "3", "%%ymm3")                                                            \
    TENFOLD_ELEMENT(type, size, b, i, 5, "%%ymm3")                                                 \
    TENFOLD_COLUMN(type, "4", "%%ymm2")                                                            \
    TENFOLD_COLUMN(type, "5", "%%ymm3")

/// Two for each accumulator, which are read and written, of the 30 operands that a statement may
/// have.
#define TENFOLD_SUMS                                                                               \
    [upper0] "+x"(sum[0][0]), [lower0] "+x"(sum[0][1]), [upper1] "+x"(sum[1][0]),                  \
        [lower1] "+x"(sum[1][1]), [upper2] "+x"(sum[2][0]), [lower2] "+x"(sum[2][1]),              \
        [upper3] "+x"(sum[3][0]), [lower3] "+x"(sum[3][1]), [upper4] "+x"(sum[4][0]),              \
        [lower4] "+x"(sum[4][1]), [upper5] "+x"(sum[5][0]), [lower5] "+x"(sum[5][1])

/// `rounds` times `in_a_row` steps, after which a and b have moved on by so many.
#define TENFOLD_ROUNDS(rounds, in_a_row, size, steps)                                              \
    __asm__("1:\n\t" steps                                                                         \
            "add $" in_a_row "*64, %[a]\n\t"                                                       \
            "add $" in_a_row "*6*" size ", %[b]\n\t"                                               \
            "sub $1, %[left]\n\t"                                                                  \
            "jne 1b"                                                                               \
            : TENFOLD_SUMS, [a] "+r"(a), [b] "+r"(b), [left] "+r"(rounds)                          \
            :                                                                                      \
            : "ymm0", "ymm1", "ymm2", "ymm3", "cc", "memory")

#define TENFOLD_ALL_STEPS(type, size)                                                              \
    if (fours > 0)                                                                                 \
        TENFOLD_ROUNDS(fours, "4", size,                                                           \
                       TENFOLD_STEP(type, size, "%[a]", "%[b]", 0)                                 \
                       TENFOLD_STEP(type, size, "%[a]", "%[b]", 1)                                 \
                       TENFOLD_STEP(type, size, "%[a]", "%[b]", 2)                                 \
                       TENFOLD_STEP(type, size, "%[a]", "%[b]", 3));                               \
    if (rest > 0)                                                                                  \
        TENFOLD_ROUNDS(rest, "1", size, TENFOLD_STEP(type, size, "%[a]", "%[b]", 0))

/// at.rounds times four steps with a line each of what follows in A and B, after which `at` has
/// moved on.
#define TENFOLD_FETCHING_ROUNDS(type, size)                                                        \
    __asm__("mov (%[at]), %%rax\n\t"                                                               \
            "mov 8(%[at]), %%rcx\n\t"                                                              \
            "mov 16(%[at]), %%rdx\n\t"                                                             \
            "mov 24(%[at]), %%rsi\n\t"                                                             \
            "mov 32(%[at]), %%rdi\n\t"                                                             \
            "mov 40(%[at]), %%r8\n\t"                                                              \
            "mov 48(%[at]), %%r9\n\t"                                                              \
            "1:\n\t"                                                                               \
            TENFOLD_STEP(type, size, "%%rax", "%%rcx", 0)                                          \
            TENFOLD_STEP(type, size, "%%rax", "%%rcx", 1)                                          \
            "prefetcht1 (%%rsi)\n\t"                                                               \
            "add %%r8, %%rsi\n\t"                                                                  \
            TENFOLD_STEP(type, size, "%%rax", "%%rcx", 2)                                          \
            TENFOLD_STEP(type, size, "%%rax", "%%rcx", 3)                                          \
            "prefetcht1 (%%rdi)\n\t"                                                               \
            "add %%r9, %%rdi\n\t"                                                                  \
            "add $4*64, %%rax\n\t"                                                                 \
            "add $4*6*" size ", %%rcx\n\t"                                                         \
            "sub $1, %%rdx\n\t"                                                                    \
            "jne 1b\n\t"                                                                           \
            "mov %%rax, (%[at])\n\t"                                                               \
            "mov %%rcx, 8(%[at])\n\t"                                                              \
            "mov %%rsi, 24(%[at])\n\t"                                                             \
            "mov %%rdi, 32(%[at])\n\t"                                                             \
            : TENFOLD_SUMS                                                                         \
            : [at] "r"(&at)                                                                        \
            : "ymm0", "ymm1", "ymm2", "ymm3", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "cc", \
              "memory")

// clang-format on

namespace {

/// Where the next steps of a tile are, and what is prefetched meanwhile: a line at each of next_a
/// and next_b in each round of four steps, from which these move on by at most a line, in bytes.
/// Assembly reads the members in this order.
struct step_place {
    const void *a, *b;
    int64_t rounds = 0;
    const char *next_a, *next_b; ///< where nothing follows, an address that can be looked up
    int64_t step_a, step_b;

    /// Prefetches at once what is more than that or lies in another run.
    [[gnu::always_inline]] explicit step_place(const micro_tile &t)
        : a(t.a), b(t.b), next_a(static_cast<const char *>(t.a)), next_b(next_a),
          step_a(spread(t.next_a, t.k / 4, next_a)), step_b(spread(t.next_b, t.k / 4, next_b)) {}

private:
    [[gnu::always_inline]] static int64_t spread(lines_ahead ahead, int64_t all_rounds,
                                                 const char *&from) {
        if (ahead.count == 0 || all_rounds == 0) {
            prefetch(ahead);
            return 0;
        }
        line_runs &runs = *ahead.of;
        constexpr int64_t line = line_runs::line;
        const int64_t in_run = ahead.count < runs.left ? ahead.count : runs.left;
        const int64_t lines = in_run < all_rounds ? in_run : all_rounds;
        from = runs.next;
        runs.next += (lines - 1) * line;
        runs.left -= lines - 1;
        runs.move_on();
        prefetch({&runs, ahead.count - lines});
        return (line * lines + all_rounds - 1) / all_rounds;
    }
};

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

/// The same; prefetches meanwhile.
template <class T> [[gnu::always_inline]] inline void
fetching_steps(int64_t k, step_place &at, typename simd<T>::wide (&sum)[6][2]) {
    at.rounds = k / 4;
    if (at.rounds > 0) {
        if constexpr (sizeof(T) == 8)
            TENFOLD_FETCHING_ROUNDS("d", "8");
        else
            TENFOLD_FETCHING_ROUNDS("s", "4");
    }
    const T *a = static_cast<const T *>(at.a);
    const T *b = static_cast<const T *>(at.b);
    assembled_steps<T>(k % 4, a, b, sum);
    at.a = a;
    at.b = b;
}

} // namespace

#undef TENFOLD_COLUMN
#undef TENFOLD_ELEMENT
#undef TENFOLD_STEP
#undef TENFOLD_SUMS
#undef TENFOLD_ROUNDS
#undef TENFOLD_FETCHING_ROUNDS
#undef TENFOLD_ALL_STEPS

#else

namespace {
template <int, int> constexpr bool steps_are_assembled = false;
struct step_place {
    explicit step_place(const micro_tile &) {}
};
} // namespace

#endif
