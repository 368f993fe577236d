// Random tensors of TBLIS's, and what its operations should make of them: plain loops over labels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tblis/tblis.h>

#include "compat/numbers.hpp"
#include "support/random.hpp"

namespace tenfold::testing {

using positions = std::map<char, std::ptrdiff_t>;

/// Elements in a buffer with gaps, lengths, strides and labels.
template <class T> struct labelled_tensor {
    std::string labels;
    std::vector<tblis::len_type> lengths;
    std::vector<tblis::stride_type> strides;
    std::vector<T> buffer;
    std::ptrdiff_t origin = 0; ///< of the buffer's element at position 0
    T factor{1};
    bool conjugate = false;

    tblis::tblis_tensor view() {
        tblis::tblis_tensor made;
        init(made);
        made.conj = conjugate;
        return made;
    }
    T *data() { return buffer.data() + origin; }

    /// Distinct labels of modes that are longer than 1, or of length 0, with their lengths.
    std::map<char, std::ptrdiff_t> extents() const {
        std::map<char, std::ptrdiff_t> found;
        for (std::size_t mode = 0; mode < labels.size(); ++mode)
            if (lengths[mode] != 1)
                found[labels[mode]] = lengths[mode];
        return found;
    }
    /// Relative to the origin.
    std::ptrdiff_t offset(const positions &at) const {
        std::ptrdiff_t sum = 0;
        for (std::size_t mode = 0; mode < labels.size(); ++mode)
            if (lengths[mode] != 1)
                sum += strides[mode] * at.at(labels[mode]);
        return sum;
    }
    const T &at(const positions &where) const {
        return buffer[static_cast<std::size_t>(origin + offset(where))];
    }
    T &at(const positions &where) {
        return buffer[static_cast<std::size_t>(origin + offset(where))];
    }
    T read(const positions &where) const { return conjugated_if(conjugate, at(where)); }

private:
    void init(tblis::tblis_tensor &made) {
        const auto order = static_cast<unsigned>(labels.size());
        if constexpr (std::is_same_v<T, float>)
            tblis::tblis_init_tensor_scaled_s(&made, factor, order, lengths.data(), data(),
                                              strides.data());
        else if constexpr (std::is_same_v<T, double>)
            tblis::tblis_init_tensor_scaled_d(&made, factor, order, lengths.data(), data(),
                                              strides.data());
        else if constexpr (std::is_same_v<T, c32>)
            tblis::tblis_init_tensor_scaled_c(&made, factor, order, lengths.data(), data(),
                                              strides.data());
        else
            tblis::tblis_init_tensor_scaled_z(&made, factor, order, lengths.data(), data(),
                                              strides.data());
    }
};

/// Calls visit for every position of labels with these extents; once if there are none.
template <class Visit>
void for_each_position(const std::map<char, std::ptrdiff_t> &extents, positions &at, Visit visit) {
    std::vector<std::pair<char, std::ptrdiff_t>> loops(extents.begin(), extents.end());
    for (const auto &[label, extent] : loops) {
        if (extent == 0)
            return;
        at[label] = 0;
    }
    for (;;) {
        visit();
        std::size_t loop = 0;
        while (loop < loops.size() && ++at[loops[loop].first] == loops[loop].second)
            at[loops[loop++].first] = 0;
        if (loop == loops.size())
            return;
    }
}

/// The labels of `all` that `without` lacks.
inline std::map<char, std::ptrdiff_t> less(std::map<char, std::ptrdiff_t> all,
                                           const std::map<char, std::ptrdiff_t> &without) {
    for (const auto &[label, extent] : without)
        all.erase(label);
    return all;
}

/// Fills in strides of any order and sign, with gaps, and small numbers; gaps are NaN, or 77 where
/// the tensor is written. Inputs may have strides of 0.
template <class T> void fill(labelled_tensor<T> &tensor, random_source &random, bool is_written) {
    const std::size_t order = tensor.labels.size();
    std::vector<std::size_t> modes(order);
    for (std::size_t mode = 0; mode < order; ++mode)
        modes[mode] = mode;
    random.shuffle(modes);
    tensor.strides.assign(order, 0);
    std::ptrdiff_t step = random.chance(0.2) ? random.integer(1, 3) : 1, lowest = 0, highest = 0;
    for (const std::size_t mode : modes) {
        const std::ptrdiff_t length = tensor.lengths[mode];
        if (!is_written && random.chance(0.05))
            continue;
        tensor.strides[mode] = random.chance(0.15) ? -step : step;
        const std::ptrdiff_t reach = length > 1 ? (length - 1) * tensor.strides[mode] : 0;
        (reach < 0 ? lowest : highest) += reach;
        step *=
            std::max<std::ptrdiff_t>(1, length) + (random.chance(0.2) ? random.integer(1, 2) : 0);
    }
    tensor.origin = -lowest + random.integer(0, 3);
    tensor.buffer.assign(static_cast<std::size_t>(tensor.origin + highest + random.integer(1, 4)),
                         is_written ? T(77) : not_a_number<T>());
    positions at;
    // Off the diagonals, too: nothing there may be written.
    labelled_tensor<T> whole = tensor;
    for (std::size_t mode = 0; mode < order; ++mode)
        whole.labels[mode] = static_cast<char>('A' + mode);
    for_each_position(whole.extents(), at, [&] {
        tensor.buffer[static_cast<std::size_t>(tensor.origin + whole.offset(at))] =
            small_number<T>(random);
    });
    tensor.factor = small_factor<T>(random);
    tensor.conjugate = random.chance(0.4);
}

} // namespace tenfold::testing
