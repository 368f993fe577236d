// Hashes of results, bit for bit: FNV-1a of 64 bits.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <tenfold/tensor_view.hpp>

namespace tenfold::testing {

class bits_hash {
public:
    void add(const void *data, std::size_t size) noexcept {
        const auto *const bytes = static_cast<const unsigned char *>(data);
        for (std::size_t i = 0; i < size; ++i)
            value_ = (value_ ^ bytes[i]) * std::uint64_t{1099511628211U};
    }
    void add(std::string_view text) noexcept { add(text.data(), text.size()); }

    /// Adds the layout's elements, mode 0 fastest, but no bytes between them.
    void add_elements(const void *origin, index_t element_size, const layout &shape) {
        if (shape.empty())
            return;
        const auto *const bytes = static_cast<const char *>(origin);
        extents_t at(static_cast<std::size_t>(shape.order()), 0);
        while (true) {
            add(bytes + shape.offset_of(at) * element_size, static_cast<std::size_t>(element_size));
            std::size_t mode = 0;
            while (mode < at.size() && ++at[mode] == shape.extent(static_cast<int>(mode)))
                at[mode++] = 0;
            if (mode == at.size())
                return;
        }
    }

    std::uint64_t value() const noexcept { return value_; }
    /// Returns 16 digits.
    std::string text() const {
        char digits[17];
        std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(value_));
        return digits;
    }

private:
    std::uint64_t value_ = 14695981039346656037U;
};

} // namespace tenfold::testing
