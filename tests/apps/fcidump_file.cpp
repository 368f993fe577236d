#include "fcidump_file.hpp"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace tenfold::testing {
namespace {

std::size_t place(int n, int p, int q, int r, int s) {
    return static_cast<std::size_t>(((p * n + q) * n + r) * n + s);
}

} // namespace

double &fcidump_file::g(int p, int q, int r, int s) { return two_[place(n_, p, q, r, s)]; }
double fcidump_file::g(int p, int q, int r, int s) const { return two_[place(n_, p, q, r, s)]; }

fcidump_file::fcidump_file(const std::string &path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    EXPECT_EQ(std::sscanf(line.c_str(), " &FCI NORB=%d,NELEC=%d", &n_, &electrons_), 2) << path;
    while (std::getline(file, line) && line.find("&END") == std::string::npos) {
    }
    const auto n = static_cast<std::size_t>(n_);
    one_.assign(n * n, 0.0);
    two_.assign(n * n * n * n, 0.0);
    double x = 0;
    int i = 0;
    int j = 0;
    int k = 0;
    int l = 0;
    while (file >> x >> i >> j >> k >> l) {
        if (k > 0) {
            for (const auto &[p, q] : {std::pair(i - 1, j - 1), std::pair(j - 1, i - 1)})
                for (const auto &[r, s] : {std::pair(k - 1, l - 1), std::pair(l - 1, k - 1)})
                    g(p, q, r, s) = g(r, s, p, q) = x;
        } else if (j > 0) {
            one_[static_cast<std::size_t>((i - 1) * n_ + j - 1)] = x;
            one_[static_cast<std::size_t>((j - 1) * n_ + i - 1)] = x;
        } else if (i == 0) {
            constant_ = x;
        }
    }
}

/// New orbital p = sum_r u[r n + p] old orbital r.
void fcidump_file::transform(const std::vector<double> &u) {
    const auto at = [&](int r, int p) { return u[static_cast<std::size_t>(r * n_ + p)]; };
    std::vector<double> one(one_.size(), 0.0);
    for (int p = 0; p < n_; ++p)
        for (int q = 0; q < n_; ++q)
            for (int r = 0; r < n_; ++r)
                for (int s = 0; s < n_; ++s)
                    one[static_cast<std::size_t>(p * n_ + q)] +=
                        at(r, p) * at(s, q) * one_[static_cast<std::size_t>(r * n_ + s)];
    one_ = one;
    // Transforms the first mode and moves it to the end, four times.
    for (int mode = 0; mode < 4; ++mode) {
        std::vector<double> two(two_.size(), 0.0);
        for (int p = 0; p < n_; ++p)
            for (int q = 0; q < n_; ++q)
                for (int r = 0; r < n_; ++r)
                    for (int s = 0; s < n_; ++s)
                        for (int x = 0; x < n_; ++x)
                            two[place(n_, q, r, s, p)] += at(x, p) * g(x, q, r, s);
        two_ = two;
    }
}

void fcidump_file::rotate(int p, int q, double angle) {
    std::vector<double> u(one_.size(), 0.0);
    for (int r = 0; r < n_; ++r)
        u[static_cast<std::size_t>(r * n_ + r)] = 1;
    u[static_cast<std::size_t>(p * n_ + p)] = u[static_cast<std::size_t>(q * n_ + q)] =
        std::cos(angle);
    u[static_cast<std::size_t>(q * n_ + p)] = std::sin(angle);
    u[static_cast<std::size_t>(p * n_ + q)] = -std::sin(angle);
    transform(u);
}

void fcidump_file::reorder(const std::vector<int> &order) {
    std::vector<double> u(one_.size(), 0.0);
    for (int p = 0; p < n_; ++p)
        u[static_cast<std::size_t>(order[static_cast<std::size_t>(p)] * n_ + p)] = 1;
    transform(u);
}

std::string fcidump_file::text(const style &how) const {
    std::string out = how.header.empty()
                          ? " &FCI NORB=" + std::to_string(n_) +
                                ",NELEC=" + std::to_string(electrons_) + ",MS2=0,\n &END\n"
                          : how.header;
    const auto add = [&](double x, int i, int j, int k, int l) {
        char line[128];
        std::snprintf(line, sizeof line, "%25.17E %d %d %d %d\n", x, i, j, k, l);
        std::string text = line;
        if (how.fortran_exponents)
            text[text.find('E')] = 'D';
        out += text;
    };
    if (how.constant_first)
        add(constant_, 0, 0, 0, 0);
    for (int p = 0; p < n_; ++p)
        for (int q = 0; q <= p; ++q)
            for (int r = 0; r <= p; ++r)
                for (int s = 0; s <= r; ++s) {
                    if (r == p && s > q)
                        continue;
                    add(g(p, q, r, s), p + 1, q + 1, r + 1, s + 1);
                    if (how.twice)
                        add(g(p, q, r, s), s + 1, r + 1, p + 1, q + 1);
                }
    for (int p = 0; p < n_; ++p)
        for (int q = 0; q <= p; ++q)
            add(one_[static_cast<std::size_t>(p * n_ + q)], p + 1, q + 1, 0, 0);
    if (how.orbital_energies)
        for (int p = 0; p < n_; ++p)
            add(-p, p + 1, 0, 0, 0);
    if (!how.constant_first)
        add(constant_, 0, 0, 0, 0);
    return out;
}

} // namespace tenfold::testing
