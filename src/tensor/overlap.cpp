// Overlap is a bounded linear Diophantine problem: two positions share an element if sum(c_k x_k)
// equals a target for some 0 <= x_k <= u_k. It is NP-hard in general. For nested strides, each at
// least as large as the reach of all smaller ones together, every step leaves at most two values to
// try. NumPy's solve_may_share_memory solves the same problem in a similar way.
#include "tensor/overlap.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

namespace tenfold::tensor_impl {
namespace {

struct term {
    wide coefficient; ///< made positive
    wide bound;       ///< the unknown lies in [0, bound]
};

/// Decides whether sum(c_k x_k) reaches [target - slack, target]. The slack accounts for the bytes
/// within elements. The largest coefficients are tried first. Terms are on the stack, because plans
/// check overlap during execution and must not allocate then.
class equation {
public:
    explicit equation(wide target, wide slack = 0) noexcept : target_(target), slack_(slack) {}

    /// Adds coefficient * x with low <= x <= high to the left side.
    void add(wide coefficient, wide low, wide high) noexcept {
        target_ -= coefficient * low;
        const wide bound = high - low;
        if (bound == 0 || coefficient == 0)
            return;
        if (coefficient < 0) { // x' = bound - x
            target_ -= coefficient * bound;
            coefficient = -coefficient;
        }
        // Terms with equal coefficients are merged: c x + c y = c (x + y), and x + y takes every
        // value up to the sum of the bounds. Compared tensors often have strides in common.
        for (std::size_t k = 0; k < count_; ++k)
            if (terms_[k].coefficient == coefficient) {
                terms_[k].bound += bound;
                return;
            }
        if (count_ == terms_.size())
            too_large_ = true;
        else
            terms_[count_++] = {coefficient, bound};
    }

    /// True if there is a solution, or if the search would take too long.
    bool solvable() noexcept {
        if (too_large_)
            return true;
        std::sort(terms_.begin(), terms_.begin() + static_cast<std::ptrdiff_t>(count_),
                  [](const term &a, const term &b) { return a.coefficient > b.coefficient; });
        reach_[count_] = 0;
        divisor_[count_] = 0;
        for (std::size_t k = count_; k-- > 0;) {
            reach_[k] = reach_[k + 1] + terms_[k].coefficient * terms_[k].bound;
            divisor_[k] = greatest_common_divisor(terms_[k].coefficient, divisor_[k + 1]);
        }
        steps_left_ = 1'000'000;
        return search(0, target_);
    }

private:
    static constexpr std::size_t capacity = 128;

    static wide greatest_common_divisor(wide a, wide b) noexcept {
        while (b != 0) {
            const wide rest = a % b;
            a = b;
            b = rest;
        }
        return a;
    }

    /// Whether terms k and above reach [rest - slack, rest].
    bool search(std::size_t k, wide rest) noexcept {
        if (rest < 0 || rest - slack_ > reach_[k])
            return false;
        if (rest <= slack_) // all unknowns 0
            return true;
        if (rest % divisor_[k] > slack_)
            return false;
        const wide c = terms_[k].coefficient;
        const wide least = std::max<wide>(0, (rest - slack_ - reach_[k + 1] + c - 1) / c);
        const wide most = std::min(terms_[k].bound, rest / c);
        for (wide x = most; x >= least; --x)
            if (--steps_left_ < 0 || search(k + 1, rest - c * x))
                return true;
        return false;
    }

    std::array<term, capacity> terms_{};
    std::array<wide, capacity + 1> reach_{};   ///< largest sum of terms k and above
    std::array<wide, capacity + 1> divisor_{}; ///< gcd of coefficients k and above
    std::size_t count_ = 0;
    wide target_;
    wide slack_;
    bool too_large_ = false;
    std::int64_t steps_left_ = 0;
};

} // namespace

bool overlaps_itself(const extents_t &extents, const extents_t &strides) {
    if (std::find(extents.begin(), extents.end(), 0) != extents.end())
        return false;
    struct mode {
        index_t extent, stride;
    };
    std::vector<mode> modes;
    for (std::size_t k = 0; k < extents.size(); ++k) {
        if (extents[k] > 1)
            modes.push_back({extents[k], std::abs(strides[k])});
    }
    std::sort(modes.begin(), modes.end(),
              [](const mode &a, const mode &b) { return a.stride < b.stride; });

    bool nested = true;
    wide reach = 0;
    for (const mode &m : modes) {
        nested = nested && m.stride > reach;
        reach += wide{m.stride} * (m.extent - 1);
    }
    if (nested)
        return false;

    // The difference of two positions: in the first mode that differs, it is at least 1.
    for (std::size_t first = 0; first < modes.size(); ++first) {
        equation difference(0);
        difference.add(modes[first].stride, 1, modes[first].extent - 1);
        for (std::size_t k = first + 1; k < modes.size(); ++k)
            difference.add(modes[k].stride, 1 - modes[k].extent, modes[k].extent - 1);
        if (difference.solvable())
            return true;
    }
    return false;
}

byte_range bytes_of(const layout &shape, index_t element_size) noexcept {
    if (shape.empty())
        return {};
    return {wide{shape.lowest()} * element_size, (wide{shape.highest()} + 1) * element_size};
}

bool share_memory(const placement &one, const placement &other) noexcept {
    if (are_apart(one.data, bytes_of(*one.shape, one.element_size), other.data,
                  bytes_of(*other.shape, other.element_size)))
        return false;

    // Byte i of one element coincides with byte j of another if position(one) - position(other), in
    // bytes, is j - i, which lies between 1 - size(one) and size(other) - 1.
    const wide distance = wide{reinterpret_cast<std::intptr_t>(other.data)} -
                          wide{reinterpret_cast<std::intptr_t>(one.data)};
    equation meeting(distance + other.element_size - 1, one.element_size + other.element_size - 2);
    for (int k = 0; k < one.shape->order(); ++k)
        meeting.add(wide{one.shape->stride(k)} * one.element_size, 0, one.shape->extent(k) - 1);
    for (int k = 0; k < other.shape->order(); ++k)
        meeting.add(-wide{other.shape->stride(k)} * other.element_size, 0,
                    other.shape->extent(k) - 1);
    return meeting.solvable();
}

} // namespace tenfold::tensor_impl
