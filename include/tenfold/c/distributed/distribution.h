// Distributions: which rank owns which part of a tensor. Local values; nothing here is collective.
#ifndef TENFOLD_C_DISTRIBUTED_DISTRIBUTION_H
#define TENFOLD_C_DISTRIBUTED_DISTRIBUTION_H

#include <tenfold/c/error.h>

TENFOLD_BEGIN_C

/// A grid that cuts mode k of extent N into p = grid[k] blocks; block i is
/// [floor(i N / p), floor((i + 1) N / p)). A tensor may be kept in several equal copies, each of
/// them cut by the same grid and on ranks of its own. It does not change. See
/// tenfold::distribution.
typedef struct tenfold_distribution tenfold_distribution;

/// Cell c of the grid (mode 0 fastest) belongs to rank_of_cell[c], or to rank c if rank_of_cell is
/// NULL. `extents` and `grid` have `order` entries. *distribution is NULL unless TENFOLD_OK is
/// returned. TENFOLD_INVALID_ARGUMENT: a negative extent, a factor below 1, more cells than ranks,
/// a rank out of range or used twice; TENFOLD_OVERFLOW, OUT_OF_MEMORY.
tenfold_error tenfold_distribution_create(int32_t order, const int64_t *extents,
                                          const int32_t *grid, int32_t ranks,
                                          const int32_t *rank_of_cell,
                                          tenfold_distribution **distribution);
/// The default: the grid of at most `ranks` cells whose largest block is smallest; see
/// tenfold::distribution::block().
tenfold_error tenfold_distribution_create_block(int32_t order, const int64_t *extents,
                                                int32_t ranks, tenfold_distribution **distribution);
/// The whole tensor on one rank.
tenfold_error tenfold_distribution_create_on_rank(int32_t order, const int64_t *extents,
                                                  int32_t ranks, int32_t rank,
                                                  tenfold_distribution **distribution);
/// As many copies, each cut as tenfold_distribution_create_block() cuts for ranks / copies ranks;
/// with as many copies as ranks, every rank has the whole tensor. TENFOLD_INVALID_ARGUMENT unless
/// 1 <= copies <= ranks.
tenfold_error tenfold_distribution_create_replicated(int32_t order, const int64_t *extents,
                                                     int32_t ranks, int32_t copies,
                                                     tenfold_distribution **distribution);
/// NULL is ignored. Tensors and plans do not need it any longer.
void tenfold_distribution_destroy(tenfold_distribution *distribution);

/// What a distribution consists of. Arrays of one that was described live as long as it.
typedef struct tenfold_distribution_parts {
    size_t size;
    int32_t order;
    int32_t ranks;
    int32_t cells;          ///< of the grid: the product of its factors
    const int64_t *extents; ///< `order` of them
    const int32_t *grid;    ///< `order` factors
    /// cells * copies of them: cell c of copy i (mode 0 fastest) is number i * cells + c.
    const int32_t *rank_of_cell;
    int32_t copies;
} tenfold_distribution_parts;

/// The distribution of these parts, which tenfold_distribution_describe() gives back. `cells` is
/// not read, copies 0 means 1, and rank_of_cell NULL that cell c of copy i belongs to rank i *
/// cells + c. Codes of tenfold_distribution_create(), and TENFOLD_INVALID_ARGUMENT for a negative
/// number of copies.
tenfold_error tenfold_distribution_create_from_parts(const tenfold_distribution_parts *parts,
                                                     tenfold_distribution **distribution);

/// Set parts->size before.
tenfold_error tenfold_distribution_describe(const tenfold_distribution *distribution,
                                            tenfold_distribution_parts *parts);
/// "extents (48, 36), grid 2x3 on 8 ranks"; copies are told if there are several. The text lives as
/// long as the distribution.
tenfold_error tenfold_distribution_text(const tenfold_distribution *distribution,
                                        const char **text);
/// The block of a rank: `order` offsets and extents. A rank that owns nothing has extents of 0;
/// of order 0, *elements tells: it is 0 or 1 then. Each of the three may be NULL.
/// TENFOLD_INVALID_ARGUMENT for a rank out of range.
tenfold_error tenfold_distribution_block(const tenfold_distribution *distribution, int32_t rank,
                                         int64_t *offsets, int64_t *extents, int64_t *elements);
/// The rank that owns the element at a position, in the first copy. TENFOLD_INVALID_ARGUMENT
/// outside the tensor.
tenfold_error tenfold_distribution_owner(const tenfold_distribution *distribution,
                                         const int64_t *position, int32_t *rank);
/// The cell of a rank, and the copy that it is part of, from 0; -1 for a rank that has none. Either
/// may be NULL. TENFOLD_INVALID_ARGUMENT for a rank out of range.
tenfold_error tenfold_distribution_cell(const tenfold_distribution *distribution, int32_t rank,
                                        int32_t *cell, int32_t *copy);
/// The number of elements of the largest block.
tenfold_error tenfold_distribution_largest_block(const tenfold_distribution *distribution,
                                                 int64_t *elements);
/// *equal is 1 if the two say the same of every rank, else 0.
tenfold_error tenfold_distribution_equal(const tenfold_distribution *one,
                                         const tenfold_distribution *other, int32_t *equal);

TENFOLD_END_C

#endif
