// What ranks need of all of them: slices of tensors, and lists of any lengths.
#ifndef TENFOLD_C_DISTRIBUTED_GATHER_H
#define TENFOLD_C_DISTRIBUTED_GATHER_H

#include <tenfold/c/distributed/tensor.h>

TENFOLD_BEGIN_C

/// Collective. Every rank reads the same slice into an array of its own, which `to` and `data`
/// describe as those of tenfold_dist_read(); `to` is not NULL here. It does what that function does
/// with one agreement instead of three. A rank receives what it lacks of the slice. Codes of
/// tenfold_dist_read(), and DISAGREEMENT for different slices.
tenfold_error tenfold_dist_gather_slice(const tenfold_dist_tensor *tensor, const int64_t *offsets,
                                        const tenfold_tensor *to, void *data);

/// Items that a rank got from others, one after the other. It does not change.
typedef struct tenfold_item_list tenfold_item_list;

/// NULL is ignored.
void tenfold_item_list_destroy(tenfold_item_list *list);
/// Local. Where the items are, and their number. They live as long as the list, and may be of any
/// type in C. *items is NULL if there are none.
tenfold_error tenfold_item_list_get(const tenfold_item_list *list, const void **items,
                                    int64_t *count);

// Items are sent as their bytes; `item_bytes`, which is 1 or more, is the same on all ranks. *all
// and *mine are NULL unless TENFOLD_OK is returned, and must be destroyed. Codes:
// TENFOLD_INVALID_ARGUMENT (a root that is no rank, a negative count), OVERFLOW, OUT_OF_MEMORY,
// DISAGREEMENT.

/// Collective. Gives `root` the items of all ranks, each of which passes any number of them: those
/// of rank 0, then those of rank 1, and so on. Other ranks get a list without items. The root needs
/// memory for the items twice.
tenfold_error tenfold_gather_lists(const tenfold_world *world, size_t item_bytes, const void *items,
                                   int64_t count, int32_t root, tenfold_item_list **all);
/// Collective. The same for every rank.
tenfold_error tenfold_all_gather_lists(const tenfold_world *world, size_t item_bytes,
                                       const void *items, int64_t count, tenfold_item_list **all);
/// Collective. The reverse of tenfold_gather_lists(): the first counts[0] of the root's items go to
/// rank 0, the next counts[1] to rank 1, and so on. `counts` has a number for each rank. Other
/// ranks' `items` and `counts` are not used.
tenfold_error tenfold_scatter_lists(const tenfold_world *world, size_t item_bytes,
                                    const void *items, const int64_t *counts, int32_t root,
                                    tenfold_item_list **mine);

TENFOLD_END_C

#endif
