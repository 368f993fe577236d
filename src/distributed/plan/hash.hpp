// A 64-bit hash of arguments, the same on every machine.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tenfold::dist_impl {

/// FNV-1a over what is added. Lengths are added too, so that "ab","c" and "a","bc" differ.
class hasher {
public:
    template <class T>
    requires(std::is_integral_v<T> || std::is_enum_v<T>) hasher &add(T value) noexcept {
        auto bits = static_cast<std::uint64_t>(value);
        for (int byte = 0; byte < 8; ++byte, bits >>= 8)
            add_byte(static_cast<unsigned char>(bits & 0xff));
        return *this;
    }
    hasher &add(double value) noexcept {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        return add(bits);
    }
    hasher &add(std::string_view text) noexcept {
        add(text.size());
        for (const char c : text)
            add_byte(static_cast<unsigned char>(c));
        return *this;
    }
    template <class T> hasher &add(const std::vector<T> &values) noexcept {
        add(values.size());
        for (const T &value : values)
            add(value);
        return *this;
    }
    std::uint64_t value() const noexcept { return state_; }

private:
    void add_byte(unsigned char byte) noexcept { state_ = (state_ ^ byte) * 1099511628211ULL; }

    std::uint64_t state_ = 14695981039346656037ULL;
};

} // namespace tenfold::dist_impl
