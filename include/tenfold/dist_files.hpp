// Distributed tensors in files: checkpoints, NumPy's .npy, and HDF5. Link tenfold::dist.
//
// All ranks read and write, each its own part of the file, block by block. A rank holds one block
// and at most 64 MiB of messages each way, never a whole tensor. All ranks must see the same files
// under the same names, on a node's local file system, Lustre, GPFS or NFS; otherwise all ranks
// throw an error. Gathering on one rank would need no shared file system, but would be as slow as
// that rank.
//
// A file is written as FILE.saving in the same folder, synchronised to disk, and renamed. If the
// program or the machine stops, FILE is unchanged or complete. A killed program leaves FILE.saving,
// and the next save to FILE removes it. If FILE is a symbolic link, it remains one.
//
// All functions here are collective. All ranks pass the same arguments, except for the local parts
// of tensors. All ranks throw the same error, and none is left waiting: errc::io for files that are
// damaged, have another format, or cannot be read or written, and the errors below. If saving
// throws, FILE is unchanged, unless the message says that it is complete.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include <tenfold/dist.hpp>
#include <tenfold/dist_types.hpp>

namespace [[gnu::visibility("default")]] tenfold {

/// A tensor in a file.
struct stored_tensor {
    std::string name; ///< empty in .npy files; a path such as "/group/T2" in HDF5 files
    data_type type;
    extents_t extents;

    friend bool operator==(const stored_tensor &, const stored_tensor &) = default;
};

struct file_options {
    /// The largest block, in bytes, at least 16: what a rank holds at a time. A checkpoint has a
    /// checksum per block and is read in the blocks in which it was written.
    byte_count block = mib(4);
    /// Reports progress and requests a stop; null: none. Each rank may pass its own or none. After
    /// a stop all ranks throw errc::stopped. A file that was being written keeps its former
    /// content; tensors that were being read are unspecified.
    const execution_control *control = nullptr;
};

/// A tensor to save, with a name of at most 255 bytes without control characters.
struct tensor_to_save {
    template <class T> tensor_to_save(std::string its_name, const dist_tensor<T> &what)
        : name(std::move(its_name)), tensor(&what) {}

    std::string name;
    template <class... T> using pointer = std::variant<const dist_tensor<T> *...>;
    list_of_distributed_types<pointer> tensor;
};
/// A tensor to load, with the name under which it was saved.
struct tensor_to_load {
    template <class T> tensor_to_load(std::string its_name, dist_tensor<T> &what)
        : name(std::move(its_name)), tensor(&what) {}

