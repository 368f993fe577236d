// In place of gzip.cpp where there is no zlib.
#include "chemistry/byte_source.hpp"

namespace tenfold::chemistry_impl {

std::unique_ptr<byte_source> open_gzip(const std::shared_ptr<const base::input_file> &file) {
    cannot_unpack(file->name(), "gzip", "zlib (zlib1g-dev)");
}

} // namespace tenfold::chemistry_impl
