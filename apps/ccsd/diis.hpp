// DIIS (<tenfold/chem_diis.hpp>) of the amplitudes in a tensor_set.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <tenfold/chem_diis.hpp>

#include "apps/ccsd/tensor_set.hpp"

namespace tenfold::ccsd {

/// All calls are collective.
class diis {
public:
    /// Keeps up to `most` pairs of amplitudes and errors under their own names; 0 or 1 keeps none.
    diis(tensor_set &tensors, int most)
        : tensors_(tensors), most_(most), subspace_(std::max(most, 1)) {}
    ~diis();
    diis(const diis &) = delete;
    diis &operator=(const diis &) = delete;

    /// Stores T1, T2 and their last change, R1 and R2. Replaces T1, T2 by the combination of the
    /// stored amplitudes whose error is smallest. Afterwards the elements of R1, R2 are undefined,
    /// because tensors are swapped instead of copied; a copy would take as long as everything else
    /// here.
    void extrapolate();

    /// The stored state, oldest first: names of tensors, four for each vector (T1, T2 and their
    /// errors); and the products of each error with the earlier ones and itself.
    std::vector<std::string> names() const;
    std::vector<std::vector<double>> products() const { return subspace_.products(); }

    /// The tensors of each vector, and the names under which the vector at `place` stores them.
    static constexpr const char *kept_names[] = {"T1", "T2", "R1", "R2"};
    static constexpr int tensors_per_vector = 4;
    static std::string stored_name(const std::string &kept, int place);
    /// The name under which restore() looks for the i-th of names().
    static std::string name_of(int i);
    /// Restores the state of another object from its products() and its tensors, named by
    /// name_of().
    void restore(const std::vector<std::vector<double>> &products) { subspace_.restore(products); }

private:
    void remember();
    void erase(int place);
    std::vector<const double *> kept_data(const char *name) const;

    tensor_set &tensors_;
    int most_;
    chem::diis_subspace subspace_;
};

} // namespace tenfold::ccsd
