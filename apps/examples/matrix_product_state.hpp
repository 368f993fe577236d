// Matrix product states: a vector of 2^sites elements as a chain of small tensors, and what
// contractions make of it.
#pragma once

#include <vector>

#include "apps/examples/example.hpp"

namespace tenfold::examples {

/// The lowest eigenvector of an operator in the form of a chain, W(v, w, s, t) on each site. A site
/// is a tensor A(b, s, c): the bonds to the left and the right and the spin between; the outermost
/// bonds have extent 1. All but one or two neighbouring sites are orthonormal towards these, so
/// that the eigenvalue problem of the two is an ordinary one (White, Phys. Rev. Lett. 69, 2863,
/// 1992; Schollwoeck, Ann. Phys. 326, 96, 2011).
class matrix_product_state {
public:
    /// All spins alike: (1, 1) / sqrt(2). The operator begins with bond `first` and ends with
    /// `last`.
    matrix_product_state(index_t sites, tensor<double> chain_operator, index_t first, index_t last,
                         contraction_table &table);

    index_t sites() const noexcept { return static_cast<index_t>(sites_.size()); }
    const tensor<double> &site(index_t i) const { return sites_[static_cast<std::size_t>(i)]; }
    index_t largest_bond() const;
    /// Square norm that was cut off so far, at most, in one place.
    double largest_truncation() const noexcept { return truncation_; }

    /// Optimises every pair of neighbours, from left to right and back, with bonds of at most
    /// `most` and `steps` Lanczos steps each. Returns the last energy.
    double sweep(index_t most, int steps);

    double square_norm() const;
    double energy() const;        ///< <H>
    double square_energy() const; ///< <H^2>

    /// All elements, spin i being mode i.
    tensor<double> dense() const;

private:
    /// The lowest state of sites i and i + 1 in the field of all others.
    tensor<double> optimise(index_t i, int steps, double &energy);
    void split_to_the_right(index_t i, const tensor<double> &pair, index_t most);
    void split_to_the_left(index_t i, const tensor<double> &pair, index_t most);
    /// How many singular values to keep, given their squares, and what makes their norm 1 again.
    struct cut {
        index_t bond;
        double scale;
    };
    cut cut_off(const std::vector<double> &weights, index_t most);

    tensor<double> W_;
    index_t first_, last_;
    contraction_table &table_;
    std::vector<tensor<double>> sites_;
    /// left_[i](a, v, b): all sites before i, the operator's bond between those of bra and ket;
    /// right_[i] all from i on.
    std::vector<tensor<double>> left_, right_;
    double truncation_ = 0;
};

} // namespace tenfold::examples
