// Shared by the recordings: hashes, the compilers for which they are valid, and the machines they
// are made for.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include <tenfold/context.hpp>
#include <tenfold/tensor_view.hpp>

namespace tenfold::testing {

/// A hash of results, bit for bit: FNV-1a of 64 bits.
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

/// Returns why this build must not be compared with the file; empty if it may be. The file's line
/// "# built with: .." names compiler, major version and flags, which decide which sums of products
/// are fused.
std::string reason_not_to_compare(const std::string &file);

/// Returns a context of narrow_machine() with this instruction set and number of threads, the same
/// one at every call; null if this processor cannot run it. Environment variables have no effect.
const context *recorded_context(isa set, int threads);

/// The hash of many cases. With TENFOLD_TEST_EACH=1 each case is printed, so that `diff` of the
/// outputs of two builds shows the cases that differ.
class group_hash {
public:
    explicit group_hash(std::string name);

    /// `describe()` describes the case; it is called only if cases are printed.
    template <class Describe> void add(int number, const bits_hash &one, const Describe &describe) {
        if (prints_)
            print(number, one, describe());
        all_.add(one.text());
    }
    std::string text() const { return all_.text(); }

private:
    void print(int number, const bits_hash &one, const std::string &description) const;

    std::string name_;
    bool prints_;
    bits_hash all_;
};

} // namespace tenfold::testing
