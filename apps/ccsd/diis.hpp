// Direct inversion in the iterative subspace (P. Pulay, Chem. Phys. Lett. 73, 393 (1980)), of
// coupled-cluster amplitudes (G. E. Scuseria, T. J. Lee, H. F. Schaefer, ibid. 130, 236 (1986)).
#pragma once

#include <deque>
#include <vector>

#include "apps/ccsd/tensor_set.hpp"

namespace tenfold::ccsd {

/// All calls are collective.
class diis {
public:
    /// Keeps up to `most` pairs of amplitudes and errors under names of its own; 0 or 1: none.
    diis(tensor_set &tensors, int most) : tensors_(tensors), most_(most) {}
    ~diis();
    diis(const diis &) = delete;
    diis &operator=(const diis &) = delete;

    /// Remembers T1, T2 and what the update changed them by, in R1, R2; replaces T1, T2 by the
    /// combination of those remembered whose error is smallest. R1, R2 hold something else then:
    /// what is remembered changes places with what was, since copying takes as long as the rest.
    void extrapolate();

    /// What it remembers, oldest first: tensors by name, four for each vector (T1, T2 and their
    /// errors); and the products of each error with those before it and itself.
    std::vector<std::string> names() const;
    std::vector<std::vector<double>> products() const;

    /// What is kept of each vector, and the names under which the vector at `place` keeps it.
    static constexpr const char *kept_names[] = {"T1", "T2", "R1", "R2"};
    static constexpr int tensors_per_vector = 4;
    static std::string stored_name(const std::string &kept, int place);
    /// The name under which restore() looks for the i-th of names().
    static std::string name_of(int i);
    /// Goes on from what another one knew: products() of it, and its tensors as name_of() says.
    void restore(const std::vector<std::vector<double>> &products);

private:
    struct entry {
        int place;                    ///< part of the names of its tensors
        std::vector<double> products; ///< of its error with those before it and its own
    };
    void remember();
    void forget_oldest();
    void erase(int place);
    std::vector<double> coefficients() const;

    tensor_set &tensors_;
    int most_;
    int next_place_ = 0;
    std::deque<entry> entries_;
};

/// Solves A x = b, A dense, symmetric, row-major n x n, by elimination with pivoting; empty where A
/// is singular to working precision.
std::vector<double> solve(std::vector<double> a, std::vector<double> b);

} // namespace tenfold::ccsd
