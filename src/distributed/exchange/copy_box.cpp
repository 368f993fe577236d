#include "distributed/exchange/copy_box.hpp"

#include <algorithm>
#include <cstdlib>

namespace tenfold::dist_impl {
namespace {

struct loop {
    index_t extent, from, to; ///< `from` and `to` are strides
};

/// Drops loops of extent 1, sorts the others by the target's stride, ascending, and fuses
/// neighbours that are contiguous in both arrays. An empty vector means one element.
std::vector<loop> normalise(const extents_t &extents, const extents_t &from, const extents_t &to) {
    std::vector<loop> loops;
    for (std::size_t k = 0; k < extents.size(); ++k)
        if (extents[k] != 1)
            loops.push_back({extents[k], from[k], to[k]});
    std::stable_sort(loops.begin(), loops.end(),
                     [](const loop &a, const loop &b) { return std::abs(a.to) < std::abs(b.to); });
    std::vector<loop> fused;
    for (const loop &next : loops)
        if (!fused.empty() && next.to == fused.back().to * fused.back().extent &&
            next.from == fused.back().from * fused.back().extent)
            fused.back().extent *= next.extent;
        else
            fused.push_back(next);
    return fused;
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

template <class T, class Store> void run(const extents_t &extents, const T *from,
                                         const extents_t &from_strides, T *to,
                                         const extents_t &to_strides, const Store &store) {
    if (std::find(extents.begin(), extents.end(), 0) != extents.end())
        return;
    std::vector<loop> loops = normalise(extents, from_strides, to_strides);
    if (loops.empty()) {
        store(*to, *from);
        return;
    }
    // The innermost loop is the target's fastest. The source's fastest loop, if it is another one,
    // comes next.
    const auto fastest =
        std::min_element(loops.begin(), loops.end(), [](const loop &a, const loop &b) {
            return std::abs(a.from) < std::abs(b.from);
        });
    const bool two_loops = fastest != loops.begin();
    if (two_loops)
        std::rotate(loops.begin() + 1, fastest, fastest + 1);

    const std::size_t first_outer = two_loops ? 2 : 1;
    extents_t position(loops.size(), 0);
    while (true) {
        if (two_loops)
            tiled(loops[0], loops[1], from, to, store);
        else
            inner(loops[0], from, to, store);
        std::size_t k = first_outer;
        for (; k < loops.size(); ++k) {
            from += loops[k].from;
            to += loops[k].to;
            if (++position[k] < loops[k].extent)
                break;
            from -= loops[k].from * loops[k].extent;
            to -= loops[k].to * loops[k].extent;
            position[k] = 0;
        }
        if (k == loops.size())
            return;
    }
}

} // namespace

template <class T> void copy_box(const extents_t &extents, const T *from,
                                 const extents_t &from_strides, T *to,
                                 const extents_t &to_strides) {
    run(extents, from, from_strides, to, to_strides, [](T &t, const T &f) { t = f; });
}

template <class T> void update_box(const extents_t &extents, const T *from,
                                   const extents_t &from_strides, T beta, T *to,
                                   const extents_t &to_strides) {
    if (beta == T(0))
        copy_box(extents, from, from_strides, to, to_strides);
    else if (beta == T(1))
        run(extents, from, from_strides, to, to_strides, [](T &t, const T &f) { t += f; });
    else
        run(extents, from, from_strides, to, to_strides,
            [beta](T &t, const T &f) { t = f + beta * t; });
}

template <class T>
void scale_box(const extents_t &extents, T beta, T *to, const extents_t &to_strides) {
    if (beta == T(0))
        run(extents, to, to_strides, to, to_strides, [](T &t, const T &) { t = T(0); });
    else if (beta != T(1))
        run(extents, to, to_strides, to, to_strides, [beta](T &t, const T &) { t *= beta; });
}

extents_t dense_strides(const extents_t &extents) { return layout(extents).strides(); }

#define TENFOLD_INSTANTIATE(T, name)                                                               \
    template void copy_box(const extents_t &, const T *, const extents_t &, T *,                   \
                           const extents_t &);                                                     \
    template void update_box(const extents_t &, const T *, const extents_t &, T, T *,              \
                             const extents_t &);                                                   \
    template void scale_box(const extents_t &, T, T *, const extents_t &);
TENFOLD_FOR_ARITHMETIC_TYPES(TENFOLD_INSTANTIATE)
#undef TENFOLD_INSTANTIATE

} // namespace tenfold::dist_impl
