// Overlap is a bounded linear Diophantine problem: two positions meet where sum(c_k x_k) = target
// with 0 <= x_k <= u_k. It is NP-hard in general, but for strides that nest (each at least the
// reach of all smaller ones together) every step leaves at most two values to try. numpy's
// solve_may_share_memory treats the same problem in the same spirit.
#include "tensor/overlap.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

namespace tenfold::tensor_impl {
namespace {

__extension__ using wide = __int128; // byte positions times extents, without a thought of overflow

struct term {
    wide coefficient; ///< made positive
    wide bound;       ///< the unknown lies in [0, bound]
};

/// Terms kept on the stack: checks run when plans execute, where nothing may be allocated.
class equation {
  public:
    /// Adds coefficient * x, low <= x <= high, to the left side.
    void add(wide coefficient, wide low, wide high) noexcept {
        target_ -= coefficient * low;
        const wide bound = high - low;
        if (bound == 0 || coefficient == 0)
            return;
        if (coefficient < 0) { // x' = bound - x
            target_ -= coefficient * bound;
            coefficient = -coefficient;
        }
        if (count_ == terms_.size())
            too_large_ = true;
        else
            terms_[count_++] = {coefficient, bound};
    }
    void add_to_target(wide value) noexcept { target_ += value; }

    /// True if a solution exists, or if the search would take too long to tell.
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

    bool search(std::size_t k, wide rest) noexcept {
        if (rest < 0 || rest > reach_[k])
            return false;
        if (k == count_ || rest == 0)
            return rest == 0;
        if (rest % divisor_[k] != 0)
            return false;
        const wide c = terms_[k].coefficient;
        const wide least = rest > reach_[k + 1] ? (rest - reach_[k + 1] + c - 1) / c : 0;
        const wide most = std::min(terms_[k].bound, rest / c);
        for (wide x = most; x >= least; --x) {
            if (--steps_left_ < 0)
                return true;
            if (search(k + 1, rest - c * x))
                return true;
        }
        return false;
    }

    std::array<term, capacity> terms_{};
    std::array<wide, capacity + 1> reach_{};   ///< most that terms k.. can sum to
    std::array<wide, capacity + 1> divisor_{}; ///< of all coefficients k..
    std::size_t count_ = 0;
    wide target_ = 0;
    bool too_large_ = false;
    std::int64_t steps_left_ = 0;
};

struct address_range {
    std::uintptr_t begin, end;
};

address_range range_of(const placement &where) noexcept {
    const auto base = reinterpret_cast<std::uintptr_t>(where.data);
    return {base + static_cast<std::uintptr_t>(where.shape->lowest() * where.element_size),
            base + static_cast<std::uintptr_t>((where.shape->highest() + 1) * where.element_size)};
}

} // namespace

bool overlaps_itself(const extents_t &extents, const extents_t &strides) {
    struct mode {
        index_t extent, stride;
    };
    std::vector<mode> modes;
    for (std::size_t k = 0; k < extents.size(); ++k) {
        if (extents[k] == 0)
            return false;
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

    // Differences of two positions: some mode is the first that differs, there by at least 1.
    for (std::size_t first = 0; first < modes.size(); ++first) {
        equation difference;
        difference.add(modes[first].stride, 1, modes[first].extent - 1);
        for (std::size_t k = first + 1; k < modes.size(); ++k)
            difference.add(modes[k].stride, 1 - modes[k].extent, modes[k].extent - 1);
        if (difference.solvable())
            return true;
    }
    return false;
}

bool share_memory(const placement &one, const placement &other) noexcept {
    if (one.shape->empty() || other.shape->empty())
        return false;
    const address_range a = range_of(one);
    const address_range b = range_of(other);
    if (a.end <= b.begin || b.end <= a.begin)
        return false;

    // position(one) - position(other) = t with -size(one) < t < size(other), all in bytes.
    equation meeting;
    for (int k = 0; k < one.shape->order(); ++k)
        meeting.add(wide{one.shape->stride(k)} * one.element_size, 0, one.shape->extent(k) - 1);
    for (int k = 0; k < other.shape->order(); ++k)
        meeting.add(-wide{other.shape->stride(k)} * other.element_size, 0,
                    other.shape->extent(k) - 1);
    meeting.add(-1, 1 - one.element_size, other.element_size - 1);
    meeting.add_to_target(wide{reinterpret_cast<std::intptr_t>(other.data)} -
                          wide{reinterpret_cast<std::intptr_t>(one.data)});
    return meeting.solvable();
}

} // namespace tenfold::tensor_impl
