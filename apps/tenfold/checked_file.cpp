#include "apps/tenfold/checked_file.hpp"

#include <algorithm>
#include <array>

#include <tenfold/error.hpp>
#include <tenfold/tensor_view.hpp>

#include "apps/common/npy.hpp"
#include "base/input_file.hpp"
#include "distributed/plan/file_blocks.hpp"
#include "distributed/plan/slice.hpp"
#include "hdf5/hdf5_file.hpp"

namespace tenfold::apps_impl {
namespace {

using base::input_file;
using hdf5_impl::dataset_reader;

constexpr byte_count piece = mib(4);

bool starts_with(const input_file &file, index_t offset, std::string_view wanted) {
    std::string found(wanted.size(), '\0');
    const auto size = static_cast<index_t>(wanted.size());
    return file.read_some(offset, found.data(), size) == size && found == wanted;
}

/// The signature of HDF5 stands at offset 0 or, after a user block, at 512, 1024, 2048, ...
bool is_hdf5(const input_file &file) {
    for (index_t offset = 0; offset < file.size(); offset = offset == 0 ? 512 : 2 * offset)
        if (starts_with(file, offset, "\x89HDF\r\n\x1a\n"))
            return true;
    return false;
}

checked_tensor check_npy(const input_file &file) {
    const npy_header header = read_npy_header(file);
    const index_t elements = layout(header.shape).size();
    const auto read = [&](index_t offset, void *data, index_t size) {
        file.read(offset, data, size);
    };
    // Any bits are a valid number, but not a valid boolean: booleans are converted to f64, which
    // checks them.
    const index_t size = std::max(header.element.size, index_t{8});
    std::vector<char> memory(static_cast<std::size_t>(piece.value));
    for (index_t first = 0; first < elements;) {
        const index_t count = std::min(elements - first, piece.value / size);
        if (header.element.what == tensor_impl::npy_element::kind::boolean)
            tensor_impl::read_npy_elements(file.name(), header, first, count, data_type::f64,
                                           memory.data(), read);
        else
            read(header.data_offset + first * header.element.size, memory.data(),
                 count * header.element.size);
        first += count;
    }
    return {"", header.element.name(), header.shape, header.fortran_order,
            elements * header.element.size};
}

checked_tensor check_dataset(const dataset_reader &dataset) {
    const auto &[path, type, extents] = dataset.description();
    const dist_impl::file_blocks blocks(extents, true, piece.value / size_of(type));
    std::vector<char> memory(static_cast<std::size_t>(blocks.largest() * size_of(type)));
    for (index_t block = 0; block < blocks.count(); ++block) {
        const slice box = blocks.box(block);
        dataset.read(box.offsets, box.extents, memory.data());
    }
    return {path, std::string(tenfold::name(type)), extents, false,
            storage_bytes(layout(extents), type).value};
}

std::vector<checked_tensor> check_hdf5(const input_file &file, const std::string &dataset) {
    const std::string path = "/proc/self/fd/" + std::to_string(file.descriptor());
    if (!dataset.empty())
        return {check_dataset({file.name(), path, dataset})};
    std::vector<checked_tensor> found;
    for (const auto &[its_path, readable] : hdf5_impl::datasets(file.name(), path))
        found.push_back(readable ? check_dataset({file.name(), path, its_path})
                                 : checked_tensor{its_path, "", {}, false, 0});
    return found;
}

} // namespace

const char *name(file_format format) noexcept {
    constexpr std::array<const char *, 3> names = {"npy", "hdf5", "checkpoint"};
    return names[static_cast<std::size_t>(format)];
}

file_format format_of(const std::string &name) {
    const input_file file(name);
    if (starts_with(file, 0, "\x93NUMPY"))
        return file_format::npy;
    if (starts_with(file, 0, "\x89TFCP"))
        return file_format::checkpoint;
    if (is_hdf5(file))
        return file_format::hdf5;
    file.fail("is no .npy file, no HDF5 file and no checkpoint");
}

std::vector<checked_tensor> check_file(const array_name &name) {
    const file_format format = format_of(name.file);
    const input_file file(name.file);
    if (!name.dataset.empty() && format != file_format::hdf5)
        file.fail("is not an HDF5 file");
    switch (format) {
    case file_format::npy:
        return {check_npy(file)};
    case file_format::hdf5:
        return check_hdf5(file, name.dataset);
    case file_format::checkpoint:
        return check_checkpoint(name.file);
    }
    __builtin_unreachable();
}

} // namespace tenfold::apps_impl
