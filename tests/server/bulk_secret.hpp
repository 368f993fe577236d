// A secret and elements in the forms that transfers of bulk data take.
#pragma once

#include <span>
#include <string>

#include "apps/server/bulk_frame.hpp"

namespace tenfold::server {

inline const std::string secret(secret_bytes, '5');
inline std::span<const unsigned char, secret_bytes> wire_form(const std::string &text) {
    return std::span<const unsigned char, secret_bytes>(
        reinterpret_cast<const unsigned char *>(text.data()), secret_bytes);
}
inline const unsigned char *bytes_of(const double *values) {
    return reinterpret_cast<const unsigned char *>(values);
}

} // namespace tenfold::server
