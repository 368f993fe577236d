#include "apps/ccsd/triples_energy.hpp"

#include <algorithm>

#include <tenfold/context.hpp>

#include "apps/ccsd/kernels/triple_energy_table.hpp"

namespace tenfold::ccsd {
namespace {

contraction_plan plan_for(const char *expression, index_t v, index_t x) {
    const input a(data_type::f64, nullptr, layout({v, v, x}));
    const input b(data_type::f64, nullptr, layout({x, v}));
    const output w(data_type::f64, nullptr, layout({v, v, v}));
    // Plans for one thread, because the members of a team work on different triples.
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

void triple_plans::make_w(const triples_data &data, index_t i, index_t j, index_t k,
                          double *w) const {
    const auto add = [&](const contraction_plan &plan, const double *a, const double *b,
                         double beta) { plan.execute(1.0, a, b, beta, w, w).throw_if_failed(); };
    add(to_c_, data.a(i), data.b(j, k), 0);            // Z_ijk^abc
    add(to_c_, data.a_transposed(j), data.b(i, k), 1); // Z_jik^bac
    add(to_b_, data.a(i), data.b(k, j), 1);            // Z_ikj^acb
    add(to_b_, data.a_transposed(k), data.b(i, j), 1); // Z_kij^cab
    add(to_a_, data.a(j), data.b(k, i), 1);            // Z_jki^bca
    add(to_a_, data.a_transposed(k), data.b(j, i), 1); // Z_kji^cba
}

triple_energies::triple_energies(const molecule &system)
    : system_(system), kernel_(triple_energy_for(context::global().isa())) {
    for (index_t a = 0; a < system.v(); ++a)
        f_virtual_.push_back(system.f_virtual(a));
    // Pads with a value that keeps denominators behind the last orbital from being 0.
    f_virtual_.resize(f_virtual_.size() + static_cast<std::size_t>(slack_behind_vector(system.v())),
                      1e30);
}

double triple_energies::of_triple(const triples_data &data, index_t i, index_t j, index_t k,
                                  const double *w) const {
    const triple_operands operands{.v = system_.v(),
                                   .w = w,
                                   .t_i = data.t1(i),
                                   .t_j = data.t1(j),
                                   .t_k = data.t1(k),
                                   .ij = data.v(i, j),
                                   .ji = data.v(j, i),
                                   .ik = data.v(i, k),
                                   .ki = data.v(k, i),
                                   .jk = data.v(j, k),
                                   .kj = data.v(k, j),
                                   .f_virtual = f_virtual_.data(),
                                   .f_occupied = system_.f_occupied(i) + system_.f_occupied(j) +
                                                 system_.f_occupied(k)};
    // The kernel sums one order of i, j, k, averaged over all orders; the factor 3 is part of the
    // formula.
    const double orders_of_ijk = i == j && j == k ? 1 : i == j || j == k ? 3 : 6;
    return orders_of_ijk * kernel_(operands) / 3;
}

} // namespace tenfold::ccsd
