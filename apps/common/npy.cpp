#include "apps/common/npy.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include <unistd.h>

#include <tenfold/error.hpp>

#include "apps/common/files.hpp"
#include "apps/common/program.hpp"
#include "base/work.hpp"

namespace tenfold::apps_impl {
namespace {

host_array make_array(const npy_header &header, data_type type) {
    return {type, header.fortran_order ? layout(header.shape) : layout::row_major(header.shape)};
}

} // namespace

host_array read_npy(const std::string &path, data_type type) {
    const base::input_file file(path);
    const npy_header header = read_npy_header(file);
    host_array array = make_array(header, type);
    tensor_impl::read_npy_elements(
        path, header, 0, array.shape().size(), type, array.data(),
        [&](index_t offset, void *data, index_t size) {
            const base::work_part part(static_cast<double>(size) /
                                       static_cast<double>(file.size() - header.data_offset));
            base::move_in_pieces(size, [&](index_t begin, index_t piece) {
                file.read(offset + begin, static_cast<char *>(data) + begin, piece);
            });
        });
    return array;
}

index_t npy_input::take_some(void *data, index_t size) {
    index_t done = 0;
    while (done < size) {
        const ssize_t now = ::read(STDIN_FILENO, static_cast<char *>(data) + done,
                                   static_cast<std::size_t>(size - done));
        if (now < 0 && errno == EINTR)
            continue;
        if (now < 0)
            reject(name, std::string("cannot be read: ") + std::strerror(errno));
        if (now == 0)
            break;
        done += now;
    }
    return done;
}

void npy_input::take(void *data, index_t size) {
    const index_t there = take_some(data, size);
    if (there < size)
        reject(name, "truncated: it ends " + std::to_string(size - there) + " bytes too early");
}

const npy_header &npy_input::header() {
    if (header_)
        return *header_;
    if (isatty(STDIN_FILENO) != 0)
        throw usage_error("standard input is a terminal: expected an .npy file from a pipe");
    std::string bytes(static_cast<std::size_t>(tensor_impl::npy_prefix_size), '\0');
    bytes.resize(static_cast<std::size_t>(take_some(bytes.data(), tensor_impl::npy_prefix_size)));
    const index_t size = tensor_impl::npy_header_size(name, bytes, std::nullopt);
    const auto begin = static_cast<index_t>(bytes.size());
    if (size < begin)
        reject(name, "malformed .npy header: it is too short");
    bytes.resize(static_cast<std::size_t>(size));
    take(bytes.data() + begin, size - begin);
    return header_.emplace(tensor_impl::parse_npy_header(name, bytes, std::nullopt));
}

host_array npy_input::read(data_type type) {
    const npy_header &its_header = header();
    if (std::exchange(read_, true))
        reject(name, "can be read once only");
    host_array array = make_array(its_header, type);
    tensor_impl::read_npy_elements(name, its_header, 0, array.shape().size(), type, array.data(),
                                   [&](index_t, void *data, index_t size) { take(data, size); });
    char more = 0;
    if (take_some(&more, 1) > 0)
        reject(name, "too long: bytes follow the array's " + std::to_string(array.shape().size()) +
                         " elements");
    return array;
}

void write_npy(const std::string &path, const host_array &array) {
    const layout &shape = array.shape();
    // numpy writes False if both orders are the same.
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
