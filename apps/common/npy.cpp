#include "apps/npy.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <tenfold/error.hpp>

namespace tenfold::apps_impl {
namespace {

[[noreturn]] void reject(const std::string &path, const std::string &problem) {
    throw error(errc::io, "'" + path + "': " + problem);
}

} // namespace

host_array read_npy(const std::string &path) {
    const base::input_file file(path);
    const npy_header header = read_npy_header(file);
    host_array array(header.type,
                     header.fortran_order ? layout(header.shape) : layout::row_major(header.shape));
    file.read(header.data_offset, array.data(), array.size().value);
    return array;
}

void write_npy(const std::string &path, const host_array &array) {
    const layout &shape = array.shape();
    // Where both orders are the same, numpy says False.
    const bool fortran_order = shape.order() > 1 && shape == layout(shape.extents()) &&
                               shape != layout::row_major(shape.extents());
    const std::string header =
        tensor_impl::npy_header_bytes(array.type(), shape.extents(), fortran_order);
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    if (!file)
        reject(path, std::string("cannot be created: ") + std::strerror(errno));
    file.write(header.data(), static_cast<std::streamsize>(header.size()));
    file.write(reinterpret_cast<const char *>(array.data()), array.size().value);
    file.close();
    if (!file)
        reject(path, std::string("cannot be written: ") + std::strerror(errno));
}

} // namespace tenfold::apps_impl
