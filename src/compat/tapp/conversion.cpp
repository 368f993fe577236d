#include "compat/tapp/conversion.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>

#include "compat/tapp/element_types.hpp"

namespace tenfold::tapp_impl {
namespace {

/// The float from which rounding to fewer bits gives what rounding `value` itself would: cut, with
/// the last bit set where anything was lost (rounding to odd, Boldo and Melquiond 2008).
float rounded_to_odd(double value) noexcept {
    const auto nearest = static_cast<float>(value);
    if (static_cast<double>(nearest) == value || std::isnan(value))
        return nearest;
    auto bits = std::bit_cast<std::uint32_t>(nearest);
    if (std::abs(static_cast<double>(nearest)) > std::abs(value))
        --bits; // towards 0, from infinity, too
    return std::bit_cast<float>(bits | 1U);
}

template <class To, class From> To converted(From value) noexcept {
    if constexpr (element_traits<To>::is_complex) {
        using real = typename element_traits<To>::real;
        if constexpr (element_traits<From>::is_complex)
            return To(static_cast<real>(value.real()), static_cast<real>(value.imag()));
        else
            return To(converted<real>(value));
    } else if constexpr (!element_traits<From>::is_arithmetic) {
        return static_cast<To>(static_cast<float>(value));
    } else if constexpr (element_traits<To>::is_arithmetic) {
        return static_cast<To>(value);
    } else if constexpr (sizeof(From) > sizeof(float)) {
        return To(rounded_to_odd(value));
    } else {
        return To(value);
    }
}

/// Complex to real does not occur, nor half precision to half precision.
template <class From, class To>
constexpr bool occurs = (!element_traits<From>::is_complex || element_traits<To>::is_complex) &&
                        (element_traits<From>::is_arithmetic || element_traits<To>::is_arithmetic);

template <class From, class To> void convert_row(const void *from, index_t stride_from, void *to,
                                                 index_t stride_to, index_t count) noexcept {
    const auto *const read = static_cast<const From *>(from);
    auto *const written = static_cast<To *>(to);
    if (stride_from == 1 && stride_to == 1) { // most rows; compilers vectorise this
        for (index_t i = 0; i < count; ++i)
            written[i] = converted<To>(read[i]);
        return;
    }
    for (index_t i = 0; i < count; ++i)
        written[i * stride_to] = converted<To>(read[i * stride_from]);
}

} // namespace

conversion::conversion(data_type from, data_type to, std::vector<conversion_loop> loops)
    : bytes_from_(size_of(from)), bytes_to_(size_of(to)), row_(row_for(from, to)),
      loops_(std::move(loops)) {
    if (loops_.empty())
        loops_.push_back({1, 0, 0});
}

conversion::row_function conversion::row_for(data_type from, data_type to) {
    return with_element_type(from, [&]<class From>(From) {
        return with_element_type(to, []<class To>(To) -> row_function {
            if constexpr (occurs<From, To>)
                return &convert_row<From, To>;
            else
                return nullptr;
        });
    });
}

void conversion::run(const void *from, void *to) const noexcept {
    run_loop(0, static_cast<const std::byte *>(from), static_cast<std::byte *>(to));
}

void conversion::run_loop(std::size_t loop, const std::byte *from, std::byte *to) const noexcept {
    const conversion_loop &mode = loops_[loop];
    if (loop + 1 == loops_.size()) {
        row_(from, mode.stride_from, to, mode.stride_to, mode.extent);
        return;
    }
    for (index_t i = 0; i < mode.extent; ++i)
        run_loop(loop + 1, from + i * mode.stride_from * bytes_from_,
                 to + i * mode.stride_to * bytes_to_);
}

} // namespace tenfold::tapp_impl
