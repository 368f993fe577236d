// The energy of one triple from W. All six orders of a, b, c are computed together, because they
// share D.
//
// Whichever of a, b, c fills a register, four of the six elements of W have a stride of v or v^2.
// Therefore tiles of W are read along the dense mode and transposed in registers.
#include "apps/ccsd/kernels/triple_energy_kernels.hpp"

namespace tenfold::ccsd {
namespace {

/// Of a register of what the source is compiled for.
#if defined(__AVX512F__)
constexpr int lanes = 8;
#elif defined(__AVX2__)
constexpr int lanes = 4;
#else
constexpr int lanes = 2;
#endif
static_assert(lanes <= triple_padding);

typedef double vec __attribute__((vector_size(lanes * sizeof(double))));
/// The same without an alignment to rely on.
typedef double unaligned_vec
    __attribute__((vector_size(lanes * sizeof(double)), aligned(sizeof(double))));

vec load(const double *from) { return *reinterpret_cast<const unaligned_vec *>(from); }

/// Exchanges the lanes of `one` that have bit `Step` with the lanes of `other` that do not.
template <int Step, class Vec> void exchange(Vec &one, Vec &other) {
    constexpr int size = sizeof(Vec) / sizeof(double); // the branches for other sizes are discarded
    const Vec x = one;
    const Vec y = other;
    if constexpr (size == 2) {
        one = __builtin_shufflevector(x, y, 0, 2);
        other = __builtin_shufflevector(x, y, 1, 3);
    } else if constexpr (size == 4 && Step == 1) {
        one = __builtin_shufflevector(x, y, 0, 4, 2, 6);
        other = __builtin_shufflevector(x, y, 1, 5, 3, 7);
    } else if constexpr (size == 4) {
        one = __builtin_shufflevector(x, y, 0, 1, 4, 5);
        other = __builtin_shufflevector(x, y, 2, 3, 6, 7);
    } else if constexpr (Step == 1) {
        one = __builtin_shufflevector(x, y, 0, 8, 2, 10, 4, 12, 6, 14);
        other = __builtin_shufflevector(x, y, 1, 9, 3, 11, 5, 13, 7, 15);
    } else if constexpr (Step == 2) {
        one = __builtin_shufflevector(x, y, 0, 1, 8, 9, 4, 5, 12, 13);
        other = __builtin_shufflevector(x, y, 2, 3, 10, 11, 6, 7, 14, 15);
    } else {
        one = __builtin_shufflevector(x, y, 0, 1, 2, 3, 8, 9, 10, 11);
        other = __builtin_shufflevector(x, y, 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

template <int Step> void exchange_rows(vec (&rows)[lanes]) {
    if constexpr (Step < lanes) {
#pragma GCC unroll 8
        for (int i = 0; i < lanes; ++i)
            if ((i & Step) == 0)
                exchange<Step>(rows[i], rows[i | Step]);
        exchange_rows<2 * Step>(rows);
    }
}

/// to[y * step] = the y-th elements of the rows at from, from + stride, ...
void transpose_tile(const double *from, int64_t stride, vec *to, int step) {
    vec rows[lanes];
#pragma GCC unroll 8
    for (int i = 0; i < lanes; ++i)
        rows[i] = load(from + i * stride);
    exchange_rows<1>(rows);
#pragma GCC unroll 8
    for (int i = 0; i < lanes; ++i)
        to[i * step] = rows[i];
}

/// The elements of W for a tile of a, b and c, with a in the lanes: [c][b].
struct tile {
    vec w[lanes][lanes];
};
struct tiles {
    tile bac, cab, bca, cba;
};

void fill(tiles &to, const triple_operands &x, int64_t a, int64_t b, int64_t c) {
    const int64_t v = x.v;
    const int64_t vv = v * v;
    for (int i = 0; i < lanes; ++i) {
        transpose_tile(x.w + b + v * a + vv * (c + i), v, to.bac.w[i], 1);
        transpose_tile(x.w + b + v * (c + i) + vv * a, vv, to.bca.w[i], 1);
        transpose_tile(x.w + c + v * a + vv * (b + i), v, &to.cab.w[0][i], lanes);
        transpose_tile(x.w + c + v * (b + i) + vv * a, vv, &to.cba.w[0][i], lanes);
    }
}

vec iota() {
    vec result = {};
    for (int lane = 0; lane < lanes; ++lane)
        result[lane] = lane;
    return result;
}

/// The weight of the orders of (a, b, c): 1 over the number of equal ones, and 0 unless v > a >= b.
vec weights(int64_t a, int64_t b, int64_t c, int64_t v) {
    const vec at = iota() + static_cast<double>(a);
    const vec above = vec{} + (b > c ? 1.0 : 0.5);
    const vec equal = vec{} + (b > c ? 0.5 : 1.0 / 6);
    const vec zero = {};
    const auto first = static_cast<double>(b);
    const vec own = at > first ? above : (at == first ? equal : zero);
    return at < static_cast<double>(v) ? own : zero;
}

/// Returns the terms for one b and c, with a in the lanes.
vec row(const triple_operands &x, const tiles &w, int64_t a, int64_t b, int64_t c, int z, int y) {
    const int64_t v = x.v;
    const int64_t bc = b + v * c;
    const int64_t cb = c + v * b;
    const int64_t ab = a + v * b;
    const int64_t ac = a + v * c;
    const vec t_i = load(x.t_i + a);
    const vec t_j = load(x.t_j + a);
    const vec t_k = load(x.t_k + a);

    const vec abc = load(x.w + a + v * bc);
    const vec acb = load(x.w + a + v * cb);
    const vec bac = w.bac.w[z][y];
    const vec cab = w.cab.w[z][y];
    const vec bca = w.bca.w[z][y];
    const vec cba = w.cba.w[z][y];
    const vec s_abc = t_i * x.jk[bc] + x.t_j[b] * load(x.ik + ac) + x.t_k[c] * load(x.ij + ab);
    const vec s_acb = t_i * x.jk[cb] + x.t_j[c] * load(x.ik + ab) + x.t_k[b] * load(x.ij + ac);
    const vec s_bac = x.t_i[b] * load(x.jk + ac) + t_j * x.ik[bc] + x.t_k[c] * load(x.ji + ab);
    const vec s_cab = x.t_i[c] * load(x.jk + ab) + t_j * x.ik[cb] + x.t_k[b] * load(x.ji + ac);
    const vec s_bca = x.t_i[b] * load(x.kj + ac) + x.t_j[c] * load(x.ki + ab) + t_k * x.ij[bc];
    const vec s_cba = x.t_i[c] * load(x.kj + ab) + x.t_j[b] * load(x.ki + ac) + t_k * x.ij[cb];

    const vec even = abc + bca + cab;
    const vec odd = acb + bac + cba;
    const vec from_even = even - 2 * odd; // + 3 W of its own order
    const vec from_odd = odd - 2 * even;
    return (abc + s_abc) * (from_even + 3 * abc) + (bca + s_bca) * (from_even + 3 * bca) +
           (cab + s_cab) * (from_even + 3 * cab) + (acb + s_acb) * (from_odd + 3 * acb) +
           (bac + s_bac) * (from_odd + 3 * bac) + (cba + s_cba) * (from_odd + 3 * cba);
}

/// Sums over all tiles with a >= b >= c.
double energy(const triple_operands &x) {
    const int64_t v = x.v;
    tiles w;
    vec sum = {};
    for (int64_t c0 = 0; c0 < v; c0 += lanes)
        for (int64_t b0 = c0; b0 < v; b0 += lanes)
            for (int64_t a0 = b0; a0 < v; a0 += lanes) {
                fill(w, x, a0, b0, c0);
                const bool inside = a0 > b0 && a0 + lanes <= v;
                const vec f_a = x.f_occupied - load(x.f_virtual + a0);
                for (int z = 0; z < lanes && c0 + z < v; ++z)
                    for (int y = b0 > c0 ? 0 : z; y < lanes && b0 + y < v; ++y) {
                        const int64_t b = b0 + y;
                        const int64_t c = c0 + z;
                        const vec weight =
                            inside ? vec{} + (b > c ? 1.0 : 0.5) : weights(a0, b, c, v);
                        const vec d = f_a - (x.f_virtual[b] + x.f_virtual[c]);
                        sum += row(x, w, a0, b, c, z, y) * (weight / d);
                    }
            }
    double total = 0;
    for (int lane = 0; lane < lanes; ++lane)
        total += sum[lane];
    return total;
}

} // namespace

/// The one symbol, which the build names after what it compiles the source for.
extern "C" double TENFOLD_KERNEL_ENTRY(const triple_operands &);
extern "C" double TENFOLD_KERNEL_ENTRY(const triple_operands &x) { return energy(x); }

} // namespace tenfold::ccsd
