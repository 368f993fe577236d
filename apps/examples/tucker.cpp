// Tucker decomposition: X(i,j,k) is approximated by the sum over a, b, c of G(a,b,c) A(i,a) B(j,b)
// C(k,c) with orthonormal factors A, B, C and a small core G. By higher-order orthogonal iteration
// (De Lathauwer, De Moor, Vandewalle, SIAM J. Matrix Anal. Appl. 21, 1324, 2000): while two factors
// are fixed, the third becomes the leading eigenvectors of X projected on them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

#include "apps/common/timing.hpp"
#include "apps/common/values.hpp"
#include "apps/examples/example.hpp"
#include "apps/examples/symmetric_eigen.hpp"

namespace tenfold::examples {
namespace {

using namespace apps_impl;

constexpr double unit = std::numeric_limits<double>::epsilon() / 2;
/// Iterations stop when |X - X'|^2 / |X|^2 changes by less than this.
constexpr double converged_change = 1e-12;

struct tucker_options {
    std::vector<index_t> extents = {64, 56, 48};
    std::vector<index_t> ranks = {8, 7, 6};
    double noise = 0.5; ///< relative to the exact part, root mean square
    int most_iterations = 20;
    common_options common;
};

double square_norm(const tensor<double> &x) {
    return std::inner_product(x.data(), x.data() + x.size(), x.data(), 0.0);
}

struct made_up_tensor {
    tensor<double> X;
    double noise; ///< the square norm of the noise
};

/// Makes a tensor of exactly the given ranks and adds noise.
made_up_tensor made_up(const tucker_options &asked, contraction_table &table) {
    const auto &n = asked.extents, &r = asked.ranks;
    random_numbers numbers(asked.common.seed);
    tensor<double> G(r), A({n[0], r[0]}), B({n[1], r[1]}), C({n[2], r[2]}), X(n);
    for (tensor<double> *one : {&G, &A, &B, &C})
        numbers.fill(*one);
    table.contract("ijk=abc*ia*jb*kc", {G, A, B, C}, X);
    const double level = asked.noise * std::sqrt(square_norm(X) / static_cast<double>(X.size()));
    double noise = 0;
    for (index_t i = 0; i < X.size(); ++i) {
        const double one = level * numbers();
        X.data()[i] += one;
        noise += one * one;
    }
    return {std::move(X), noise};
}

/// Projects X on all factors but that of `mode`, and returns the Gram matrix of the result in that
/// mode. Its leading eigenvectors are the best factor for the others.
tensor<double> gram_beside(std::size_t mode, const tensor<double> &X,
                           const std::array<tensor<double>, 3> &factors, contraction_table &table) {
    const auto &[A, B, C] = factors;
    const std::array<std::array<input, 3>, 3> operands = {{{X, B, C}, {X, A, C}, {X, A, B}}};
    constexpr std::array projections = {"ibc=ijk*jb*kc", "ajc=ijk*ia*kc", "abk=ijk*ia*jb"};
    constexpr std::array grams = {"il=ibc*lbc", "jl=ajc*alc", "kl=abk*abl"};
    extents_t left;
    for (std::size_t other = 0; other < 3; ++other)
        left.push_back(factors[other].shape().extent(other == mode ? 0 : 1));
    tensor<double> Y(left), gram({left[mode], left[mode]});
    table.contract(projections[mode], {operands[mode].begin(), operands[mode].end()}, Y);
    table.contract(grams[mode], {Y, Y}, gram);
    return gram;
}

class tucker_decomposition {
public:
    /// Starts from the leading eigenvectors of each mode of X alone (the higher-order singular
    /// value decomposition).
    tucker_decomposition(const tensor<double> &X, const extents_t &ranks, contraction_table &table);

    /// Updates every factor once, then the core.
    void iterate();

    const tensor<double> &core() const { return core_; }
    const tensor<double> &factor(std::size_t mode) const { return factors_[mode]; }
    const std::array<tensor<double>, 3> &factors() const { return factors_; }
    /// The square norm of X projected on the factors, after each update since the start.
    const std::vector<double> &captured() const { return captured_; }
    /// The part of X's square norm that the ranks leave out, for each mode.
    const std::array<double, 3> &tails() const { return tails_; }

private:
    /// Updates the factor of `mode` from the Gram matrix of X or of its projection. Returns the sum
    /// of the eigenvalues that are left out.
    double update(std::size_t mode, const tensor<double> &gram);

