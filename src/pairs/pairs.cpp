#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <tenfold/chem_pairs.hpp>

#include "base/pair_modes.hpp"

namespace tenfold::chem {
namespace {

/// The largest p with p (p + 1) / 2 <= place. The root of (2 p + 1)^2 is exact, so that rounding
/// can only make p too large.
index_t row_of(index_t place) noexcept {
    auto p = static_cast<index_t>((std::sqrt(8.0 * static_cast<double>(place) + 1) - 1) / 2);
    while (pair_count(p) > place)
        --p;
    return p;
}

/// What both directions go through: pairs of two modes of X, which are one mode of P; the modes
/// before them and behind them are the same in both.
class pair_walk {
public:
    pair_walk(const layout &x, const layout &packed, int mode, pair_kind kind)
        : kind_(kind), n_(x.extent(mode)), stride_p_(x.stride(mode)), stride_q_(x.stride(mode + 1)),
          stride_pair_(packed.stride(mode)) {
        for (int k = 0; k < packed.order(); ++k)
            if (k != mode)
                others_.push_back(
                    {packed.extent(k), x.stride(k < mode ? k : k + 1), packed.stride(k)});
        if (mode > 0) { // the innermost loop, along what is contiguous
            run_ = others_.front();
            others_.erase(others_.begin());
        }
        empty_ = packed.empty();
    }

    /// Calls `each(pq, qp, pair)` with the positions of X[p,q], X[q,p] and P[pq].
    template <class Each> void operator()(const Each &each) const {
        if (empty_)
            return;
        std::vector<index_t> at(others_.size(), 0);
        index_t x = 0;
        index_t packed = 0;
        for (;;) {
            pairs(x, packed, each);
            std::size_t k = 0;
            for (; k < at.size(); ++k) {
                x += others_[k].stride_x;
                packed += others_[k].stride_packed;
                if (++at[k] < others_[k].extent)
                    break;
                x -= at[k] * others_[k].stride_x;
                packed -= at[k] * others_[k].stride_packed;
                at[k] = 0;
            }
            if (k == at.size())
                return;
        }
    }

private:
    struct other_mode {
        index_t extent = 1;
        index_t stride_x = 0;
        index_t stride_packed = 0;
    };

    template <class Each> void pairs(index_t x, index_t packed, const Each &each) const {
        const index_t from = kind_ == pair_kind::symmetric ? 0 : 1;
        for (index_t p = 0; p < n_; ++p)
            for (index_t q = 0; q + from <= p; ++q, packed += stride_pair_) {
                const index_t pq = x + p * stride_p_ + q * stride_q_;
                const index_t qp = x + q * stride_p_ + p * stride_q_;
                for (index_t i = 0; i < run_.extent; ++i)
                    each(pq + i * run_.stride_x, qp + i * run_.stride_x,
                         packed + i * run_.stride_packed);
            }
    }

