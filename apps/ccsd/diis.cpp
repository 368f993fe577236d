#include "apps/ccsd/diis.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <tenfold/context.hpp>

namespace tenfold::ccsd {
namespace {

constexpr const char *extrapolated[] = {"T1", "T2"};
constexpr const char *error_names[] = {"R1", "R2"};
static_assert(std::size(diis::kept_names) == diis::tensors_per_vector);

void copy(const dist_tensor<double> &from, dist_tensor<double> &to) {
    std::copy_n(from.data(), from.local_slice().size(), to.data());
}

double dot_of_block(const double *x, const double *y, index_t count) {
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

/// Adds this rank's part of the products of `x` with each of `others`, which have the same layout.
/// Works block by block, so that x is read once.
void add_products(const dist_tensor<double> &x, const std::vector<const double *> &others,
                  std::vector<double> &sums) {
    constexpr index_t block = 4096;
    const index_t size = x.local_slice().size();
    for (index_t begin = 0; begin < size; begin += block)
        for (std::size_t k = 0; k < others.size(); ++k)
            sums[k] +=
                dot_of_block(x.data() + begin, others[k] + begin, std::min(block, size - begin));
}

/// Sums over ranks in their order, so that all ranks have the same bits.
std::vector<double> sum_over_ranks(const world &ranks, const std::vector<double> &mine) {
    const auto count = static_cast<int>(mine.size());
    std::vector<double> all(mine.size() * static_cast<std::size_t>(ranks.size()));
    MPI_Allgather(mine.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, ranks.comm());
    std::vector<double> sums(mine.size(), 0.0);
    for (std::size_t i = 0; i < all.size(); ++i)
        sums[i % mine.size()] += all[i];
    return sums;
}

} // namespace

std::vector<double> solve(std::vector<double> a, std::vector<double> b) {
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

diis::~diis() {
    // Freeing tensors needs no communication.
    for (const entry &one : entries_)
        erase(one.place);
}

void diis::erase(int place) {
    for (const char *name : kept_names)
        tensors_.erase(stored_name(name, place));
}

void diis::forget_oldest() {
    entries_.pop_front();
    for (entry &one : entries_)
        one.products.erase(one.products.begin());
}

void diis::remember() {
    int place = next_place_++;
    if (static_cast<int>(entries_.size()) == most_) { // removes the oldest
        place = entries_.front().place;
        forget_oldest();
    }
    for (const char *name : kept_names) { // they are made again here or by the next residual
        tensors_.create(stored_name(name, place), tensors_[name].extents());
        tensors_.swap(name, stored_name(name, place));
    }
    entries_.push_back({place, {}});
    const auto newest = [&](const char *name) -> const dist_tensor<double> & {
        return tensors_[stored_name(name, place)];
    };
    if (context::global().settings().reproducible) {
        for (const entry &one : entries_) {
            double product = 0;
            for (const char *name : error_names)
                product += dot(tensors_[stored_name(name, one.place)], newest(name));
            entries_.back().products.push_back(product);
        }
        return;
    }
    std::vector<double> products(entries_.size(), 0.0);
    for (const char *name : error_names) {
        std::vector<const double *> others;
        for (const entry &one : entries_)
            others.push_back(tensors_[stored_name(name, one.place)].data());
        add_products(newest(name), others, products);
    }
    entries_.back().products = sum_over_ranks(tensors_.ranks(), products);
}

/// Minimises |sum c_k e_k|^2 subject to sum c_k = 1, by a Lagrange multiplier. The products span
/// many orders of magnitude, so that they are scaled by that of the smallest error.
std::vector<double> diis::coefficients() const {
    const std::size_t count = entries_.size();
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
    std::vector<double> x = solve(std::move(a), std::move(b));
    if (!x.empty())
        x.pop_back();
    return x;
}

std::vector<std::string> diis::names() const {
    std::vector<std::string> all;
    for (const entry &one : entries_)
        for (const char *name : kept_names)
            all.push_back(stored_name(name, one.place));
    return all;
}

std::vector<std::vector<double>> diis::products() const {
    std::vector<std::vector<double>> all;
    for (const entry &one : entries_)
        all.push_back(one.products);
    return all;
}

std::string diis::stored_name(const std::string &kept, int place) {
    return "diis_" + kept + "_" + std::to_string(place);
}

std::string diis::name_of(int i) {
    return stored_name(kept_names[i % tensors_per_vector], i / tensors_per_vector);
}

void diis::restore(const std::vector<std::vector<double>> &products) {
    for (const std::vector<double> &one : products)
        entries_.push_back({next_place_++, one});
}

void diis::extrapolate() {
    if (most_ < 2)
        return;
    remember();
    std::vector<double> c = coefficients();
    while (c.empty() && entries_.size() > 1) { // linearly dependent: drop the oldest
        erase(entries_.front().place);
        forget_oldest();
        c = coefficients();
    }
    if (c.empty()) {
        for (const char *name : extrapolated)
            copy(tensors_[stored_name(name, entries_.back().place)], tensors_[name]);
        return;
    }
    for (const char *name : extrapolated) {
        dist_tensor<double> &t = tensors_[name];
        const index_t size = t.local_slice().size();
        std::vector<const double *> from;
        for (const entry &one : entries_)
            from.push_back(tensors_[stored_name(name, one.place)].data());
        // Blocks stay in cache while the terms are added.
        constexpr index_t block = 4096;
        for (index_t begin = 0; begin < size; begin += block) {
            const index_t end = std::min(size, begin + block);
            std::fill(t.data() + begin, t.data() + end, 0.0);
            for (std::size_t k = 0; k < from.size(); ++k)
                for (index_t i = begin; i < end; ++i)
                    t.data()[i] += c[k] * from[k][i];
        }
    }
}

} // namespace tenfold::ccsd
