// Structs that begin with their size. A caller was compiled with a struct that may be shorter or
// longer than the library's: what it lacks has its default, 0, and what the library does not know
// must be 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include <tenfold/c/contract.h>
#include <tenfold/c/transpose.h>

#include "capi/errors.hpp"

namespace tenfold::capi_impl {

/// Bytes of a struct in the first version that had it. A struct that grows gets a line of its own.
template <class Struct> constexpr std::size_t first_size = sizeof(Struct);
template <> inline constexpr std::size_t
    first_size<tenfold_contract_options> = offsetof(tenfold_contract_options, path);
template <>
inline constexpr std::size_t first_size<tenfold_settings> = offsetof(tenfold_settings, log);
template <> inline constexpr std::size_t
    first_size<tenfold_transpose_options> = offsetof(tenfold_transpose_options, tuning_seconds);
template <> inline constexpr std::size_t
    first_size<tenfold_execute_options> = offsetof(tenfold_execute_options, epilogue_data);

template <class Struct> void require_size(const Struct &given, const char *what) {
    if (given.size < first_size<Struct>)
        refuse(std::string(what) + ": size is " + std::to_string(given.size) +
               ", but the struct has " + std::to_string(sizeof(Struct)) +
               " bytes; initialise it with TENFOLD_INIT");
}

/// What a caller gave, or all defaults for NULL. Throws errc::invalid_argument for a size that no
/// version had, and errc::unsupported for members that this version does not know.
template <class Struct> Struct taken(const Struct *given, const char *what) {
    if (given != nullptr && given->size == sizeof(Struct))
        return *given; // as most callers: no copy of a length that is known at run time only
    Struct own{};
    if (given == nullptr)
        return own;
    require_size(*given, what);
    std::memcpy(&own, given, std::min(given->size, sizeof(Struct)));
    if (given->size > sizeof(Struct)) {
        const auto *const bytes = reinterpret_cast<const unsigned char *>(given);
        if (std::any_of(bytes + sizeof(Struct), bytes + given->size,
                        [](unsigned char byte) { return byte != 0; }))
            throw error(errc::unsupported,
                        std::string(what) +
                            ": members are set that this version of Tenfold does not know");
    }
    return own;
}

/// Fills a caller's struct as far as it goes; its size stays. Throws errc::invalid_argument.
template <class Struct> void give(const Struct &own, Struct *to, const char *what) {
    require(to, what);
    require_size(*to, what);
    const std::size_t size = to->size;
    std::memcpy(to, &own, std::min(size, sizeof(Struct)));
    to->size = size;
}

} // namespace tenfold::capi_impl
