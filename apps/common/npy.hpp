// NumPy's .npy files as arrays in memory.
#pragma once

#include <optional>
#include <string>

#include "apps/common/host_array.hpp"
#include "tensor/npy.hpp"

namespace tenfold::apps_impl {

using tensor_impl::npy_header;
using tensor_impl::read_npy_header;

/// Reads the whole array as elements of `type`: mode i is axis i in either memory order. Throws
/// errc::io, and errc::type_mismatch if the file's elements cannot be converted.
host_array read_npy(const std::string &path, data_type type);

/// An .npy file from a pipe on standard input, which can be read only once, the header first.
class npy_input {
public:
    /// Its name in messages, and its file name on command lines.
    static constexpr const char *name = "standard input";
    static constexpr const char *file_name = "-";

    /// Reads the header at the first call.
    const npy_header &header();
    host_array read(data_type type);

private:
    void take(void *data, index_t size);
    /// Reads up to `size` bytes; fewer only at the end.
    index_t take_some(void *data, index_t size);

    std::optional<npy_header> header_;
    bool read_ = false;
};

/// Writes a dense array, column-major (fortran_order) or row-major as its layout says. Throws
/// errc::io.
void write_npy(const std::string &path, const host_array &array);

} // namespace tenfold::apps_impl
