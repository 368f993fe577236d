// What the arguments of HPTT's interface mean: how A and B lie. Mode k of B is mode perm[k]
// of A.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <tenfold/operand.hpp>

namespace tenfold::hptt_impl {

/// Arguments as HPTT's functions take them; arrays have one number per mode.
struct arguments {
    const int *perm;
    int dim;
    const int *size_a;
    const int *outer_size_a; ///< null: size_a
    const int *outer_size_b; ///< null: the sizes of B
    bool row_major;
};

/// How A and B lie, as arrays of its own. Those of few modes need no allocation, so that repeated
/// calls with small tensors cost little.
class shapes {
public:
    /// Throws tenfold::error: errc::invalid_argument (no modes, a null pointer, not a permutation),
    /// errc::extent_mismatch (an outer size less than the size), errc::overflow.
    explicit shapes(const arguments &given);
    shapes(const shapes &) = delete;
    shapes &operator=(const shapes &) = delete;

    layout_arrays a() const noexcept { return tensor(0); }
    layout_arrays b() const noexcept { return tensor(1); }

private:
    static constexpr std::size_t few_modes = 8;

    /// The extents of A, its strides, the extents of B, its strides.
    index_t *numbers() noexcept { return many_.empty() ? few_.data() : many_.data(); }
    const index_t *numbers() const noexcept { return many_.empty() ? few_.data() : many_.data(); }
    layout_arrays tensor(std::size_t which) const noexcept {
        const index_t *const extents = numbers() + 2 * which * order_;
        return {{extents, order_}, extents + order_};
    }

    std::size_t order_;
    std::array<index_t, 4 * few_modes> few_; ///< not set beyond 4 * order_
    std::vector<index_t> many_;              ///< all, if few_ is too small
};

struct layouts {
    layout a, b;
};

/// Throws as shapes does, and errc::invalid_argument for a negative size.
layouts make_layouts(const arguments &given);

} // namespace tenfold::hptt_impl
