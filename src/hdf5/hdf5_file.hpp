// Datasets of HDF5 files: f32, f64, and complex numbers as h5py writes them, compounds of `r` and
// `i`. HDF5 counts positions in C order, the last axis fastest; axis i is mode i here, so that
// elements are passed row-major. Files of other kinds of layout, order of bytes or compression are
// read as HDF5 itself reads them; what is written is contiguous, in the machine's order of bytes.
//
// Throws tenfold::error; prints nothing. `shown` is the file's name in messages, `path` the one
// that is opened.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tenfold/tensor_view.hpp>

namespace tenfold::hdf5_impl {

/// Throws errc::unsupported where the library was built without HDF5.
void require_hdf5();

/// "/a/b" for "a/b", "//a/./b/" and so on. Throws errc::invalid_argument for what names no dataset:
/// the root, a name with "..", a null or other control character.
std::string dataset_path(const std::string &name);

struct dataset_description {
    std::string path; ///< as dataset_path() gives it
    data_type type;
    extents_t extents;
};

/// A dataset of a file, and whether its elements are of a type that dataset_reader reads.
struct listed_dataset {
    std::string path;
    bool is_readable;
};
/// All of a file but those behind links to other files. Throws errc::io for a file that is none of
/// HDF5's or damaged.
std::vector<listed_dataset> datasets(const std::string &shown, const std::string &path);

/// A dataset that is open for reading, until destruction.
class dataset_reader {
public:
    /// Throws errc::io where the file is none of HDF5's, is damaged, or where the dataset has
    /// elements of another type; errc::invalid_argument where there is no such dataset.
    dataset_reader(std::string shown, const std::string &path, const std::string &dataset);
    ~dataset_reader();
    dataset_reader(dataset_reader &&) noexcept;
    dataset_reader &operator=(dataset_reader &&) noexcept;

    const dataset_description &description() const noexcept;
    /// A box, row-major, of this dataset's type. Throws errc::io.
    void read(const extents_t &offsets, const extents_t &extents, void *elements) const;

private:
    struct open_dataset;
    std::unique_ptr<open_dataset> open_;
};

/// A file as it is to become: with contiguous datasets whose elements are not initialised, and the
/// groups on their paths. Nothing is written but what write() passes on.
///
/// A dataset that the file at `path` has already keeps its place if it is contiguous and like the
/// new one, and is replaced otherwise; other objects stay as they are. The file may be missing or
/// empty.
class file_with_datasets {
public:
    /// Throws errc::io where the file cannot be read, is none of HDF5's or is being written by
    /// another program; errc::invalid_argument where a path leads to or through something that is
    /// no dataset or group; errc::unsupported for too many modes.
    file_with_datasets(const std::string &shown, const std::string &path,
                       std::vector<dataset_description> datasets);
    ~file_with_datasets();
    file_with_datasets(const file_with_datasets &) = delete;
    file_with_datasets &operator=(const file_with_datasets &) = delete;

    /// Bytes of the file.
    index_t size() const noexcept;
    /// Where each dataset's elements are, row-major: the bytes before them in the file; 0 for those
    /// without elements.
    const std::vector<index_t> &places() const noexcept;
    /// All but the elements of the datasets and zeros, in pieces of 4 MiB at most; a later one may
    /// overwrite parts of others. Throws errc::io, and what `put` throws.
    void
    write(const std::function<void(index_t offset, const void *data, index_t size)> &put) const;

private:
    struct content;
    std::unique_ptr<content> content_;
};

} // namespace tenfold::hdf5_impl
