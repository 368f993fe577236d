// Matrix product states: a vector of 2^sites elements as a chain of small tensors.
#pragma once

#include <vector>

#include "apps/examples/example.hpp"

namespace tenfold::examples {

/// Finds the lowest eigenvector of an operator in the form of a chain, W(v, w, s, t) on each site.
/// A site is a tensor A(b, s, c): the bonds to the left and the right and the spin between; the
/// outermost bonds have extent 1. All sites but one or two neighbours are orthonormal towards
/// these, so that the two have an ordinary eigenvalue problem (White, Phys. Rev. Lett. 69, 2863,
/// 1992; Schollwoeck, Ann. Phys. 326, 96, 2011).
class matrix_product_state {
public:
    /// Starts with all spins in the state (1, 1) / sqrt(2). The operator begins with bond `first`
    /// and ends with `last`.
    matrix_product_state(index_t sites, tensor<double> chain_operator, index_t first, index_t last,
                         contraction_table &table);

    index_t sites() const noexcept { return static_cast<index_t>(sites_.size()); }
    const tensor<double> &site(index_t i) const { return sites_[static_cast<std::size_t>(i)]; }
    index_t largest_bond() const;
    /// The largest square norm that was truncated at one bond so far.
    double largest_truncation() const noexcept { return truncation_; }

    /// Optimises every pair of neighbours, from left to right and back, with bonds of at most
    /// `most` and with `steps` Lanczos steps each. Returns the last energy.
    double sweep(index_t most, int steps);

    double square_norm() const;
    double energy() const;        ///< <H>
    double square_energy() const; ///< <H^2>

    /// Returns all elements; spin i is mode i.
    tensor<double> dense() const;

private:
    /// Returns the lowest state of sites i and i + 1 while all others are fixed.
    tensor<double> optimise(index_t i, int steps, double &energy);
    void split_to_the_right(index_t i, const tensor<double> &pair, index_t most);
    void split_to_the_left(index_t i, const tensor<double> &pair, index_t most);
    /// The number of singular values to keep, and the scale that makes their norm 1 again.
    struct cut {
        index_t bond;
        double scale;
    };
    cut cut_off(const std::vector<double> &weights, index_t most);

    tensor<double> W_;
    index_t first_, last_;
    contraction_table &table_;
    std::vector<tensor<double>> sites_;
    /// left_[i](a, v, b) contracts all sites before i; v is the operator's bond between those of
    /// bra and ket. right_[i] contracts all sites from i on.
    std::vector<tensor<double>> left_, right_;
    double truncation_ = 0;
};

} // namespace tenfold::examples
