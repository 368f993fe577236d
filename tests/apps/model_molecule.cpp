#include "model_molecule.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <vector>

namespace tenfold::testing {

std::string model_molecule(int occupied, int virtuals) {
    const int n = occupied + virtuals;
    constexpr std::size_t vectors = 4;
    using products = std::array<double, vectors>;
    const auto place = [](int p, int q) {
        const int high = std::max(p, q);
        return static_cast<std::size_t>(high * (high + 1) / 2 + std::min(p, q));
    };
    std::vector<products> b(place(n, 0));
    std::mt19937 draw(1); // whose numbers the standard fixes
    for (products &one : b)
        for (double &x : one)
            x = 0.2 *
                (static_cast<double>(draw()) / static_cast<double>(std::mt19937::max()) - 0.5);
    const auto integral = [&](std::size_t pq, std::size_t rs) {
        double sum = 0;
        for (std::size_t l = 0; l < vectors; ++l)
            sum += b[pq][l] * b[rs][l];
        return sum;
    };

    std::string text = " &FCI NORB=" + std::to_string(n) +
                       ",NELEC=" + std::to_string(2 * occupied) + ",MS2=0,\n &END\n";
    const auto add = [&](double x, int p, int q, int r, int s) {
        char line[128];
        std::snprintf(line, sizeof line, "%.16e %d %d %d %d\n", x, p, q, r, s);
        text += line;
    };
    for (int p = 0; p < n; ++p)
        for (int q = 0; q <= p; ++q)
            for (int r = 0; r <= p; ++r)
                for (int s = 0; s <= (r == p ? q : r); ++s)
                    add(integral(place(p, q), place(r, s)), p + 1, q + 1, r + 1, s + 1);
    for (int p = 0; p < n; ++p)
        for (int q = 0; q <= p; ++q) {
            const double energy = p < occupied ? -1.5 + 0.05 * p : 0.5 + 0.05 * (p - occupied);
            double h = p == q ? energy : 0;
            for (int i = 0; i < occupied; ++i)
                h -= 2 * integral(place(p, q), place(i, i)) - integral(place(p, i), place(q, i));
            add(h, p + 1, q + 1, 0, 0);
        }
    add(1, 0, 0, 0, 0);
    return text;
}

} // namespace tenfold::testing
