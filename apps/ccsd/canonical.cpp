#include "apps/ccsd/canonical.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <tenfold/dist_operations.hpp>

#include "apps/ccsd/amplitudes.hpp"

namespace tenfold::ccsd {

eigen_system diagonalise(std::vector<double> matrix, index_t n) {
    const auto at = [n](std::vector<double> &m, index_t row, index_t column) -> double & {
        return m[static_cast<std::size_t>(row + column * n)];
    };
    std::vector<double> vectors(matrix.size(), 0.0);
    for (index_t i = 0; i < n; ++i)
        at(vectors, i, i) = 1;
    constexpr int most_sweeps = 60; // Jacobi's method converges quadratically, in fewer than ten
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        double off = 0;
        double on = 0;
        for (index_t q = 0; q < n; ++q)
            for (index_t p = 0; p < n; ++p)
                (p == q ? on : off) += at(matrix, p, q) * at(matrix, p, q);
        if (off <= 1e-32 * on)
            break;
        for (index_t q = 1; q < n; ++q)
            for (index_t p = 0; p < q; ++p) {
                const double pq = at(matrix, p, q);
                if (pq == 0)
                    continue;
                const double theta = (at(matrix, q, q) - at(matrix, p, p)) / (2 * pq);
                const double t =
                    (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
                const double c = 1 / std::sqrt(t * t + 1);
                const double s = t * c;
                const auto turn = [c, s](double &x, double &y) {
                    const double old = x;
                    x = c * old - s * y;
                    y = s * old + c * y;
                };
                for (index_t r = 0; r < n; ++r)
                    turn(at(matrix, p, r), at(matrix, q, r));
                for (index_t r = 0; r < n; ++r) {
                    turn(at(matrix, r, p), at(matrix, r, q));
                    turn(at(vectors, r, p), at(vectors, r, q));
                }
            }
    }
    std::vector<index_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](index_t a, index_t b) { return at(matrix, a, a) < at(matrix, b, b); });
    eigen_system result;
    for (const index_t column : order) {
        result.values.push_back(at(matrix, column, column));
        for (index_t row = 0; row < n; ++row)
            result.vectors.push_back(at(vectors, row, column));
    }
    return result;
}

bool is_canonical(const molecule &system) {
    constexpr double threshold = 1e-10;
    for (index_t q = 0; q < system.active(); ++q)
        for (index_t p = 0; p < q; ++p)
            if ((p < system.o()) == (q < system.o()) && std::abs(system.f(p, q)) > threshold)
                return false;
    return true;
}

semi_canonical::semi_canonical(tensor_set &tensors, const molecule &system)
    : tensors_(tensors), system_(system) {
    std::fill(system_.fock.begin(), system_.fock.end(), 0.0);
    const index_t all = system.active();
    const auto block = [&](const char *name, index_t begin, index_t size) {
        std::vector<double> f;
        for (index_t q = begin; q < begin + size; ++q)
            for (index_t p = begin; p < begin + size; ++p)
                f.push_back(system.f(p, q));
        const eigen_system found = diagonalise(std::move(f), size);
        for (index_t p = 0; p < size; ++p)
            system_.fock[static_cast<std::size_t>((begin + p) * (all + 1))] =
                found.values[static_cast<std::size_t>(p)];
        // All ranks compute the same rotations, because input and operations are the same.
        tensors_.create(name, {size, size})
            .fill([&](const extents_t &offsets, tensor_view<double> own) {
                for (index_t q = 0; q < own.extent(1); ++q)
                    for (index_t p = 0; p < own.extent(0); ++p)
                        own(p, q) = found.vectors[static_cast<std::size_t>(
                            offsets[0] + p + size * (offsets[1] + q))];
            });
    };
    block("Uo", 0, system.o());
    block("Uv", system.o(), system.v());
}

semi_canonical::~semi_canonical() {
    tensors_.erase("Uo");
    tensors_.erase("Uv");
}

void semi_canonical::rotate(const std::string &name, const std::string &classes) {
    // A tensor that is whole on each rank is distributed first, because contractions need operands
    // that are all distributed.
    if (tensors_[name].owner().size() < tensors_.ranks().size()) {
        tensors_.run("rotated[p,q,r,s] = " + name + "[p,q,r,s]");
        tensors_.rename("rotated", name);
    }
    // Rotates one mode after the other: "rotated[p,X,r,s] = name[p,q,r,s]*Uo[q,X]".
    for (std::size_t mode = 0; mode < classes.size(); ++mode) {
        std::string from;
        std::string to;
        for (std::size_t i = 0; i < classes.size(); ++i) {
            const std::string label(1, "pqrs"[i]);
            from += (i == 0 ? "" : ",") + label;
            to += (i == 0 ? "" : ",") + (i == mode ? std::string("X") : label);
        }
        const std::string u = classes[mode] == 'o' ? "Uo" : "Uv";
        tensors_.run("rotated[" + to + "] = " + name + "[" + from + "]*" + u + "[" + "pqrs"[mode] +
                     ",X]");
        tensors_.rename("rotated", name);
    }
}

spin_parts mp2_energy(tensor_set &tensors, const molecule &system) {
    // Works on copies, because the original integrals are needed later.
    tensors.run("mp2_vovo[a,i,b,j] = vovo[a,i,b,j]");
    molecule diagonal = system;
    if (!is_canonical(system)) {
        semi_canonical orbitals(tensors, system);
        orbitals.rotate("mp2_vovo", "vovo");
        diagonal = orbitals.system();
    }
    tensors.run("mp2_T2[a,b,i,j] = mp2_vovo[a,i,b,j]");
    divide_by_denominators(tensors["mp2_T2"], diagonal);
    for (const char *line : mp2_energy_lines)
        tensors.run(line);
    const double opposite = scalar_of(tensors["mp2_opposite"]);
    const spin_parts energy{.opposite = opposite,
                            .same = opposite - scalar_of(tensors["mp2_exchange"])};
    for (const char *name : {"mp2_vovo", "mp2_T2", "mp2_opposite", "mp2_exchange"})
        tensors.erase(name);
    return energy;
}

} // namespace tenfold::ccsd
