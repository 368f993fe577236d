// Distributed tensors in files: checkpoints, NumPy's .npy, HDF5. <tenfold/dist_files.hpp> says how
// files are written and what is checked; all ranks must see the same files under the same names.
//
// All functions here but those on lists are collective. If saving fails, the file is unchanged,
// unless the message says that it is complete. If loading fails, no tensor is written, unless
// damage was found in the data itself.
#ifndef TENFOLD_C_DISTRIBUTED_FILES_H
#define TENFOLD_C_DISTRIBUTED_FILES_H

#include <tenfold/c/control.h>
#include <tenfold/c/distributed/tensor.h>

TENFOLD_BEGIN_C

typedef struct tenfold_file_options {
    size_t size;
    int64_t block_bytes; ///< what a rank holds at a time, at least 16; 0: 4 MiB
    /// Each rank may pass its own or none. After a stop all ranks return TENFOLD_STOPPED.
    const tenfold_control *control;
} tenfold_file_options;

/// A tensor and its name in a file. This struct keeps its form.
typedef struct tenfold_named_tensor {
    const char *name;
    tenfold_dist_tensor *tensor; ///< is only read where it is saved
} tenfold_named_tensor;

/// Collective. Saves tensors of one world in one checkpoint, which any number of ranks can load.
/// Names have at most 255 bytes. Codes: TENFOLD_INVALID_ARGUMENT (a repeated or invalid name, a
/// block size, a tensor of another world), IO, OUT_OF_MEMORY, STOPPED, DISAGREEMENT.
tenfold_error tenfold_dist_save(const tenfold_world *world, const char *file,
                                const tenfold_named_tensor *tensors, int32_t count,
                                const tenfold_file_options *options);
/// Collective. Loads some or all tensors of a checkpoint into tensors of the same types and
/// extents, of any distribution. options->block_bytes is not used. Codes: TENFOLD_IO, UNSUPPORTED
/// (a newer version or another byte order), INVALID_ARGUMENT (a name that is not in the file),
/// TYPE_MISMATCH, ORDER_MISMATCH, EXTENT_MISMATCH.
tenfold_error tenfold_dist_load(const tenfold_world *world, const char *file,
                                const tenfold_named_tensor *tensors, int32_t count,
                                const tenfold_file_options *options);

/// Collective. An .npy file: axis i is mode i.
tenfold_error tenfold_dist_save_npy(const char *file, const tenfold_dist_tensor *tensor,
                                    const tenfold_file_options *options);
tenfold_error tenfold_dist_load_npy(const char *file, tenfold_dist_tensor *tensor,
                                    const tenfold_file_options *options);

/// Collective. Datasets of an HDF5 file; names are paths, as "ccsd/T2". TENFOLD_UNSUPPORTED in a
/// build without the HDF5 library.
tenfold_error tenfold_dist_save_hdf5(const tenfold_world *world, const char *file,
                                     const tenfold_named_tensor *tensors, int32_t count,
                                     const tenfold_file_options *options);
tenfold_error tenfold_dist_load_hdf5(const tenfold_world *world, const char *file,
                                     const tenfold_named_tensor *tensors, int32_t count,
                                     const tenfold_file_options *options);

/// What a file holds.
typedef struct tenfold_stored_list tenfold_stored_list;
/// A tensor in a file. Text and array live as long as the list.
typedef struct tenfold_stored_tensor {
    size_t size;
    const char *name; ///< "" in .npy files
    tenfold_type type;
    int32_t order;
    const int64_t *extents;
} tenfold_stored_tensor;

/// Collective. The tensors of a checkpoint, in the order in which they were saved. *list is NULL
/// unless TENFOLD_OK is returned.
tenfold_error tenfold_dist_stored(const tenfold_world *world, const char *file,
                                  tenfold_stored_list **list);
/// Collective. The array of an .npy file, as a list of one.
tenfold_error tenfold_dist_stored_npy(const tenfold_world *world, const char *file,
                                      tenfold_stored_list **list);
/// Collective. One dataset of an HDF5 file, as a list of one.
tenfold_error tenfold_dist_stored_hdf5(const tenfold_world *world, const char *file,
                                       const char *dataset, tenfold_stored_list **list);
tenfold_error tenfold_stored_count(const tenfold_stored_list *list, int32_t *count);
/// Number `index`, from 0. Set stored->size before. TENFOLD_INVALID_ARGUMENT out of range.
tenfold_error tenfold_stored_get(const tenfold_stored_list *list, int32_t index,
                                 tenfold_stored_tensor *stored);
/// NULL is ignored.
void tenfold_stored_destroy(tenfold_stored_list *list);

TENFOLD_END_C

#endif
