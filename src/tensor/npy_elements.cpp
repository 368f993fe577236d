#include "tensor/npy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/with_any_type.hpp"

namespace tenfold::tensor_impl {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "little-endian data is read as it lies");

using kind = npy_element::kind;

template <class T> constexpr bool is_complex_number = false;
template <class T> constexpr bool is_complex_number<std::complex<T>> = true;

struct boolean {
    std::uint8_t byte;
};

/// Calls action with a value of the type in which an element lies in memory.
template <class Action> auto with_stored_type(npy_element element, Action &&action) {
    switch (element.what) {
    case kind::boolean:
        return action(boolean{});
    case kind::integer:
        return element.size == 1   ? action(std::int8_t{})
               : element.size == 2 ? action(std::int16_t{})
               : element.size == 4 ? action(std::int32_t{})
                                   : action(std::int64_t{});
    case kind::unsigned_integer:
        return element.size == 1   ? action(std::uint8_t{})
               : element.size == 2 ? action(std::uint16_t{})
               : element.size == 4 ? action(std::uint32_t{})
                                   : action(std::uint64_t{});
    case kind::real:
    case kind::complex:
    case kind::bfloat:
        return base::with_type(element.type(), std::forward<Action>(action));
    }
    __builtin_unreachable();
}

template <class S> S load(const char *stored, bool big_endian) noexcept {
    std::array<char, sizeof(S)> bytes;
    std::memcpy(bytes.data(), stored, sizeof(S));
    if (big_endian) {
        constexpr std::size_t part = is_complex_number<S> ? sizeof(S) / 2 : sizeof(S);
        for (std::size_t begin = 0; begin < sizeof(S); begin += part)
            std::reverse(bytes.data() + begin, bytes.data() + begin + part);
    }
    S value;
    std::memcpy(&value, bytes.data(), sizeof(S));
    return value;
}

/// The exact value of a real number; 64 bits of significand hold every integer.
static_assert(std::numeric_limits<long double>::digits >= 64);
template <class S> long double exact(S value) noexcept {
    if constexpr (std::is_same_v<S, f16> || std::is_same_v<S, bf16>)
        return static_cast<float>(value);
    else
        return static_cast<long double>(value);
}

/// Sets `element` to `value`; returns false if T cannot represent it.
template <class T, class S> bool becomes(S value, T &element) noexcept {
    if constexpr (is_complex_number<T>) {
        typename T::value_type real{};
        const bool fits = becomes(value, real);
        element = real;
        return fits;
    } else if constexpr (element_traits<T>::is_integer) {
        if constexpr (std::integral<S>) {
            element = static_cast<T>(value);
            return std::in_range<T>(value);
        }
        return false; // callers do not ask for other conversions
    } else if constexpr (std::is_same_v<T, double>) {
        element = static_cast<double>(exact(value));
        return exact(element) == exact(value) || std::isnan(element);
    } else {
        const auto single = static_cast<float>(exact(value)); // rounds at most once ..
        element = T(single);
        return exact(element) == exact(value) || std::isnan(single); // .. or not at all
    }
}

template <class S, class T>
index_t convert_all(npy_element element, const char *stored, index_t count, T *elements) noexcept {
    for (index_t i = 0; i < count; ++i) {
        const S value = load<S>(stored + i * element.size, element.big_endian);
        bool fits = true;
        if constexpr (std::is_same_v<S, T>) {
            elements[i] = value;
        } else if constexpr (std::is_same_v<S, boolean>) {
            fits = value.byte <= 1 && becomes(value.byte, elements[i]);
        } else if constexpr (std::integral<S> || std::is_same_v<S, f16>) {
            fits = becomes(value, elements[i]);
        } else {
            fits = false; // callers do not ask for other conversions
        }
        if (!fits)
            return i;
    }
    return count;
}

} // namespace