    const tensor<double> &X_;
    extents_t ranks_;
    contraction_table &table_;
    std::array<tensor<double>, 3> factors_;
    tensor<double> core_;
    std::vector<double> captured_;
    std::array<double, 3> tails_ = {};
};

tucker_decomposition::tucker_decomposition(const tensor<double> &X, const extents_t &ranks,
                                           contraction_table &table)
    : X_(X), ranks_(ranks),
      table_(table), factors_{tensor<double>({X.shape().extent(0), ranks[0]}),
                              tensor<double>({X.shape().extent(1), ranks[1]}),
                              tensor<double>({X.shape().extent(2), ranks[2]})},
      core_(ranks) {
    constexpr std::array grams = {"il=ijk*ljk", "jl=ijk*ilk", "kl=ijk*ijl"};
    for (std::size_t mode = 0; mode < 3; ++mode) {
        const index_t n = X.shape().extents()[mode];
        tensor<double> gram({n, n});
        table_.contract(grams[mode], {X, X}, gram);
        tails_[mode] = update(mode, gram);
    }
    captured_.clear(); // these are for one factor alone
}

void tucker_decomposition::iterate() {
    for (std::size_t mode = 0; mode < 3; ++mode)
        update(mode, gram_beside(mode, X_, factors_, table_));
    const auto &[A, B, C] = factors_;
    table_.contract("abc=ijk*ia*jb*kc", {X_, A, B, C}, core_);
}

double tucker_decomposition::update(std::size_t mode, const tensor<double> &gram) {
    const stopwatch watch;
    const eigen_system eigen = symmetric_eigen(gram);
    table_.charge("eigenvectors", "Jacobi", watch.seconds(), 0);
    tensor<double> &factor = factors_[mode];
    std::copy_n(eigen.vectors.data(), factor.size(), factor.data());
    const auto rank = eigen.values.begin() + ranks_[mode];
    captured_.push_back(std::accumulate(eigen.values.begin(), rank, 0.0));
    return std::accumulate(rank, eigen.values.end(), 0.0);
}

/// Recomputes some elements of the core in plain loops, and returns the largest error in units of
/// the bound for rounding.
double core_error(const tensor<double> &X, const tucker_decomposition &found) {
    const extents_t &n = X.shape().extents(), &r = found.core().shape().extents();
    const auto &A = found.factor(0), &B = found.factor(1), &C = found.factor(2);
    const double relative = static_cast<double>(n[0] + n[1] + n[2] + 6) * unit;
    double worst = 0;
    for (index_t one = 0; one < 16; ++one) {
        const index_t a = one % r[0], b = 3 * one % r[1], c = 5 * one % r[2];
        double sum = 0, magnitude = 0; // mode by mode, with as few roundings as the contractions
        for (index_t k = 0; k < n[2]; ++k) {
            double slice = 0, of_slice = 0;
            for (index_t j = 0; j < n[1]; ++j) {
                double fibre = 0, of_fibre = 0;
                for (index_t i = 0; i < n[0]; ++i) {
                    fibre += X(i, j, k) * A(i, a);
                    of_fibre += std::abs(X(i, j, k) * A(i, a));
                }
                slice += fibre * B(j, b);
                of_slice += of_fibre * std::abs(B(j, b));
            }
            sum += slice * C(k, c);
            magnitude += of_slice * std::abs(C(k, c));
        }
        // Both results are rounded, hence the factor 2.
        const double error = std::abs(found.core()(a, b, c) - sum) / (2 * relative * magnitude);
        worst =
            std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
    }
    return worst;
}

/// Returns the largest element of U^T U - 1.
double departure_from_orthonormal(const tensor<double> &U) {
    const index_t n = U.shape().extent(0), rank = U.shape().extent(1);
    double worst = 0;
    for (index_t a = 0; a < rank; ++a)
        for (index_t b = 0; b <= a; ++b) {
            const double dot = std::inner_product(&U(0, a), &U(0, a) + n, &U(0, b), 0.0);
            worst = std::max(worst, std::abs(dot - (a == b ? 1 : 0)));
        }
    return worst;
}

/// Returns how much the square norm of the core would grow by another update of one factor: 0 if
/// the factor is the best one for the others.
double gain_left(std::size_t mode, const tensor<double> &X, const tucker_decomposition &found,
                 contraction_table &table) {
    const eigen_system best = symmetric_eigen(gram_beside(mode, X, found.factors(), table));
    const auto rank = best.values.begin() + found.core().shape().extent(static_cast<int>(mode));
    return std::accumulate(best.values.begin(), rank, 0.0) - square_norm(found.core());
}

/// `converged`: the last iteration hardly changed the fit.
void check(const made_up_tensor &given, const tucker_decomposition &found, bool converged,
           contraction_table &table, checks &results) {
    const tensor<double> &X = given.X;
    const extents_t &n = X.shape().extents();
    // X minus its approximation in one call: X is the C of D = -A B .. + C.
    tensor<double> residual(n);
    table.contract("ijk=abc*ia*jb*kc",
                   {found.core(), found.factor(0), found.factor(1), found.factor(2)}, X, residual,
                   {.alpha = -1.0, .beta = 1.0});
    const double all = square_norm(X), left = square_norm(residual);
    const auto rounding = 100 * static_cast<double>(n[0] + n[1] + n[2]) * unit;

    results.at_most("core against plain loops, in units of what rounding explains",
                    core_error(X, found), 1);
    for (std::size_t mode = 0; mode < 3; ++mode)
        results.at_most("factor " + std::to_string(mode) + ", largest element of U^T U - 1",
                        departure_from_orthonormal(found.factor(mode)), rounding);
    double fall = 0;
    for (std::size_t i = 1; i < found.captured().size(); ++i)
        fall = std::max(fall, found.captured()[i - 1] - found.captured()[i]);
    results.at_most("largest fall of the fit from one factor to the next", fall / all, rounding);
    // The factor that was updated last is the best one for the others, and after convergence all
    // are. A factor that was not updated, or not with the current others, would still gain.
    for (std::size_t mode = converged ? 0 : 2; mode < 3; ++mode)
        results.at_most("what the fit would gain from another update of factor " +
                            std::to_string(mode),
                        gain_left(mode, X, found, table) / all,
                        rounding + (mode < 2 ? 10 * converged_change : 0));
    // With orthonormal factors, the projection of X and the rest are perpendicular.
    results.at_most("|X - X'|^2 against |X|^2 - |G|^2",
                    std::abs(left - (all - square_norm(found.core()))) / all, rounding);
    const auto &tails = found.tails();
    results.at_most("|X - X'|^2 / |X|^2 against what the ranks leave out of all modes together",
                    left / all, (tails[0] + tails[1] + tails[2]) / all + rounding);
    results.at_most("what they leave out of the worst mode against |X - X'|^2 / |X|^2",
                    *std::max_element(tails.begin(), tails.end()) / all, left / all + rounding);
    // The tensor without noise has exactly these ranks. The truncations of the three modes together
    // leave out at most three times what the best decomposition does.
    results.at_most("|X - X'|^2 / |X|^2 against three times the noise's", left / all,
                    3 * given.noise / all + rounding);
}

void run(const tucker_options &asked) {
    contraction_table table(asked.common.threads);
    const made_up_tensor given = made_up(asked, table);
    const tensor<double> &X = given.X;
    tucker_decomposition found(X, asked.ranks, table);

    const double all = square_norm(X);
    double before = 0;
    bool converged = false;
    for (int iteration = 1; iteration <= asked.most_iterations && !converged; ++iteration) {
        found.iterate();
        const double left = std::max(0.0, 1 - square_norm(found.core()) / all);
        std::printf("iteration %2d: |X - X'| / |X| = %.10f\n", iteration, std::sqrt(left));
        converged = std::abs(left - before) <= converged_change;
        before = left;
    }
    std::printf("\n");

    checks results;
    check(given, found, converged, table, results);
    std::printf("\n");
    table.print(asked.common.plans);
    results.conclude();
}

int tucker(const std::vector<std::string> &arguments) {
    tucker_options asked;
    command_line line("tenfold-example-tucker", "[options]",
                      "Tucker decomposition of a tensor of three modes, made up of the ranks asked "
                      "for and noise, by\nhigher-order orthogonal iteration. Fit, factors and core "
                      "are compared with what they have to be.");
    auto &what = line.group("What");
    add_value(what, "extents", "I,J,K", &asked.extents, parse_integers,
              "of the tensor; 64,56,48 unless given");
    add_value(what, "ranks", "A,B,C", &asked.ranks, parse_integers,
              "extents of the core; 8,7,6 unless given");
    add_number(what, "noise", &asked.noise, "noise beside the tensor; 0.5 unless given");
    const auto count = [](const std::string &option, const std::string &text) {
        return parse_count(option, text, 1);
    };
    add_value(what, "iterations", "N", &asked.most_iterations, count,
              "stop after so many; 20 unless given");
    if (!parse_with_common_options(line, asked.common, arguments))
        return exit_success;
    if (asked.extents.size() != 3 || asked.ranks.size() != 3)
        throw usage_error("--extents and --ranks take three numbers each, such as 64,56,48");
    for (std::size_t mode = 0; mode < 3; ++mode)
        if (asked.ranks[mode] < 1 || asked.ranks[mode] > asked.extents[mode])
            throw usage_error("--ranks: " + std::to_string(asked.ranks[mode]) +
                              " is not between 1 and the extent " +
                              std::to_string(asked.extents[mode]));
    run(asked);
    return exit_success;
}

} // namespace
} // namespace tenfold::examples

int main(int argc, char **argv) {
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return tenfold::apps_impl::run_program("tenfold-example-tucker",
                                           [&] { return tenfold::examples::tucker(arguments); });
}
