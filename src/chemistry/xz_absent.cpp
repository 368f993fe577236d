// In place of xz.cpp where there is no liblzma.
#include "chemistry/byte_source.hpp"

namespace tenfold::chemistry_impl {

std::unique_ptr<byte_source> open_xz(const std::shared_ptr<const base::input_file> &file) {
    cannot_unpack(file->name(), "xz", "liblzma (liblzma-dev)");
}

} // namespace tenfold::chemistry_impl
