#include "apps/examples/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tenfold::examples {
namespace {

/// (x, y) = (c x - s y, s x + c y), element by element.
void rotate(double *x, double *y, index_t count, index_t stride, double c, double s) {
    for (index_t i = 0; i < count; ++i) {
        const double old = x[i * stride];
        x[i * stride] = c * old - s * y[i * stride];
        y[i * stride] = s * old + c * y[i * stride];
    }
}

double dot(const tensor<double> &x, const tensor<double> &y) {
    return std::inner_product(x.data(), x.data() + x.size(), y.data(), 0.0);
}

/// y += a x
void add(double a, const tensor<double> &x, tensor<double> &y) {
    for (index_t i = 0; i < y.size(); ++i)
        y.data()[i] += a * x.data()[i];
}

/// Divides by the norm, and returns it.
double normalise(tensor<double> &x) {
    const double norm = std::sqrt(dot(x, x));
    for (index_t i = 0; i < x.size(); ++i)
        x.data()[i] /= norm;
    return norm;
}

} // namespace

eigen_system symmetric_eigen(const tensor<double> &matrix) {
    constexpr int most_sweeps = 50; // about ten suffice
    const index_t n = matrix.shape().extent(0);
    tensor<double> a({n, n}), v({n, n});
    double square = 0;
    for (index_t q = 0; q < n; ++q)
        for (index_t p = 0; p < n; ++p) {
            a(p, q) = matrix(std::min(p, q), std::max(p, q));
            v(p, q) = p == q ? 1 : 0;
            square += a(p, q) * a(p, q);
        }
    const double tiny =
        std::numeric_limits<double>::epsilon() * std::sqrt(square) / static_cast<double>(n);

    bool rotated = true;
    for (int sweep = 0; rotated && sweep < most_sweeps; ++sweep) {
        rotated = false;
        for (index_t p = 0; p < n; ++p)
            for (index_t q = p + 1; q < n; ++q) {
                if (std::abs(a(p, q)) <= tiny)
                    continue;
                rotated = true;
                const double ratio = (a(q, q) - a(p, p)) / (2 * a(p, q));
                const double t =
                    std::copysign(1 / (std::abs(ratio) + std::hypot(ratio, 1.0)), ratio);
                const double c = 1 / std::hypot(t, 1.0);
                const double s = t * c;
                rotate(&a(0, p), &a(0, q), n, 1, c, s);
                rotate(&a(p, 0), &a(q, 0), n, n, c, s);
                rotate(&v(0, p), &v(0, q), n, 1, c, s);
            }
    }

    std::vector<index_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](index_t one, index_t other) { return a(one, one) > a(other, other); });
    eigen_system result{{}, tensor<double>({n, n})};
    for (index_t k = 0; k < n; ++k) {
        const index_t from = order[static_cast<std::size_t>(k)];
        result.values.push_back(a(from, from));
        std::copy_n(&v(0, from), n, &result.vectors(0, k));
    }
    return result;
}

double lowest_state(tensor<double> &state,
                    const std::function<void(const tensor<double> &, tensor<double> &)> &apply,
                    int steps) {
    const extents_t extents = state.shape().extents();
    const auto most = static_cast<index_t>(steps);
    tensor<double> projected({most, most}); // the operator in the basis
    std::vector<tensor<double>> basis;
    basis.emplace_back(extents);
    add(1, state, basis[0]);
    normalise(basis[0]);
    index_t found = 0;
    while (true) {
        tensor<double> next(extents);
        apply(basis.back(), next);
        projected(found, found) = dot(basis.back(), next);
        ++found;
        // Orthogonalises against the whole basis, twice. In exact arithmetic the last two vectors
        // would suffice.
        for (int pass = 0; pass < 2; ++pass)
            for (const tensor<double> &one : basis)
                add(-dot(one, next), one, next);
        const double norm = normalise(next);
        if (found == most || norm <= 1e-10 * std::abs(projected(0, 0)))
            break;
        projected(found - 1, found) = norm;
        basis.push_back(std::move(next));
    }

    tensor<double> leading({found, found});
    for (index_t j = 0; j < found; ++j)
        for (index_t i = 0; i <= j; ++i)
            leading(i, j) = projected(i, j);
    const eigen_system eigen = symmetric_eigen(leading);
    std::fill_n(state.data(), state.size(), 0.0);
    for (index_t k = 0; k < found; ++k)
        add(eigen.vectors(k, found - 1), basis[static_cast<std::size_t>(k)], state);
    return eigen.values.back();
}

} // namespace tenfold::examples