    pair_kind kind_;
    index_t n_;
    index_t stride_p_, stride_q_, stride_pair_;
    std::vector<other_mode> others_;
    other_mode run_;
    bool empty_;
};

/// The smallest upper bound so that pairs [begin, begin + count) have p < upper.
index_t upper_end(index_t begin, index_t count) noexcept { return row_of(begin + count - 1) + 1; }

/// The address of an element; positions of a part count from its offsets.
template <class T, std::size_t N>
T *address(const placed_block<T> &block, const std::array<index_t, N> &position) noexcept {
    index_t offset = 0;
    for (std::size_t mode = 0; mode < N; ++mode)
        offset += (position[mode] - block.offsets[mode]) * block.elements.shape().strides()[mode];
    return block.elements.data() + offset;
}

} // namespace

orbital_pair pair_at(index_t place) noexcept {
    const index_t p = row_of(place);
    return {p, place - pair_count(p)};
}

orbital_pair strict_pair_at(index_t place) noexcept {
    const auto [p, q] = pair_at(place);
    return {p + 1, q};
}

tensor<double> pack_pairs(const tensor_view<const double> &x, int mode, pair_kind kind) {
    tensor<double> packed(base::packed_extents(x.shape().extents(), mode, kind), uninitialized);
    const double *from = x.data();
    double *to = packed.data();
    const double sign = kind == pair_kind::symmetric ? 1 : -1;
    pair_walk(x.shape(), packed.shape(), mode, kind)(
        [=](index_t pq, index_t qp, index_t pair) { to[pair] = from[pq] + sign * from[qp]; });
    return packed;
}

void unpack_pairs(const tensor_view<const double> &packed, int mode, pair_kind kind,
                  const tensor_view<double> &x) {
    base::check_packed(packed.shape().extents(),
                       base::packed_extents(x.shape().extents(), mode, kind));
    const double *from = packed.data();
    double *to = x.data();
    const double sign = kind == pair_kind::symmetric ? 0.5 : -0.5;
    pair_walk(x.shape(), packed.shape(), mode, kind)([=](index_t pq, index_t qp, index_t pair) {
        to[pq] += 0.5 * from[pair];
        if (qp != pq)
            to[qp] += sign * from[pair];
    });
}

pair_box packed_from(const pair_box &of_matrices) {
    const extents_t &offsets = of_matrices.offsets;
    const extents_t &extents = of_matrices.extents;
    const index_t p_end = upper_end(offsets[0], extents[0]);
    const index_t r_begin = row_of(offsets[1]);
    const index_t r_end = upper_end(offsets[1], extents[1]);
    return {{0, 0, r_begin, 0}, {p_end, p_end, r_end - r_begin, r_end}};
}

pair_box unpacked_from(const pair_box &of_tensor) {
    pair_box result;
    for (const std::size_t mode : {std::size_t{0}, std::size_t{2}}) {
        // The pairs with one index in each of two ranges.
        const index_t first = of_tensor.offsets[mode];
        const index_t second = of_tensor.offsets[mode + 1];
        const index_t end =
            std::max(first + of_tensor.extents[mode], second + of_tensor.extents[mode + 1]);
        result.offsets.push_back(pair_index(first, second));
        result.extents.push_back(pair_count(end) - result.offsets.back());
    }
    return result;
}

void pack_pair_matrices(const placed_block<const double> &x, const placed_block<double> &plus,
                        const placed_block<double> &minus, bool half_diagonal) noexcept {
    const index_t across = x.elements.shape().strides()[1];
    const double diagonal = half_diagonal ? 0.5 : 1.0;
    const index_t rows = plus.elements.extent(0);
    orbital_pair column = pair_at(plus.offsets[1]);
    for (index_t j = 0; j < plus.elements.extent(1); ++j, advance(column)) {
        double *to_plus = plus.elements.data() + j * plus.elements.shape().strides()[1];
        double *to_minus = minus.elements.data() + j * minus.elements.shape().strides()[1];
        orbital_pair row = pair_at(plus.offsets[0]);
        for (index_t left = rows; left > 0;) {
            // A row p of the triangle, or this block's part: x[p,q] is strided, x[q,p] contiguous.
            const index_t run = std::min(left, row.p - row.q + 1);
            const double *far = address(x, std::array{row.p, row.q, column.p, column.q});
            const double *dense = address(x, std::array{row.q, row.p, column.p, column.q});
            for (index_t i = 0; i < run; ++i) {
                to_plus[i] = far[i * across] + dense[i];
                to_minus[i] = far[i * across] - dense[i];
            }
            if (row.q + run == row.p + 1)
                to_plus[run - 1] *= diagonal; // minus is 0 on the diagonal
            to_plus += run;
            to_minus += run;
            left -= run;
            row.q += run - 1;
            advance(row);
        }
    }
}

void unpack_pair_matrices(const placed_block<const double> &plus,
                          const placed_block<const double> &minus,
                          const placed_block<double> &x) noexcept {
    const extents_t &strides = x.elements.shape().strides();
    const auto end = [&](std::size_t mode) {
        return x.offsets[mode] + x.elements.shape().extents()[mode];
    };
    for (index_t s = x.offsets[3]; s < end(3); ++s)
        for (index_t r = x.offsets[2]; r < end(2); ++r) {
            const index_t column = pair_index(r, s);
            const double flipped = r >= s ? 0.5 : -0.5;
            for (index_t q = x.offsets[1]; q < end(1); ++q) {
                index_t p = x.offsets[0];
                double *out = address(x, std::array{p, q, r, s});
                const index_t middle = std::min(std::max(p, q), end(0));
                if (p < middle) { // p < q: the pairs (q, p) are contiguous
                    const double *u = address(plus, std::array{pair_index(q, p), column});
                    const double *w = address(minus, std::array{pair_index(q, p), column});
                    for (; p < middle; ++p, out += strides[0])
                        *out += 0.5 * *u++ - flipped * *w++;
                }
                for (; p < end(0); ++p, out += strides[0]) {
                    const std::array at{pair_index(p, q), column};
                    *out += 0.5 * *address(plus, at) + flipped * *address(minus, at);
                }
            }
        }
}

} // namespace tenfold::chem