std::optional<npy_element> npy_element::parse(std::string_view descr) {
    npy_element element;
    if (!descr.empty() && std::string_view("<>=|").find(descr.front()) != std::string_view::npos) {
        element.big_endian = descr.front() == '>';
        descr.remove_prefix(1);
    }
    struct known {
        std::string_view descr;
        kind what;
        index_t size;
    };
    static constexpr std::array<known, 16> all = {{{"b1", kind::boolean, 1},
                                                   {"?", kind::boolean, 1},
                                                   {"i1", kind::integer, 1},
                                                   {"i2", kind::integer, 2},
                                                   {"i4", kind::integer, 4},
                                                   {"i8", kind::integer, 8},
                                                   {"u1", kind::unsigned_integer, 1},
                                                   {"u2", kind::unsigned_integer, 2},
                                                   {"u4", kind::unsigned_integer, 4},
                                                   {"u8", kind::unsigned_integer, 8},
                                                   {"f2", kind::real, 2},
                                                   {"f4", kind::real, 4},
                                                   {"f8", kind::real, 8},
                                                   {"V2", kind::bfloat, 2},
                                                   {"c8", kind::complex, 8},
                                                   {"c16", kind::complex, 16}}};
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const known &one) { return one.descr == descr; });
    if (found == all.end())
        return std::nullopt;
    element.what = found->what;
    element.size = found->size;
    if (element.size == 1)
        element.big_endian = false;
    return element;
}

npy_element npy_element::of(data_type type) noexcept {
    const kind what = base::with_any_type(type, []<class T>(T) {
        return std::is_same_v<T, bf16>          ? kind::bfloat
               : element_traits<T>::is_complex  ? kind::complex
               : !element_traits<T>::is_integer ? kind::real
               : std::is_signed_v<T>            ? kind::integer
                                                : kind::unsigned_integer;
    });
    return {what, size_of(type), false};
}

std::string npy_element::descr() const {
    constexpr std::string_view letters = "biufcV"; // in the order of kinds
    return (size == 1    ? "|"
            : big_endian ? ">"
                         : "<") +
           std::string(1, letters[static_cast<std::size_t>(what)]) + std::to_string(size);
}

std::string npy_element::name() const {
    const std::string bits = std::to_string(8 * size);
    switch (what) {
    case kind::boolean:
        return "bool";
    case kind::integer:
        return "int" + bits;
    case kind::unsigned_integer:
        return "uint" + bits;
    case kind::real:
        return "float" + bits;
    case kind::complex:
        return "complex" + bits;
    case kind::bfloat:
        return "bfloat" + bits;
    }
    __builtin_unreachable();
}

data_type npy_element::type() const noexcept {
    if (is_float())
        for (const data_type type : all_data_types)
            if (of(type).what == what && size_of(type) == size)
                return type;
    return data_type::f64;
}

bool npy_element::adapts() const noexcept {
    return !is_float() || (what == kind::real && size == 2);
}

bool npy_element::becomes(data_type other) const noexcept {
    if (is_integer(other))
        return !is_float();
    return adapts() || type() == other;
}

bool npy_element::is_stored_as(data_type other) const noexcept {
    if (is_integer(other))
        return *this == of(other);
    return !big_endian && is_float() && type() == other;
}

index_t convert(npy_element element, const void *stored, index_t count, data_type type,
                void *elements) noexcept {
    return with_stored_type(element, [&]<class S>(S) {
        return base::with_any_type(type, [&]<class T>(T) {
            return convert_all<S>(element, static_cast<const char *>(stored), count,
                                  static_cast<T *>(elements));
        });
    });
}

std::string value_text(npy_element element, const void *stored) {
    return with_stored_type(element, [&]<class S>(S) -> std::string {
        const S value = load<S>(static_cast<const char *>(stored), element.big_endian);
        if constexpr (std::is_same_v<S, boolean>)
            return std::to_string(value.byte);
        else if constexpr (std::integral<S>)
            return std::to_string(value);
        else if constexpr (std::is_same_v<S, f16>)
            return std::to_string(static_cast<float>(value));
        else
            return "a number of its own type";
    });
}

} // namespace tenfold::tensor_impl
