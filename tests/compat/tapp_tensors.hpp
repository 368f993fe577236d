// Random tensors of TAPP's, of any type, and what a product should make of them: plain loops over
// labels, in f64, which is exact for the small integers that the tensors hold.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <tapp.h>
#include <tenfold/types.hpp>

#include "base/with_type.hpp"
#include "compat/numbers.hpp"
#include "support/random.hpp"

namespace tenfold::testing {

using label_positions = std::map<std::int64_t, std::int64_t>;

inline TAPP_datatype number_of(data_type type) {
    switch (type) {
    case data_type::f32:
        return TAPP_F32;
    case data_type::f64:
        return TAPP_F64;
    case data_type::c32:
        return TAPP_C32;
    case data_type::c64:
        return TAPP_C64;
    case data_type::f16:
        return TAPP_F16;
    case data_type::bf16:
        return TAPP_BF16;
    case data_type::i8:
    case data_type::u8:
    case data_type::i32:
        break; // TAPP has no integers
    }
    return -1;
}

/// A number with the type's bits. An imaginary part that the type lacks is left out.
inline void store(data_type type, std::complex<double> value, std::byte *at) {
    base::with_type(type, [&]<class T>(T made) {
        using real = typename element_traits<T>::real;
        if constexpr (element_traits<T>::is_complex)
            made = T(static_cast<real>(value.real()), static_cast<real>(value.imag()));
        else if constexpr (element_traits<T>::is_arithmetic)
            made = static_cast<T>(value.real());
        else // integers below 2^24 are exact in f32
            made = T(static_cast<float>(value.real()));
        std::memcpy(at, &made, sizeof made);
    });
}

inline std::complex<double> load(data_type type, const std::byte *at) {
    std::complex<double> value;
    base::with_type(type, [&]<class T>(T made) {
        std::memcpy(&made, at, sizeof made);
        if constexpr (element_traits<T>::is_arithmetic)
            value = std::complex<double>(made);
        else
            value = static_cast<double>(static_cast<float>(made));
    });
    return value;
}

/// A small integer that every type can hold, complex where the type is.
inline std::complex<double> small_value(data_type type, random_source &random) {
    const auto part = [&] { return static_cast<double>(random.integer(-5, 5)); };
    const double real = part();
    return {real, is_complex(type) ? part() : 0.0};
}

/// Elements in a buffer with gaps. Extents of labels are small.
struct random_tensor {
    data_type type{};
    std::vector<std::int64_t> idx, extents, strides;
    std::vector<std::byte> buffer;
    std::ptrdiff_t origin = 0; ///< in the buffer, of position 0, in elements
    bool conjugated = false;

    std::byte *data() { return buffer.data() + origin * size_of(type); }
    std::byte *at(const label_positions &where) {
        std::ptrdiff_t offset = 0;
        for (std::size_t mode = 0; mode < idx.size(); ++mode)
            offset += strides[mode] * where.at(idx[mode]);
        return data() + offset * size_of(type);
    }
    std::complex<double> read(const label_positions &where) {
        const std::complex<double> value = load(type, at(where));
        return conjugated ? std::conj(value) : value;
    }
    TAPP_element_op op() const { return conjugated ? TAPP_CONJUGATE : TAPP_IDENTITY; }
    std::string describe() const {
        std::ostringstream text;
        text << name(type) << (conjugated ? " conj" : "");
        for (std::size_t mode = 0; mode < idx.size(); ++mode)
            text << " (" << idx[mode] << ": " << extents[mode] << ", " << strides[mode] << ")";
        return text.str();
    }
};

/// Strides in any order of the modes, with gaps and either sign; if `may_repeat`, sometimes 0.
/// Modes of extent 1 have any stride.
inline void lay_out(random_tensor &tensor, bool may_repeat, random_source &random) {
    std::vector<std::size_t> order(tensor.extents.size());
    for (std::size_t mode = 0; mode < order.size(); ++mode)
        order[mode] = mode;
    random.shuffle(order);
    tensor.strides.assign(order.size(), 0);
    std::int64_t stride = random.integer(1, 2), lowest = 0, highest = 0;
    for (const std::size_t mode : order) {
        const std::int64_t extent = tensor.extents[mode];
        if (extent == 1) {
            tensor.strides[mode] = random.integer(-3, 3);
            continue;
        }
        if (may_repeat && random.chance(0.1))
            continue;
        tensor.strides[mode] = random.chance(0.25) ? -stride : stride;
        if (extent > 0)
            (tensor.strides[mode] < 0 ? lowest : highest) += (extent - 1) * tensor.strides[mode];
        stride = stride * std::max(extent, std::int64_t{1}) + (random.chance(0.3) ? 1 : 0);
    }
    tensor.origin = -lowest + random.integer(0, 2);
    const auto elements =
        static_cast<std::size_t>(tensor.origin + highest + 1 + random.integer(0, 2));
    tensor.buffer.resize(elements * static_cast<std::size_t>(size_of(tensor.type)));
}

/// Every element of the buffer, gaps included.
inline void fill(random_tensor &tensor, random_source &random) {
    for (std::size_t at = 0; at < tensor.buffer.size();
         at += static_cast<std::size_t>(size_of(tensor.type)))
        store(tensor.type, small_value(tensor.type, random), tensor.buffer.data() + at);
}

/// What is not read may hold anything.
inline void poison(random_tensor &tensor) {
    for (std::size_t at = 0; at < tensor.buffer.size();
         at += static_cast<std::size_t>(size_of(tensor.type)))
        store(tensor.type, std::numeric_limits<double>::quiet_NaN(), tensor.buffer.data() + at);
}

/// Calls work() at each position of the labels.
template <class Work>
void for_each_position(const label_positions &extents, label_positions &at, const Work &work) {
    std::vector<std::int64_t> labels;
    for (const auto &[label, extent] : extents) {
        if (extent == 0)
            return;
        at[label] = 0;
        labels.push_back(label);
    }
    for (;;) {
        work();
        std::size_t next = 0;
        for (; next < labels.size() && ++at[labels[next]] == extents.at(labels[next]); ++next)
            at[labels[next]] = 0;
        if (next == labels.size())
            return;
    }
}

} // namespace tenfold::testing
