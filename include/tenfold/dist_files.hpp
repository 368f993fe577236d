// Distributed tensors in files: checkpoints, NumPy's .npy, and HDF5. Link tenfold::dist.
//
// All ranks read and write, each a part of the file of its own, block by block: a rank holds one
// block and at most 64 MiB of messages each way, never a whole tensor. They must share a file
// system that shows all of them the same files under the same names (a node's own, Lustre, GPFS,
// NFS); where they do not, all get an error. Gathering on one rank would need no such file system,
// and would be as slow as that rank.
//
// A file is written beside its place, as FILE.saving, brought to the disk, and renamed: whenever
// the program or the machine stops, FILE is what it was before or complete. FILE.saving, which a
// killed program leaves, is removed by whoever saves FILE next. A FILE that is a link stays one.
//
// Everything here is collective, with the same arguments on all ranks but for the local parts of
// tensors. Errors are the same on all ranks, and none waits for another: errc::io for files that
// cannot be read or written, are damaged or are no such files, and what is said below. When saving
// throws, FILE is what it was (but where the message says that it is complete).
#pragma once

#include <string>
#include <variant>
#include <vector>

#include <tenfold/dist.hpp>

namespace tenfold {

/// A tensor in a file.
struct stored_tensor {
    std::string name; ///< empty in .npy files; a path such as "/group/T2" in HDF5 files
    data_type type;
    extents_t extents;

    friend bool operator==(const stored_tensor &, const stored_tensor &) = default;
};

struct file_options {
    /// The largest block, at least 16 bytes: what a rank holds at a time. A checkpoint has a
    /// checksum per block and is read by the blocks that it was written by.
    byte_count block = mib(4);
    /// Progress and a stop; null: none. Each rank may give its own or none. After a stop all ranks
    /// throw errc::stopped: a file that was to be written is what it was; tensors that were to be
    /// read are unspecified.
    const execution_control *control = nullptr;
};

/// A tensor to save and its name: at most 255 bytes, none a control character.
struct tensor_to_save {
    template <class T> tensor_to_save(std::string its_name, const dist_tensor<T> &what)
        : name(std::move(its_name)), tensor(&what) {}

    std::string name;
    template <class... T> using pointer = std::variant<const dist_tensor<T> *...>;
    list_of_arithmetic_types<pointer> tensor;
};
/// A tensor to load and the name that it was saved under.
struct tensor_to_load {
    template <class T> tensor_to_load(std::string its_name, dist_tensor<T> &what)
        : name(std::move(its_name)), tensor(&what) {}

