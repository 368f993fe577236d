// Datasets of HDF5 files: f32, f64, f16, bf16, i8, u8, i32, and complex numbers of f32 and f64 as
// h5py writes them, compounds of `r` and `i`. HDF5 counts positions in C order, the last axis
// fastest. Axis i is mode i here, so elements are passed row-major. HDF5 reads files of any layout,
// byte order or compression; what is written is contiguous and in the machine's byte order.
//
// Functions throw tenfold::error and print nothing. `shown` is the file's name in messages, `path`
// the one that is opened.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tenfold/tensor_view.hpp>

namespace tenfold::hdf5_impl {

/// Throws errc::unsupported if the library was built without HDF5.
void require_hdf5();

/// Returns "/a/b" for "a/b", "//a/./b/" and so on. Throws errc::invalid_argument for names that
/// cannot be datasets: the root, a name with "..", a null or other control character.
std::string dataset_path(const std::string &name);

struct dataset_description {
    std::string path; ///< as dataset_path() returns it
    data_type type;
    extents_t extents;
};

/// A dataset of a file, and whether dataset_reader can read its element type.
struct listed_dataset {
    std::string path;
    bool is_readable;
};
/// Lists all datasets of a file, except those behind links to other files. Throws errc::io if the
/// file is damaged or not an HDF5 file.
std::vector<listed_dataset> datasets(const std::string &shown, const std::string &path);

/// A dataset that is open for reading, until destruction.
class dataset_reader {
public:
    /// Throws errc::io if the file is damaged or not an HDF5 file, or if the dataset has elements
    /// of another type; errc::invalid_argument if there is no such dataset.
    dataset_reader(std::string shown, const std::string &path, const std::string &dataset);
    ~dataset_reader();
    dataset_reader(dataset_reader &&) noexcept;
    dataset_reader &operator=(dataset_reader &&) noexcept;

    const dataset_description &description() const noexcept;
    /// Reads a box, row-major, in this dataset's type. Throws errc::io.
    void read(const extents_t &offsets, const extents_t &extents, void *elements) const;

private:
    struct open_dataset;
    std::unique_ptr<open_dataset> open_;
};

/// A new version of a file: with contiguous datasets whose elements are not initialised, and the
/// groups on their paths. Nothing is written to disk; write() passes on the content.
///
/// A dataset that the file at `path` already has keeps its place if it is contiguous and like the
/// new one, and is replaced otherwise; other objects do not change. The file may be missing or
/// empty.
class file_with_datasets {
public:
    /// Throws errc::io if the file cannot be read, is not an HDF5 file or is being written by
    /// another program; errc::invalid_argument if an object on a path has the wrong kind;
    /// errc::unsupported for too many modes.
    file_with_datasets(const std::string &shown, const std::string &path,
                       std::vector<dataset_description> datasets);
    ~file_with_datasets();
    file_with_datasets(const file_with_datasets &) = delete;
    file_with_datasets &operator=(const file_with_datasets &) = delete;

    /// Returns the size of the file in bytes.
    index_t size() const noexcept;
    /// Returns the offset in bytes of each dataset's elements, which are row-major; 0 for a dataset
    /// without elements.
    const std::vector<index_t> &places() const noexcept;
    /// Passes on everything except the datasets' elements and zeros, in pieces of at most 4 MiB; a
    /// later piece may overwrite parts of an earlier one. Throws errc::io, and what `put` throws.
    void
    write(const std::function<void(index_t offset, const void *data, index_t size)> &put) const;

private:
    struct content;
    std::unique_ptr<content> content_;
};

} // namespace tenfold::hdf5_impl
