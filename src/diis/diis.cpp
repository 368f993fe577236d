#include <cmath>

#include <tenfold/chem_diis.hpp>
#include <tenfold/error.hpp>

namespace tenfold::chem {
namespace {

/// Elements of a block, which stays in cache.
constexpr index_t block_elements = 4096;

double dot_of_block(const double *x, const double *y, index_t count) noexcept {
    constexpr index_t lanes = 16; // independent sums, enough to fill registers
    double sums[lanes] = {};
    index_t i = 0;
    for (; i + lanes <= count; i += lanes)
        for (index_t lane = 0; lane < lanes; ++lane)
            sums[lane] += x[i + lane] * y[i + lane];
    double sum = 0;
    for (const double one : sums)
        sum += one;
    for (; i < count; ++i)
        sum += x[i] * y[i];
    return sum;
}

} // namespace

std::vector<double> solve_symmetric(std::vector<double> a, std::vector<double> b) {
    const std::size_t n = b.size();
    const auto at = [&](std::size_t row, std::size_t column) -> double & {
        return a[row * n + column];
    };
    double largest = 0;
    for (const double x : a)
        largest = std::max(largest, std::abs(x));
    for (std::size_t step = 0; step < n; ++step) {
        std::size_t pivot = step;
        for (std::size_t row = step + 1; row < n; ++row)
            if (std::abs(at(row, step)) > std::abs(at(pivot, step)))
                pivot = row;
        if (!(std::abs(at(pivot, step)) > 1e-14 * largest))
            return {};
        for (std::size_t column = 0; column < n; ++column)
            std::swap(at(step, column), at(pivot, column));
        std::swap(b[step], b[pivot]);
        for (std::size_t row = step + 1; row < n; ++row) {
            const double factor = at(row, step) / at(step, step);
            for (std::size_t column = step; column < n; ++column)
                at(row, column) -= factor * at(step, column);
            b[row] -= factor * b[step];
        }
    }
    for (std::size_t row = n; row-- > 0;) {
        for (std::size_t column = row + 1; column < n; ++column)
            b[row] -= at(row, column) * b[column];
        b[row] /= at(row, row);
    }
    return b;
}

diis_subspace::diis_subspace(int most) : most_(most) {
    if (most < 1)
        throw error(errc::invalid_argument,
                    "diis_subspace: " + std::to_string(most) + " vectors: expected at least 1");
}

std::vector<int> diis_subspace::places() const {
    std::vector<int> all;
    for (const entry &one : entries_)
        all.push_back(one.place);
    return all;
}

int diis_subspace::make_room() { return size() == most_ ? forget_oldest() : next_place_++; }

void diis_subspace::add(int place, std::vector<double> products) {
    if (products.size() != entries_.size() + 1)
        throw error(errc::invalid_argument, "diis_subspace: " + std::to_string(products.size()) +
                                                " inner products: expected " +
                                                std::to_string(entries_.size() + 1) +
                                                ", with the vectors that are kept and with itself");
    entries_.push_back({place, std::move(products)});
}

int diis_subspace::forget_oldest() {
    const int place = entries_.front().place;
    entries_.pop_front();
    for (entry &one : entries_)
        one.products.erase(one.products.begin());
    return place;
}

// By a Lagrange multiplier. The products span many orders of magnitude, so that they are scaled by
// that of the smallest error.
std::vector<double> diis_subspace::coefficients() const {
    const std::size_t count = entries_.size();
    if (count == 0)
        return {};
    double scale = entries_.front().products.back();
    for (std::size_t i = 0; i < count; ++i)
        scale = std::min(scale, entries_[i].products[i]);
    if (!(scale > 0))
        return {};
    const std::size_t n = count + 1;
    std::vector<double> a(n * n, 0.0);
    std::vector<double> b(n, 0.0);
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j <= i; ++j)
            a[i * n + j] = a[j * n + i] = entries_[i].products[j] / scale;
        a[i * n + count] = a[count * n + i] = 1;
    }
    b[count] = 1;
    std::vector<double> x = solve_symmetric(std::move(a), std::move(b));
    if (!x.empty())
        x.pop_back();
    return x;
}

std::vector<std::vector<double>> diis_subspace::products() const {
    std::vector<std::vector<double>> all;
    for (const entry &one : entries_)
        all.push_back(one.products);
    return all;
}

void diis_subspace::restore(const std::vector<std::vector<double>> &products) {
    for (const std::vector<double> &one : products)
        add(next_place_++, one);
}

void add_inner_products(const double *x, std::span<const double *const> others, index_t size,
                        std::span<double> sums) noexcept {
    for (index_t begin = 0; begin < size; begin += block_elements)
        for (std::size_t k = 0; k < others.size(); ++k)
            sums[k] +=
                dot_of_block(x + begin, others[k] + begin, std::min(block_elements, size - begin));
}

void combine(std::span<const double> c, std::span<const double *const> from, index_t size,
             double *to) noexcept {
    for (index_t begin = 0; begin < size; begin += block_elements) {
        const index_t end = std::min(size, begin + block_elements);
        std::fill(to + begin, to + end, 0.0);
        for (std::size_t k = 0; k < from.size(); ++k)
            for (index_t i = begin; i < end; ++i)
                to[i] += c[k] * from[k][i];
    }
}

double inner_product(const tensor<double> &x, const tensor<double> &y) {
    if (x.shape() != y.shape())
        throw error(errc::extent_mismatch, "inner_product: X has " + x.shape().describe() +
                                               ", Y has " + y.shape().describe());
    const double *other = y.data();
    double sum = 0;
    add_inner_products(x.data(), {&other, 1}, x.size(), {&sum, 1});
    return sum;
}

} // namespace tenfold::chem
