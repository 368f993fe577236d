#include "apps/examples/matrix_product_state.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "apps/examples/symmetric_eigen.hpp"

namespace tenfold::examples {
namespace {

/// Returns an end of the chain: all extents are 1 except that of the operator's bond, and the
/// element at `bond` is 1.
tensor<double> end_of(const tensor<double> &W, index_t bond) {
    tensor<double> end({1, W.shape().extent(0), 1});
    end(0, bond, 0) = 1;
    return end;
}

index_t left_bond(const tensor<double> &site) { return site.shape().extent(0); }
index_t right_bond(const tensor<double> &site) { return site.shape().extent(2); }

} // namespace

matrix_product_state::matrix_product_state(index_t sites, tensor<double> chain_operator,
                                           index_t first, index_t last, contraction_table &table)
    : W_(std::move(chain_operator)), first_(first), last_(last), table_(table) {
    for (index_t i = 0; i < sites; ++i) {
        tensor<double> &one = sites_.emplace_back(extents_t{1, 2, 1});
        one(0, 0, 0) = one(0, 1, 0) = std::sqrt(0.5);
    }
    for (index_t i = 0; i <= sites; ++i) {
        left_.push_back(end_of(W_, first_));
        right_.push_back(end_of(W_, last_));
    }
    for (std::size_t i = sites_.size() - 1; i > 0; --i)
        table_.contract("avb=pwq*asp*vwst*btq", {right_[i + 1], sites_[i], W_, sites_[i]},
                        right_[i]);
}

index_t matrix_product_state::largest_bond() const {
    index_t largest = 1;
    for (const tensor<double> &one : sites_)
        largest = std::max(largest, right_bond(one));
    return largest;
}

double matrix_product_state::sweep(index_t most, int steps) {
    double energy = 0;
    for (index_t i = 0; i + 2 < sites(); ++i)
        split_to_the_right(i, optimise(i, steps, energy), most);
    for (index_t i = sites() - 2; i >= 0; --i)
        split_to_the_left(i, optimise(i, steps, energy), most);
    return energy;
}

tensor<double> matrix_product_state::optimise(index_t i, int steps, double &energy) {
    const auto at = static_cast<std::size_t>(i);
    const tensor<double> &one = sites_[at], &other = sites_[at + 1];
    tensor<double> pair({left_bond(one), 2, 2, right_bond(other)});
    table_.contract("bsuc=bsm*muc", {one, other}, pair);
    const auto apply_operator = [&](const tensor<double> &x, tensor<double> &y) {
        table_.contract("asuc=avb*vwst*wxun*cxd*btnd", {left_[at], W_, W_, right_[at + 2], x}, y);
    };
    energy = lowest_state(pair, apply_operator, steps);
    return pair;
}

matrix_product_state::cut matrix_product_state::cut_off(const std::vector<double> &weights,
                                                        index_t most) {
    // Weights below this are rounding errors.
    const double least = 1e-15 * weights.front();
    const auto above = std::count_if(weights.begin(), weights.end(),
                                     [least](double weight) { return weight > least; });
    const index_t count = std::min<index_t>(most, above);
    truncation_ =
        std::max(truncation_, std::accumulate(weights.begin() + count, weights.end(), 0.0));
    const double rest = std::accumulate(weights.begin(), weights.begin() + count, 0.0);
    return {count, 1 / std::sqrt(rest)};
}

void matrix_product_state::split_to_the_right(index_t i, const tensor<double> &pair, index_t most) {
    const auto at = static_cast<std::size_t>(i);
    const index_t b = pair.shape().extent(0), c = pair.shape().extent(3);
    // Singular vectors are eigenvectors of the Gram matrix, whose rows have the modes b and s.
    tensor<double> gram({b * 2, b * 2});
    const tensor_view<double> by_modes(gram.data(), {b, 2, b, 2});
    table_.contract("bsat=bsuc*atuc", {pair, pair}, by_modes);
    const eigen_system eigen = symmetric_eigen(gram);
    const auto [m, scale] = cut_off(eigen.values, most);

    tensor<double> one({b, 2, m}), other({m, 2, c});
    std::copy_n(eigen.vectors.data(), one.size(), one.data());
    table_.contract("muc=bsm*bsuc", {one, pair}, other, {.alpha = scale});
    tensor<double> next({m, W_.shape().extent(1), m});
    table_.contract("pwq=avb*asp*vwst*btq", {left_[at], one, W_, one}, next);
    sites_[at] = std::move(one);
    sites_[at + 1] = std::move(other);
    left_[at + 1] = std::move(next);
}

void matrix_product_state::split_to_the_left(index_t i, const tensor<double> &pair, index_t most) {
    const auto at = static_cast<std::size_t>(i);
    const index_t b = pair.shape().extent(0), c = pair.shape().extent(3);
    tensor<double> gram({2 * c, 2 * c});
    const tensor_view<double> by_modes(gram.data(), {2, c, 2, c});
    table_.contract("uctd=bsuc*bstd", {pair, pair}, by_modes);
    const eigen_system eigen = symmetric_eigen(gram);
    const auto [m, scale] = cut_off(eigen.values, most);

    tensor<double> one({b, 2, m}), other({m, 2, c});
    transpose("muc=ucm", tensor_view<const double>(eigen.vectors.data(), {2, c, m}), other);
    table_.contract("bsm=bsuc*muc", {pair, other}, one, {.alpha = scale});
    tensor<double> next({m, W_.shape().extent(0), m});
    table_.contract("avb=pwq*asp*vwst*btq", {right_[at + 2], other, W_, other}, next);
    sites_[at] = std::move(one);
    sites_[at + 1] = std::move(other);
    right_[at + 1] = std::move(next);
}

double matrix_product_state::square_norm() const {
    tensor<double> so_far({1, 1});
    so_far(0, 0) = 1;
    for (const tensor<double> &A : sites_) {
        tensor<double> next({right_bond(A), right_bond(A)});
        table_.contract("pq=ab*asp*bsq", {so_far, A, A}, next);
        so_far = std::move(next);
    }
    return so_far(0, 0);
}

double matrix_product_state::energy() const {
    tensor<double> so_far = end_of(W_, first_);
    for (const tensor<double> &A : sites_) {
        tensor<double> next({right_bond(A), W_.shape().extent(1), right_bond(A)});
        table_.contract("pwq=avb*asp*vwst*btq", {so_far, A, W_, A}, next);
        so_far = std::move(next);
    }
    return so_far(0, last_, 0);
}

double matrix_product_state::square_energy() const {
    const index_t bonds = W_.shape().extent(0);
    tensor<double> so_far({1, bonds, bonds, 1});
    so_far(0, first_, first_, 0) = 1;
    for (const tensor<double> &A : sites_) {
        tensor<double> next({right_bond(A), bonds, bonds, right_bond(A)});
        table_.contract("pwxq=avyb*asp*vwsu*yxut*btq", {so_far, A, W_, W_, A}, next);
        so_far = std::move(next);
    }
    return so_far(0, last_, last_, 0);
}

tensor<double> matrix_product_state::dense() const {
    // Builds "[s0,s1,..]=[b0,s0,b1]*[b1,s1,b2]*..", so that one call contracts the whole chain.
    std::string spins, inputs;
    for (index_t i = 0; i < sites(); ++i) {
        const std::string number = std::to_string(i);
        spins += (i > 0 ? ",s" : "s") + number;
        inputs +=
            (i > 0 ? "*[b" : "[b") + number + ",s" + number + ",b" + std::to_string(i + 1) + "]";
    }
    const std::vector<input> tensors(sites_.begin(), sites_.end());
    tensor<double> all(extents_t(sites_.size(), 2));
    contract("[" + spins + "]=" + inputs, tensors, all);
    return all;
}

} // namespace tenfold::examples