    std::string name;
    template <class... T> using pointer = std::variant<dist_tensor<T> *...>;
    list_of_distributed_types<pointer> tensor;
};

/// Collective. Saves tensors of one world in one checkpoint:
///     save(everyone, "ccsd.checkpoint", {{"T1", T1}, {"T2", T2}});
/// docs/distribution.md describes the file. It does not record ranks or distributions. Throws
/// errc::invalid_argument for a repeated name, an invalid name or block size, or a tensor of
/// another world; errc::io; errc::out_of_memory.
void save(const world &world, const std::string &file, const std::vector<tensor_to_save> &tensors,
          const file_options &options = {});
/// Saves one tensor under the empty name.
template <class T>
void save(const std::string &file, const dist_tensor<T> &tensor, const file_options &options = {}) {
    save(tensor.owner(), file, {tensor_to_save("", tensor)}, options);
}

/// Collective. Loads some or all tensors of a checkpoint into tensors of the same types and
/// extents, on any number of ranks and with any distribution. The following errors are thrown
/// before any tensor is written: errc::io for a file that is missing or not readable, is no
/// checkpoint, is shorter or longer than its header says, or has a damaged header;
/// errc::unsupported for a newer version or another byte order; errc::invalid_argument for a name
/// that is not in the file; errc::type_mismatch, order_mismatch or extent_mismatch for another type
/// or other extents. Checksums detect damaged data block by block, before a block is used; then the
/// tensors hold some elements of the file and some of their former ones (errc::io). `control` (or
/// null) is as in file_options.
void load(const world &world, const std::string &file, const std::vector<tensor_to_load> &tensors,
          const execution_control *control = nullptr);
/// Loads the tensor that was saved under the empty name.
template <class T> void load(const std::string &file, dist_tensor<T> &tensor,
                             const execution_control *control = nullptr) {
    load(tensor.owner(), file, {tensor_to_load("", tensor)}, control);
}

/// Collective. Lists the tensors of a checkpoint in the order in which they were saved. Reads and
/// checks the header only; throws as load() does.
std::vector<stored_tensor> stored_tensors(const world &world, const std::string &file);

/// Collective. Writes an .npy file (format 1.0, Fortran order, that is column-major): axis i is
/// mode i. NumPy has no bf16: it is written as the package ml_dtypes does, "<V2".
template <class T> [[gnu::visibility("default")]] void
save_npy(const std::string &file, const dist_tensor<T> &tensor, const file_options &options = {});

/// Collective. Reads an .npy file into a tensor of its shape: mode i is axis i. Accepts formats 1.0
/// to 3.0, C and Fortran order, and both byte orders. f4, f8, c8, c16 and V2, which is bf16, are
/// read into tensors of their own type; f2, integers and booleans into any type that holds every
/// value exactly. Throws errc::io if the file is missing, malformed, of another length than it
/// says, or of another element type than these; errc::type_mismatch, order_mismatch or
/// extent_mismatch if the tensor does not match the array. All of these are thrown before the
/// tensor is written, except for a value that the type cannot hold (errc::io): then the tensor
/// holds some elements of the file. The format has no checksums.
template <class T> [[gnu::visibility("default")]] void
load_npy(const std::string &file, dist_tensor<T> &tensor, const file_options &options = {});

/// Collective. Type and shape of the array in an .npy file. The type is f16 for f2, and f64 for
/// integers and booleans even if other types could hold them. Throws as load_npy() does.
stored_tensor stored_npy(const world &world, const std::string &file);

// HDF5 files. All functions throw errc::unsupported if Tenfold was built without the HDF5 library.
// Axis i of a dataset is mode i of the tensor. HDF5 stores the last axis fastest (C order) and
// tensors the first mode (Fortran order), so elements are reordered when they are read and written.
// Complex numbers are compounds of `r` and `i`, as in h5py. Names are paths: "T2", "/T2" and
// "ccsd/T2"; missing groups are created. Names may be longer than those of checkpoints.

/// Collective. Saves tensors of one world as contiguous datasets of one file:
///     save_hdf5(everyone, "ccsd.h5", {{"T1", T1}, {"ccsd/T2", T2}});
/// An existing FILE keeps its other objects, and a dataset keeps its attributes if it is replaced
/// by one of the same type and extents. Rank 0 copies everything else, because here too FILE is
/// replaced in one step or not at all. The space of datasets that are replaced by ones of another
/// type or other extents is lost until h5repack is run. Throws errc::invalid_argument for a
/// repeated name, a name that is no dataset or whose path leads through an object that is no group,
/// an invalid block size, or a tensor of another world; errc::unsupported for more than 32 modes
/// and for types other than f32, f64, c32 and c64;
/// errc::io, also if FILE exists and is not an HDF5 file; errc::out_of_memory.
void save_hdf5(const world &world, const std::string &file,
               const std::vector<tensor_to_save> &tensors, const file_options &options = {});
template <class T> void save_hdf5(const std::string &file, const std::string &dataset,
                                  const dist_tensor<T> &tensor, const file_options &options = {}) {
    save_hdf5(tensor.owner(), file, {tensor_to_save(dataset, tensor)}, options);
}

/// Collective. Loads datasets into tensors of the same types and extents. Datasets hold f4 or f8 of
/// either byte order, or compounds of two such, r and i; they may be contiguous, chunked or
/// compressed, as far as the HDF5 library reads them. Every rank reads boxes of at most one block.
/// Throws errc::io if the file is missing, damaged or not an HDF5 file, or if a dataset has another
/// element type; errc::invalid_argument if there is no such dataset; errc::type_mismatch,
/// order_mismatch or extent_mismatch if a tensor does not match its dataset. All of these are
/// thrown before any tensor is written. If the library detects damage later (checksums are optional
/// in HDF5), the tensors hold some elements of the file (errc::io).
void load_hdf5(const world &world, const std::string &file,
               const std::vector<tensor_to_load> &tensors, const file_options &options = {});
template <class T> void load_hdf5(const std::string &file, const std::string &dataset,
                                  dist_tensor<T> &tensor, const file_options &options = {}) {
    load_hdf5(tensor.owner(), file, {tensor_to_load(dataset, tensor)}, options);
}

/// Collective. Path, type and extents of a dataset. Throws as load_hdf5() does.
stored_tensor stored_hdf5(const world &world, const std::string &file, const std::string &dataset);

} // namespace tenfold
