#include "gemm/overlap.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

namespace tenfold::gemm_impl {
namespace {

__extension__ using wide = __int128; // byte positions times extents never wrap

struct term {
    wide coefficient; ///< positive
    wide bound;       ///< the unknown lies in [0, bound]
};

/// Is there a solution of sum(coefficient * x) = target? Terms in order of falling coefficients:
/// for nested strides at most two values of each unknown are tried.
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

byte_range range_of(const matrix_placement &matrix) noexcept {
    const wide rows = wide{matrix.rows - 1} * matrix.row_stride;
    const wide columns = wide{matrix.columns - 1} * matrix.column_stride;
    const wide base = reinterpret_cast<std::intptr_t>(matrix.data);
    const wide low = std::min<wide>(rows, 0) + std::min<wide>(columns, 0);
    const wide high = std::max<wide>(rows, 0) + std::max<wide>(columns, 0);
    return {base + low * matrix.element_size, base + (high + 1) * matrix.element_size};
}

} // namespace

bool overlaps_itself(const matrix_placement &matrix) noexcept {
    if (matrix.rows <= 0 || matrix.columns <= 0)
        return false;
    const index_t rs = std::abs(matrix.row_stride);
    const index_t cs = std::abs(matrix.column_stride);
    if (matrix.rows == 1 || matrix.columns == 1)
        return (matrix.rows > 1 && rs == 0) || (matrix.columns > 1 && cs == 0);
    if (rs == 0 || cs == 0)
        return true;
    // The first coincidence is after lcm(rs, cs) elements along either way.
    const index_t divisor = std::gcd(rs, cs);
    return cs / divisor < matrix.rows && rs / divisor < matrix.columns;
}

bool share_memory(const matrix_placement &one, const matrix_placement &other) noexcept {
    if (one.rows <= 0 || one.columns <= 0 || other.rows <= 0 || other.columns <= 0)
        return false;
    const byte_range a = range_of(one);
    const byte_range b = range_of(other);
    if (a.end <= b.begin || b.end <= a.begin)
        return false;

    // Positions are measured from the lowest byte of each, so that every stride counts up.
    std::array<term, 5> terms{};
    std::size_t count = 0;
    wide target = b.begin - a.begin;
    const auto add = [&](wide coefficient, wide bound) {
        if (coefficient == 0 || bound == 0)
            return;
        if (coefficient < 0) { // x' = bound - x
            target -= coefficient * bound;
            coefficient = -coefficient;
        }
        terms[count++] = {coefficient, bound};
    };
    add(wide{std::abs(one.row_stride)} * one.element_size, one.rows - 1);
    add(wide{std::abs(one.column_stride)} * one.element_size, one.columns - 1);
    add(-wide{std::abs(other.row_stride)} * other.element_size, other.rows - 1);
    add(-wide{std::abs(other.column_stride)} * other.element_size, other.columns - 1);
    // Elements meet when pos(one) - pos(other) = t, -size(one) < t < size(other).
    target += 1 - one.element_size;
    add(-1, one.element_size + other.element_size - 2);
    // Unused terms are zero and stay last.
    std::sort(terms.begin(), terms.end(),
              [](const term &x, const term &y) { return x.coefficient > y.coefficient; });
    int steps_left = 1'000'000;
    return solvable(terms.data(), terms.data() + count, target, steps_left);
}

} // namespace tenfold::gemm_impl
