// Kernels for tiles of every size, to choose from at run time.
#pragma once

namespace {

/// Kernels<V, C>::multiply for tiles of V = 1..MV registers by C = 1..N columns.
template <class Function, template <int, int> class Kernels, int MV, int N> struct tile_table {
    Function of[MV][N];

    constexpr tile_table() : of{} { fill<MV, N>(); }

private:
    template <int V, int C> constexpr void fill() {
        of[V - 1][C - 1] = Kernels<V, C>::multiply;
        if constexpr (C > 1)
            fill<V, C - 1>();
        else if constexpr (V > 1)
            fill<V - 1, N>();
    }
};

} // namespace
