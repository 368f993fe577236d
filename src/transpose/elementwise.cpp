#include "transpose/kernels/registry.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include "base/scalars.hpp"
#include "base/with_any_type.hpp"
#include "transpose/plan/panel.hpp"

namespace tenfold::transpose_impl {
namespace {

using term = operation::term;

/// One component of a stored element type, and the type in which it is computed. Integers are
/// computed modulo 2^32, and stored modulo what their type holds.
template <class T> struct component {
    using stored = typename element_traits<T>::real;
    using computed = std::conditional_t<element_traits<T>::is_integer, std::uint32_t,
                                        typename element_traits<stored>::output>;
    static constexpr index_t count = element_traits<T>::is_complex ? 2 : 1; ///< per element
};

/// Loads and stores through memcpy: the addresses belong to the caller's arrays, which may hold
/// complex numbers.
template <class T> T load(const char *from) noexcept {
    T value;
    std::memcpy(static_cast<void *>(&value), from, sizeof value);
    return value;
}
template <class T> void store(char *to, T value) noexcept {
    std::memcpy(to, static_cast<const void *>(&value), sizeof value);
}

/// A factor of an operation.
template <class Computed> Computed factor_as(double factor) noexcept {
    if constexpr (std::is_integral_v<Computed>)
        return base::integer_factor(factor);
    else
        return static_cast<Computed>(factor);
}

/// Computes in the wider type and rounds once. X may be real where Y is complex.
template <class X, class Y> struct combine {
    using stored_x = typename component<X>::stored;
    using stored_y = typename component<Y>::stored;
    using computed =
        std::common_type_t<typename component<X>::computed, typename component<Y>::computed>;
    static constexpr index_t count = component<Y>::count;
    static_assert(component<X>::count <= count);

    using pair = computed[static_cast<std::size_t>(count)];
    /// What terms are added to: -0 changes no number, not even -0. Products with complex factors
    /// are sums of two numbers, of which one may be any zero.
    static computed nothing(const operation &op) noexcept {
        const bool keeps = op.x != term::crossed && op.y != term::crossed &&
                           !(op.x == term::absent && op.y == term::absent);
        return static_cast<computed>(keeps ? -0.0 : 0.0);
    }

    static void element(const char *x, char *y, const operation &op) noexcept {
        if constexpr (std::is_same_v<X, Y>)
            if (op.copies) {
                std::memcpy(y, x, sizeof(Y));
                return;
            }
        pair result;
        for (computed &one : result)
            one = nothing(op);
        if constexpr (component<X>::count < count)
            accumulate_real(x, op, result);
        else
            accumulate<stored_x>(x, op.x, op.x_straight, op.x_crossed, result);
        accumulate<stored_y>(y, op.y, op.y_straight, op.y_crossed, result);
        for (index_t k = 0; k < count; ++k)
            store(y + k * static_cast<index_t>(sizeof(stored_y)),
                  base::round_once<stored_y>(result[k]));
    }

    /// A real x, of which both parts of y are multiples.
    static void accumulate_real(const char *x, const operation &op, pair &result) noexcept {
        if (op.x == term::absent)
            return;
        const auto value = static_cast<computed>(
            static_cast<typename component<stored_x>::computed>(load<stored_x>(x)));
        result[0] += static_cast<computed>(op.x_straight[0]) * value;
        result[1] =
            op.x == term::crossed ? static_cast<computed>(op.x_crossed[1]) * value : computed(0);
    }

    template <class Stored>
    static void accumulate(const char *from, term kind, const double (&straight)[2],
                           const double (&crossed)[2], pair &result) noexcept {
        if (kind == term::absent)
            return;
        pair value;
        for (index_t k = 0; k < count; ++k)
            value[k] = static_cast<computed>(static_cast<typename component<Stored>::computed>(
                load<Stored>(from + k * static_cast<index_t>(sizeof(Stored)))));
        for (index_t k = 0; k < count; ++k) {
            result[k] += factor_as<computed>(straight[k]) * value[k];
            if (count == 2 && kind == term::crossed)
                result[k] += factor_as<computed>(crossed[k]) * value[count - 1 - k];
        }
    }

    static void strip_of(const strip &s, const tile_list &list, const operation &op) {
        if (s.edges.primes) // nothing waits to be completed
            return;
        const index_t ahead = std::min(s.ahead, list.count);
        // If elements lie far apart, each on a line of its own, hardware cannot prefetch them, but
        // their tiles say where they lie.
        const index_t step = std::max<index_t>(1, std::abs(list.src_step));
        const index_t rows_of_line = std::max<index_t>(1, line / step);
        for (index_t t = 0; t < list.count; ++t) {
            const tile &now = list.tiles[t];
            const bool wraps = t + ahead >= list.count;
            const tile &later = list.tiles[t + ahead - (wraps ? list.count : 0)];
            const char *const *later_columns = wraps ? s.next : s.columns;
            for (index_t row = 0; row < now.rows; ++row) {
                if (ahead > 0 && row % rows_of_line == 0)
                    for (index_t j = 0; j < s.n; ++j)
                        __builtin_prefetch(later_columns[j] + later.src + row * list.src_step);
                row_of(s, now.src + row * list.src_step, s.dst + now.dst + now.row_at[row], op);
            }
        }
    }

    static void row_of(const strip &s, index_t src, char *dst, const operation &op) noexcept {
        if constexpr (std::is_same_v<X, Y>)
            if (op.copies) {
                for (index_t j = 0; j < s.n; ++j)
                    std::memcpy(dst + j * s.dst_step, s.columns[j] + src, sizeof(Y));
                return;
            }
        for (index_t j = 0; j < s.n; ++j)
            element(s.columns[j] + src, dst + j * s.dst_step, op);
    }

    static void rows(const copy_strip &s, const tile_list &list, const operation &op) {
        constexpr auto size_x = static_cast<index_t>(sizeof(X));
        constexpr auto size_y = static_cast<index_t>(sizeof(Y));
        for (index_t t = 0; t < list.count; ++t) {
            char *y = s.dst + list.tiles[t].dst;
            index_t skipped = s.lead / size_y;
            for (index_t k = 0; k < s.count; ++k)
                for (index_t at = 0; at < s.pieces[k].size; at += size_x)
                    if (skipped > 0) {
                        --skipped;
                    } else {
                        element(s.pieces[k].src + list.tiles[t].src + at, y, op);
                        y += size_y;
                    }
        }
    }

    static void scale(char *y, index_t n, const operation &op) {
        for (index_t at = 0; at < n; at += static_cast<index_t>(sizeof(Y)))
            element(y + at, y + at, op);
    }
};

/// Every type becomes every other, but complex numbers do not become real ones, and integers stay
/// what they are.
constexpr bool go_together(data_type a, data_type b) noexcept {
    if (is_integer(a) || is_integer(b))
        return a == b;
    return is_complex(a) <= is_complex(b);
}

} // namespace

element_kernels element_kernels_for(data_type a, data_type b) noexcept {
    return base::with_any_type(a, [&]<class X>(X) {
        return base::with_any_type(b, [&]<class Y>(Y) -> element_kernels {
            if constexpr (go_together(data_type_of<X>, data_type_of<Y>))
                return {combine<X, Y>::strip_of, combine<X, Y>::rows, combine<X, Y>::scale};
            else
                return {};
        });
    });
}

} // namespace tenfold::transpose_impl
