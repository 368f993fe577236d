#include "gemm/plan/overlap.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace tenfold::gemm_impl {
namespace {

__extension__ using wide = __int128; // byte positions times extents never overflow

struct term {
    wide coefficient; ///< positive
    wide bound;       ///< the unknown lies in [0, bound]
};

/// Returns true if sum(coefficient * x) = target has a solution. Terms are in order of falling
/// coefficients; for nested strides at most two values of each unknown are tried.
bool solvable(const term *terms, const term *end, wide target, int &steps_left) noexcept {
    if (terms == end)
        return target == 0;
    wide reach = 0;
    for (const term *t = terms + 1; t != end; ++t)
        reach += t->coefficient * t->bound;
    const wide c = terms->coefficient;
    const wide least = target > reach ? (target - reach + c - 1) / c : 0;
    const wide most = target < 0 ? -1 : std::min(terms->bound, target / c);
    for (wide x = most; x >= least; --x) {
        if (--steps_left < 0 || solvable(terms + 1, end, target - c * x, steps_left))
            return true;
    }
    return false;
}

struct byte_range {
    wide begin, end;
};

byte_range range_of(const batch_placement &batch) noexcept {
    const matrix_placement &matrix = batch.first;
    const wide rows = wide{matrix.rows - 1} * matrix.row_stride;
    const wide columns = wide{matrix.columns - 1} * matrix.column_stride;
    const wide matrices = wide{batch.count - 1} * batch.stride;
    const wide base = reinterpret_cast<std::intptr_t>(matrix.data);
    const wide low =
        std::min<wide>(rows, 0) + std::min<wide>(columns, 0) + std::min<wide>(matrices, 0);
    const wide high =
        std::max<wide>(rows, 0) + std::max<wide>(columns, 0) + std::max<wide>(matrices, 0);
    return {base + low * matrix.element_size, base + (high + 1) * matrix.element_size};
}

bool empty(const batch_placement &batch) noexcept {
    return batch.first.rows <= 0 || batch.first.columns <= 0 || batch.count <= 0;
}

/// The equation sum of coefficient * x = target, with 0 <= x <= bound.
class equation {
public:
    explicit equation(wide target) noexcept : target_(target) {}

    void add(wide coefficient, wide bound) noexcept {
        if (coefficient == 0 || bound == 0)
            return;
        if (coefficient < 0) { // substitute x' = bound - x
            target_ -= coefficient * bound;
            coefficient = -coefficient;
        }
        std::size_t at = count_++;
        for (; at > 0 && terms_[at - 1].coefficient < coefficient; --at)
            terms_[at] = terms_[at - 1];
        terms_[at] = {coefficient, bound};
    }

    bool has_solution() const noexcept {
        int steps_left = 1'000'000;
        return solvable(terms_.data(), terms_.data() + count_, target_, steps_left);
    }

private:
    std::array<term, 7> terms_{}; ///< in order of falling coefficients
    std::size_t count_ = 0;
    wide target_;
};

} // namespace

std::string describe(const matrix_placement &matrix) {
    return std::to_string(matrix.rows) + " rows with stride " + std::to_string(matrix.row_stride) +
           " and " + std::to_string(matrix.columns) + " columns with stride " +
           std::to_string(matrix.column_stride) + ", of " + std::to_string(matrix.element_size) +
           " bytes each";
}

bool fits_64_bits(const batch_placement &batch) noexcept {
    if (empty(batch))
        return true;
    const matrix_placement &matrix = batch.first;
    wide reach = 1;
    for (const auto &[count, stride] :
         {std::pair(matrix.rows, matrix.row_stride),
          std::pair(matrix.columns, matrix.column_stride), std::pair(batch.count, batch.stride)}) {
        reach += wide{count - 1} * (stride < 0 ? -wide{stride} : wide{stride});
        if (reach > INT64_MAX / matrix.element_size)
            return false;
    }
    return true;
}

bool overlaps_itself(const matrix_placement &matrix) noexcept {
    if (matrix.rows <= 0 || matrix.columns <= 0)
        return false;
    const index_t rs = std::abs(matrix.row_stride);
    const index_t cs = std::abs(matrix.column_stride);
    if (matrix.rows == 1 || matrix.columns == 1)
        return (matrix.rows > 1 && rs == 0) || (matrix.columns > 1 && cs == 0);
    if (rs == 0 || cs == 0)
        return true;
    // The first two positions that coincide are lcm(rs, cs) elements apart, along either mode.
    const index_t divisor = std::gcd(rs, cs);
    return cs / divisor < matrix.rows && rs / divisor < matrix.columns;
}

bool overlaps_itself(const batch_placement &batch) noexcept {
    if (empty(batch))
        return false;
    if (overlaps_itself(batch.first))
        return true;
    if (batch.count == 1)
        return false;
    const byte_range one = range_of({batch.first, 1, 0});
    const wide stride = std::abs(batch.stride);
    if (one.end - one.begin <= stride * batch.first.element_size)
        return false;
    // Two elements coincide if a distance of 1 to count - 1 matrices equals a distance of rows and
    // columns.
    const wide rs = std::abs(batch.first.row_stride);
    const wide cs = std::abs(batch.first.column_stride);
    const wide rows = batch.first.rows - 1;
    const wide columns = batch.first.columns - 1;
    equation zero(rs * rows + cs * columns - stride);
    zero.add(stride, batch.count - 2);
    zero.add(rs, 2 * rows);
    zero.add(cs, 2 * columns);
    return zero.has_solution();
}

bool share_memory(const matrix_placement &one, const matrix_placement &other) noexcept {
    return share_memory(batch_placement{one, 1, 0}, batch_placement{other, 1, 0});
}

bool share_memory(const batch_placement &one, const batch_placement &other) noexcept {
    if (empty(one) || empty(other))
        return false;
    const byte_range a = range_of(one);
    const byte_range b = range_of(other);
    if (a.end <= b.begin || b.end <= a.begin)
        return false;

    // Measure positions from the lowest byte of each matrix, so that all strides are positive. Two
    // elements share a byte if pos(one) - pos(other) = t with -size(one) < t < size(other).
    const wide size = one.first.element_size;
    const wide other_size = other.first.element_size;
    equation meet(b.begin - a.begin + 1 - size);
    meet.add(wide{std::abs(one.first.row_stride)} * size, one.first.rows - 1);
    meet.add(wide{std::abs(one.first.column_stride)} * size, one.first.columns - 1);
    meet.add(wide{std::abs(one.stride)} * size, one.count - 1);
    meet.add(-wide{std::abs(other.first.row_stride)} * other_size, other.first.rows - 1);
    meet.add(-wide{std::abs(other.first.column_stride)} * other_size, other.first.columns - 1);
    meet.add(-wide{std::abs(other.stride)} * other_size, other.count - 1);
    meet.add(-1, size + other_size - 2);
    return meet.has_solution();
}

} // namespace tenfold::gemm_impl
