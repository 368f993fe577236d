#include "apps/ccsd/diagnostics.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <tenfold/dist_operations.hpp>

#include "apps/ccsd/amplitudes.hpp"
#include "apps/ccsd/canonical.hpp"
#include "apps/ccsd/equations.hpp"
#include "apps/ccsd/pairs.hpp"

namespace tenfold::ccsd {
namespace {

constexpr std::size_t most_told = 10;
constexpr double least_told = 1e-8;

/// An amplitude as ranks exchange it; orbitals count from 0 in the program's order.
struct candidate {
    double value = 0;
    std::array<index_t, 4> place{}; ///< i, j, a, b; for singles i, 0, a, 0

    bool operator<(const candidate &other) const noexcept {
        const double mine = std::abs(value);
        const double theirs = std::abs(other.value);
        return mine != theirs ? mine > theirs : place < other.place;
    }
};

/// Keeps the largest of the amplitudes that it is shown.
class largest_ones {
public:
    void show(const candidate &one) {
        if (std::abs(one.value) < std::max(least_told, least_))
            return;
        found_.insert(std::upper_bound(found_.begin(), found_.end(), one), one);
        if (found_.size() > most_told)
            found_.pop_back();
        if (found_.size() == most_told)
            least_ = std::abs(found_.back().value);
    }
    const std::vector<candidate> &found() const noexcept { return found_; }

private:
    std::vector<candidate> found_; ///< sorted
    double least_ = 0;             ///< of ten; smaller ones need no look
};

/// Returns the largest amplitudes in this rank's part of T2, each pair of excitations once.
largest_ones largest_doubles(const dist_tensor<double> &t2) {
    largest_ones result;
    const slice own = t2.local_slice();
    const double *t = t2.data();
    if (own.empty())
        return result;
    for (index_t j = own.offsets[3]; j < own.offsets[3] + own.extents[3]; ++j)
        for (index_t i = own.offsets[2]; i < own.offsets[2] + own.extents[2]; ++i)
            for (index_t b = own.offsets[1]; b < own.offsets[1] + own.extents[1]; ++b)
                for (index_t a = own.offsets[0]; a < own.offsets[0] + own.extents[0]; ++a, ++t)
                    if (i < j || (i == j && a <= b))
                        result.show({*t, {i, j, a, b}});
    return result;
}

/// Returns the largest amplitudes of all ranks, on each of them. Ranks exchange ten numbers each,
/// not T2.
std::vector<candidate> largest_of_all(const world &ranks, const largest_ones &mine) {
    std::array<candidate, most_told> sent{};
    std::copy(mine.found().begin(), mine.found().end(), sent.begin());
    largest_ones result;
    for (const auto &of_rank : all_gather(ranks, sent))
        for (const candidate &one : of_rank)
            result.show(one);
    return result.found();
}

std::vector<amplitude> as_amplitudes(const std::vector<candidate> &found, const molecule &system,
                                     std::size_t excited) {
    std::vector<amplitude> result;
    for (const candidate &one : found) {
        amplitude &told = result.emplace_back();
        told.value = one.value;
        for (std::size_t k = 0; k < excited; ++k) {
            told.from.push_back(system.file_orbital(one.place[k]));
            told.to.push_back(system.file_orbital(system.o() + one.place[2 + k]));
        }
    }
    return result;
}

/// The square root of the largest eigenvalue of T1^T T1.
double largest_singular_value(const tensor<double> &t1) {
    const index_t v = t1.shape().extents()[0];
    const index_t o = t1.shape().extents()[1];
    std::vector<double> square;
    for (index_t j = 0; j < o; ++j)
        for (index_t i = 0; i < o; ++i) {
            double sum = 0;
            for (index_t a = 0; a < v; ++a)
                sum += t1(a, i) * t1(a, j);
            square.push_back(sum);
        }
    return std::sqrt(std::max(0.0, diagonalise(std::move(square), o).values.back()));
}

} // namespace

diagnostics diagnose(tensor_set &tensors, const molecule &system, double energy) {
    diagnostics result;
    const tensor<double> t1 = tensors["T1"].gather_all(); // a matrix
    double squares = 0;
    largest_ones singles;
    for (index_t i = 0; i < system.o(); ++i)
        for (index_t a = 0; a < system.v(); ++a) {
            const double t = t1(a, i);
            squares += t * t;
            result.energy.singles += 2 * system.f(system.o() + a, i) * t;
            singles.show({t, {i, 0, a, 0}});
        }
    result.t1 = std::sqrt(squares / static_cast<double>(2 * system.o()));
    result.d1 = largest_singular_value(t1);
    result.largest_t1 = as_amplitudes(singles.found(), system, 1);
    result.largest_t2 =
        as_amplitudes(largest_of_all(tensors.ranks(), largest_doubles(tensors["T2"])), system, 2);

    for (const char *line : opposite_spin_equations())
        run_line(tensors, line);
    tensors.agree_on_failures();
    result.energy.opposite = scalar_of(tensors["Eo"]);
    result.energy.same = energy - result.energy.singles - result.energy.opposite;
    return result;
}

} // namespace tenfold::ccsd