    std::string name;
    template <class... T> using pointer = std::variant<dist_tensor<T> *...>;
    list_of_arithmetic_types<pointer> tensor;
};

/// Collective. Saves tensors of one world in one checkpoint:
///     save(everyone, "ccsd.checkpoint", {{"T1", T1}, {"T2", T2}});
/// docs/distribution.md describes the file, which says nothing of ranks and distributions. Throws
/// errc::invalid_argument for a name twice, a name or block size that is not allowed, tensors of
/// another world; errc::io; errc::out_of_memory.
void save(const world &world, const std::string &file, const std::vector<tensor_to_save> &tensors,
          const file_options &options = {});
/// One tensor, under the empty name.
template <class T>
void save(const std::string &file, const dist_tensor<T> &tensor, const file_options &options = {}) {
    save(tensor.owner(), file, {tensor_to_save("", tensor)}, options);
}

/// Collective. Loads tensors of a checkpoint, all or some, into tensors of the same types and
/// extents, on any number of ranks and with any distribution. Found before any tensor is written:
/// a file that is missing, not readable, no checkpoint, shorter or longer than its header says, or
/// whose header is damaged (errc::io); one of a newer version or of a machine with another order of
/// bytes (errc::unsupported); a name that is not there (errc::invalid_argument); another type or
/// other extents (errc::type_mismatch, order_mismatch, extent_mismatch). Damage to the data is
/// found block by block, by checksums, before the block is used; the tensors then hold some of the
/// file's elements and some of their former ones (errc::io). `control` (or null) is as in
/// file_options.
void load(const world &world, const std::string &file, const std::vector<tensor_to_load> &tensors,
          const execution_control *control = nullptr);
/// The tensor that was saved under the empty name.
template <class T> void load(const std::string &file, dist_tensor<T> &tensor,
                             const execution_control *control = nullptr) {
    load(tensor.owner(), file, {tensor_to_load("", tensor)}, control);
}

/// Collective. What a checkpoint holds, in the order in which it was saved. Reads and checks the
/// header only; throws as load() does.
std::vector<stored_tensor> stored_tensors(const world &world, const std::string &file);

/// Collective. Writes an .npy file (format 1.0, Fortran order: column-major): axis i is mode i.
template <class T> void save_npy(const std::string &file, const dist_tensor<T> &tensor,
                                 const file_options &options = {});

/// Collective. Reads an .npy file in C or Fortran order, of either order of bytes, format 1.0 to
/// 3.0, into a tensor of its shape: mode i is axis i. f4, f8, c8 and c16 are read into tensors of
/// their type; f2, integers and booleans into those of any type that holds every value exactly.
/// Throws errc::io where the file is missing, malformed, of another length than it says, or of
/// another type than these; errc::type_mismatch, order_mismatch, extent_mismatch where the tensor
/// is not like the array. All of these before the tensor is written, but for a value that the type
/// does not hold (errc::io), which leaves some of the file's elements in it; the format has no
/// checksums.
template <class T>
void load_npy(const std::string &file, dist_tensor<T> &tensor, const file_options &options = {});

/// Collective. Type and shape of the array in an .npy file (f16 and, of integers and booleans, f64
/// for those that other types may hold, too); throws as load_npy() does.
stored_tensor stored_npy(const world &world, const std::string &file);

// HDF5 files, where Tenfold was built with the library; errc::unsupported is thrown otherwise. Axis
// i of a dataset is mode i of the tensor. HDF5's order is C's, the last axis fastest, and that of
// tensors is Fortran's: elements are put in order on their way. Complex numbers are compounds of
// `r` and `i`, as h5py has them. Names are paths: "T2", "/T2" and "ccsd/T2"; the groups on the way
// are made. They may be longer than those of checkpoints.

/// Collective. Saves tensors of one world as contiguous datasets of one file:
///     save_hdf5(everyone, "ccsd.h5", {{"T1", T1}, {"ccsd/T2", T2}});
/// Other objects of a FILE that exists stay in it, and so do attributes of a dataset that is
/// replaced by one of its type and extents. All else is copied for that, by rank 0: FILE is
/// replaced at once or not at all here, too. Space of datasets that are replaced by unlike ones is
/// lost (h5repack finds it). Throws errc::invalid_argument for a name twice, one that names no
/// dataset or leads through something that is no group, a block size that is not allowed, tensors
/// of another world; errc::unsupported for more than 32 modes; errc::io, also for a FILE that is
/// not HDF5's; errc::out_of_memory.
void save_hdf5(const world &world, const std::string &file,
               const std::vector<tensor_to_save> &tensors, const file_options &options = {});
template <class T> void save_hdf5(const std::string &file, const std::string &dataset,
                                  const dist_tensor<T> &tensor, const file_options &options = {}) {
    save_hdf5(tensor.owner(), file, {tensor_to_save(dataset, tensor)}, options);
}

/// Collective. Loads datasets into tensors of their types and extents: f4 or f8 of either order of
/// bytes, or compounds of two such, r and i; contiguous, chunked, compressed, as the HDF5 library
/// reads them. Every rank reads boxes of at most a block. Throws errc::io where the file is
/// missing, no HDF5 file or damaged, or a dataset of another type than these;
/// errc::invalid_argument where there is no such dataset; errc::type_mismatch, order_mismatch,
/// extent_mismatch where a tensor is not like its dataset. All of these before any tensor is
/// written; damage that the library finds later (checksums are optional there) leaves some of the
/// file's elements in the tensors (errc::io).
void load_hdf5(const world &world, const std::string &file,
               const std::vector<tensor_to_load> &tensors, const file_options &options = {});
template <class T> void load_hdf5(const std::string &file, const std::string &dataset,
                                  dist_tensor<T> &tensor, const file_options &options = {}) {
    load_hdf5(tensor.owner(), file, {tensor_to_load(dataset, tensor)}, options);
}

/// Collective. Path, type and extents of a dataset; throws as load_hdf5() does.
stored_tensor stored_hdf5(const world &world, const std::string &file, const std::string &dataset);

} // namespace tenfold
