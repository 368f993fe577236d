#include "tensor/boxes.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/sum_types.hpp"

namespace tenfold::tensor_impl {
namespace {

struct loop {
    index_t extent, from, to; ///< `from` and `to` are strides
};

/// The loops of a box, the target's fastest first.
struct box_loops {
    /// A box of more loops of two positions or more would have more than 2^63 elements.
    static constexpr std::size_t most = 63;
    std::array<loop, most> all; ///< uninitialised
    std::size_t count = 0;

    loop *begin() noexcept { return all.data(); }
    loop *end() noexcept { return all.data() + count; }
};

/// Drops loops of extent 1, sorts the others by the target's stride, ascending, and fuses
/// neighbours that are contiguous in both arrays. No loop means one element.
void normalise(numbers extents, numbers from, numbers to, box_loops &loops) noexcept {
    for (std::size_t k = 0; k < extents.size(); ++k) {
        if (extents[k] == 1)
            continue;
        loop *place = loops.begin() + loops.count++; // insertion keeps the order of equal strides
        for (; place > loops.begin() && std::abs(place[-1].to) > std::abs(to[k]); --place)
            *place = place[-1];
        *place = {extents[k], from[k], to[k]};
    }
    std::size_t fused = 0;
    for (const loop &next : loops) {
        loop &last = loops.all[fused > 0 ? fused - 1 : 0];
        if (fused > 0 && next.to == last.to * last.extent && next.from == last.from * last.extent)
            last.extent *= next.extent;
        else
            loops.all[fused++] = next;
    }
    loops.count = fused;
}

/// Edge of the square blocks that are copied when the arrays are contiguous along different modes:
/// 16 rows of 64-byte lines fit any first-level cache.
constexpr index_t tile = 16;

template <class T, class Store>
void inner(const loop &one, const T *from, T *to, const Store &store) {
    if (one.from == 1 && one.to == 1) // constant strides let the compiler vectorise
        for (index_t i = 0; i < one.extent; ++i)
            store(to[i], from[i]);
    else
        for (index_t i = 0; i < one.extent; ++i)
            store(to[i * one.to], from[i * one.from]);
}

template <class T, class Store>
void tiled(const loop &one, const loop &two, const T *from, T *to, const Store &store) {
    for (index_t j = 0; j < two.extent; j += tile)
        for (index_t i = 0; i < one.extent; i += tile)
            for (index_t y = j; y < std::min(j + tile, two.extent); ++y)
                for (index_t x = i; x < std::min(i + tile, one.extent); ++x)
                    store(to[x * one.to + y * two.to], from[x * one.from + y * two.from]);
}

template <class T, class Store> void run(numbers extents, const T *from, numbers from_strides,
                                         T *to, numbers to_strides, const Store &store) noexcept {
    if (std::find(extents.begin(), extents.end(), 0) != extents.end())
        return;
    box_loops loops;
    normalise(extents, from_strides, to_strides, loops);
    if (loops.count == 0) {
        store(*to, *from);
        return;
    }
    // The innermost loop is the target's fastest. The source's fastest loop, if it is another one,
    // comes next.
    loop *const fastest =
        std::min_element(loops.begin(), loops.end(), [](const loop &a, const loop &b) {
            return std::abs(a.from) < std::abs(b.from);
        });
    const bool two_loops = fastest != loops.begin();
    if (two_loops)
        std::rotate(loops.begin() + 1, fastest, fastest + 1);

    const std::size_t first_outer = two_loops ? 2 : 1;
    std::array<index_t, box_loops::most> position;
    std::fill_n(position.begin(), loops.count, 0);
    while (true) {
        if (two_loops)
            tiled(loops.all[0], loops.all[1], from, to, store);
        else
            inner(loops.all[0], from, to, store);
        std::size_t k = first_outer;
        for (; k < loops.count; ++k) {
            const loop &one = loops.all[k];
            from += one.from;
            to += one.to;
            if (++position[k] < one.extent)
                break;
            from -= one.from * one.extent;
            to -= one.to * one.extent;
            position[k] = 0;
        }
        if (k == loops.count)
            return;
    }
}

/// x + y and x * y; of integers, modulo 2^32.
template <class T> T added(T x, T y) noexcept {
    using arithmetic = base::sum_arithmetic<T>;
    return static_cast<T>(static_cast<arithmetic>(x) + static_cast<arithmetic>(y));
}
template <class T> T multiplied(T x, T y) noexcept {
    using arithmetic = base::sum_arithmetic<T>;
    return static_cast<T>(static_cast<arithmetic>(x) * static_cast<arithmetic>(y));
}

} // namespace

template <class T> void copy_box(numbers extents, const T *from, numbers from_strides, T *to,
                                 numbers to_strides) noexcept {
    run(extents, from, from_strides, to, to_strides, [](T &t, const T &f) { t = f; });
}

template <class T> void update_box(numbers extents, const T *from, numbers from_strides, T beta,
                                   T *to, numbers to_strides) noexcept {
    if (beta == T(0))
        copy_box(extents, from, from_strides, to, to_strides);
    else if (beta == T(1))
        run(extents, from, from_strides, to, to_strides, [](T &t, const T &f) { t = added(t, f); });
    else
        run(extents, from, from_strides, to, to_strides,
            [beta](T &t, const T &f) { t = added(f, multiplied(beta, t)); });
}

template <class T> void scale_box(numbers extents, T beta, T *to, numbers to_strides) noexcept {
    if (beta == T(0))
        run<T>(extents, to, to_strides, to, to_strides, [](T &t, const T &) { t = T(0); });
    else if (beta != T(1))
        run<T>(extents, to, to_strides, to, to_strides,
               [beta](T &t, const T &) { t = multiplied(t, beta); });
}

template <class T> void combine_box(numbers extents, T alpha, const T *from, numbers from_strides,
                                    T beta, T *to, numbers to_strides) noexcept {
    if (alpha == T(1))
        update_box(extents, from, from_strides, beta, to, to_strides);
    else if (beta == T(0))
        run(extents, from, from_strides, to, to_strides,
            [alpha](T &t, const T &f) { t = multiplied(f, alpha); });
    else if (beta == T(1))
        run(extents, from, from_strides, to, to_strides,
            [alpha](T &t, const T &f) { t = added(t, multiplied(f, alpha)); });
    else
        run(extents, from, from_strides, to, to_strides, [alpha, beta](T &t, const T &f) {
            t = added(multiplied(f, alpha), multiplied(beta, t));
        });
}

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void update_box(numbers, const T *, numbers, T, T *, numbers) noexcept;               \
    template void scale_box(numbers, T, T *, numbers) noexcept;                                    \
    template void combine_box(numbers, T, const T *, numbers, T, T *, numbers) noexcept;
TENFOLD_FOR_SUM_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE
#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void copy_box(numbers, const T *, numbers, T *, numbers) noexcept;
TENFOLD_FOR_ELEMENT_TYPES(TENFOLD_INSTANTIATE)
TENFOLD_FOR_INTEGER_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold::tensor_impl
