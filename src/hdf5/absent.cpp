// The functions of this module in a build without the HDF5 library: they throw.
#include <tenfold/error.hpp>

#include "hdf5/hdf5_file.hpp"

namespace tenfold::hdf5_impl {
namespace {

[[noreturn]] void refuse() {
    throw error(errc::unsupported, "this build of Tenfold cannot read or write HDF5 files: the "
                                   "library (libhdf5-dev) was not there when it was configured");
}

} // namespace

struct dataset_reader::open_dataset {
    dataset_description description;
};

void require_hdf5() { refuse(); }

std::vector<listed_dataset> datasets(const std::string &, const std::string &) { refuse(); }

dataset_reader::dataset_reader(std::string, const std::string &, const std::string &) { refuse(); }
dataset_reader::~dataset_reader() = default;
dataset_reader::dataset_reader(dataset_reader &&) noexcept = default;
dataset_reader &dataset_reader::operator=(dataset_reader &&) noexcept = default;
const dataset_description &dataset_reader::description() const noexcept {
    return open_->description;
}
void dataset_reader::read(const extents_t &, const extents_t &, void *) const { refuse(); }

struct file_with_datasets::content {
    std::vector<index_t> places;
};

file_with_datasets::file_with_datasets(const std::string &, const std::string &,
                                       std::vector<dataset_description>) {
    refuse();
}
file_with_datasets::~file_with_datasets() = default;
index_t file_with_datasets::size() const noexcept { return 0; }
const std::vector<index_t> &file_with_datasets::places() const noexcept { return content_->places; }
void file_with_datasets::write(const std::function<void(index_t, const void *, index_t)> &) const {
    refuse();
}

} // namespace tenfold::hdf5_impl
