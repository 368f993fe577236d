#include "triples_energy.hpp"

#include <algorithm>

namespace tenfold::ccsd {
namespace {

contraction_plan plan_for(const char *expression, index_t v, index_t x) {
    const input a(data_type::f64, nullptr, layout({v, v, x}));
    const input b(data_type::f64, nullptr, layout({x, v}));
    const output w(data_type::f64, nullptr, layout({v, v, v}));
    // One thread: a team works on as many triples as it has members.
    return make_plan(expression, a, b, w, {.threads = 1});
}

} // namespace

triple_plans::triple_plans(index_t o, index_t v)
    : to_c_(plan_for("abc=abx*xc", v, o + v)), to_b_(plan_for("abc=acx*xb", v, o + v)),
      to_a_(plan_for("abc=bcx*xa", v, o + v)) {
    flops_ = 2 * (to_a_.summary().flops + to_b_.summary().flops + to_c_.summary().flops);
}

byte_count triple_plans::workspace_size() const noexcept {
    return std::max({to_a_.workspace_size(), to_b_.workspace_size(), to_c_.workspace_size()});
}

status triple_plans::make_w(const triples_data &data, index_t i, index_t j, index_t k,
                            double *w) const {
    status result;
    const auto add = [&](const contraction_plan &plan, const double *a, const double *b,
                         double beta) { plan.execute(1.0, a, b, beta, w, w).throw_if_failed(); };
    add(to_c_, data.a(i), data.b(j, k), 0);            // Z_ijk^abc
    add(to_c_, data.a_transposed(j), data.b(i, k), 1); // Z_jik^bac
    add(to_b_, data.a(i), data.b(k, j), 1);            // Z_ikj^acb
    add(to_b_, data.a_transposed(k), data.b(i, j), 1); // Z_kij^cab
    add(to_a_, data.a(j), data.b(k, i), 1);            // Z_jki^bca
    add(to_a_, data.a_transposed(k), data.b(j, i), 1); // Z_kji^cba
    return result;
}

/// With V = (W + S) / D, S_abc = t_i^a (jb|kc) + t_j^b (ia|kc) + t_k^c (ia|jb), one order of i, j,
/// k gives, averaged over all of them,
///     1/3 sum_abc V_abc [4 W_abc + W_bca + W_cab - 2 (W_cba + W_acb + W_bac)].
/// D is the same for all orders of a, b, c, so that these are taken together, a >= b >= c.
double energy_of_triple(const triples_data &data, const molecule &system, index_t i, index_t j,
                        index_t k, const double *w) {
    const index_t v = system.v();
    const double *ti = data.t1(i);
    const double *tj = data.t1(j);
    const double *tk = data.t1(k);
    const double *vij = data.v(i, j); // (ai|bj) at [a,b]
    const double *vik = data.v(i, k);
    const double *vjk = data.v(j, k);
    const double e_ijk = system.f_occupied(i) + system.f_occupied(j) + system.f_occupied(k);

    const auto w_at = [&](index_t a, index_t b, index_t c) { return w[a + v * (b + v * c)]; };
    const auto s_at = [&](index_t a, index_t b, index_t c) {
        return ti[a] * vjk[b + v * c] + tj[b] * vik[a + v * c] + tk[c] * vij[a + v * b];
    };
    double sum = 0;
    for (index_t c = 0; c < v; ++c)
        for (index_t b = c; b < v; ++b) {
            const double e_bc = system.f_virtual(b) + system.f_virtual(c);
            for (index_t a = b; a < v; ++a) {
                const double abc = w_at(a, b, c);
                const double bca = w_at(b, c, a);
                const double cab = w_at(c, a, b);
                const double acb = w_at(a, c, b);
                const double bac = w_at(b, a, c);
                const double cba = w_at(c, b, a);
                const double even = abc + bca + cab;
                const double odd = acb + bac + cba;
                const double from_even = even - 2 * odd; // + 3 W of its own order
                const double from_odd = odd - 2 * even;
                const double orders = (abc + s_at(a, b, c)) * (from_even + 3 * abc) +
                                      (bca + s_at(b, c, a)) * (from_even + 3 * bca) +
                                      (cab + s_at(c, a, b)) * (from_even + 3 * cab) +
                                      (acb + s_at(a, c, b)) * (from_odd + 3 * acb) +
                                      (bac + s_at(b, a, c)) * (from_odd + 3 * bac) +
                                      (cba + s_at(c, b, a)) * (from_odd + 3 * cba);
                // Orders of a, b, c that are the same were counted several times.
                const double same = a == b && b == c ? 6 : a == b || b == c ? 2 : 1;
                sum += orders / (same * (e_ijk - e_bc - system.f_virtual(a)));
            }
        }
    const double orders_of_ijk = i == j && j == k ? 1 : i == j || j == k ? 3 : 6;
    return orders_of_ijk * sum / 3;
}

} // namespace tenfold::ccsd
