// Attention in plain loops and double precision: what the fast ways are compared to.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "attention_inputs.hpp"

namespace tenfold::examples {

/// The largest error of `out` (v g h q b) in units of what rounding explains: at most 1 if it is
/// right. Looks at no more than 4096 queries, evenly spread, where there are more.
template <class T> double attention_error(const attention_inputs<T> &in, const tensor<T> &out) {
    const attention_sizes &size = in.size;
    // Both what is looked at and this round.
    const double unit =
        (std::numeric_limits<T>::epsilon() + std::numeric_limits<double>::epsilon()) / 2;
    const double scale = 1 / std::sqrt(static_cast<double>(size.depth));
    const auto keys = static_cast<double>(size.tokens), depth = static_cast<double>(size.depth);
    const index_t rows = size.group * size.heads * size.tokens * size.sequences;
    const index_t step = (rows + 4095) / 4096;

    double worst = 0;
    std::vector<double> weights(static_cast<std::size_t>(size.tokens));
    for (index_t row = 0; row < rows; row += step) {
        const index_t g = row % size.group, h = row / size.group % size.heads;
        const index_t q = row / (size.group * size.heads) % size.tokens;
        const index_t b = row / (size.group * size.heads * size.tokens);
        const index_t seen = size.causal ? q + 1 : size.tokens;

        double largest = -std::numeric_limits<double>::infinity();
        double products = 0;                     // sum of |q||k| / sqrt(d), element by element
        double query_square = 0, key_square = 0; // the largest one of any key
        for (index_t k = 0; k < size.tokens; ++k) {
            double score = 0, magnitude = 0, square = 0;
            for (index_t d = 0; d < size.depth; ++d) {
                const double key = in.keys(d, h, k, b);
                score += key * in.queries(d, g, h, q, b);
                magnitude += std::abs(key * in.queries(d, g, h, q, b));
                square += key * key;
            }
            key_square = std::max(key_square, square);
            if (k >= seen)
                continue;
            weights[static_cast<std::size_t>(k)] = score * scale;
            largest = std::max(largest, score * scale);
            products = std::max(products, magnitude * scale);
        }
        for (index_t d = 0; d < size.depth; ++d)
            query_square +=
                static_cast<double>(in.queries(d, g, h, q, b)) * in.queries(d, g, h, q, b);
        double sum = 0;
        for (index_t k = 0; k < seen; ++k)
            sum += weights[static_cast<std::size_t>(k)] =
                std::exp(weights[static_cast<std::size_t>(k)] - largest);

        // An argument of exp() is off by the rounding of a score, gamma(d + 2) times `products`,
        // and that of what is subtracted from it; an error there is a relative one of the weight.
        // Numerator and denominator have it, and sums of as many terms as there are keys.
        const double argument =
            (depth + 3) * products + 2 * scale * std::sqrt(query_square * key_square);
        const double relative = (2 * (argument + 3) + 2 * keys + 4) * unit;
        for (index_t v = 0; v < size.depth; ++v) {
            double exact = 0, magnitude = 0;
            for (index_t k = 0; k < seen; ++k) {
                const double term =
                    weights[static_cast<std::size_t>(k)] / sum * in.values(v, h, k, b);
                exact += term;
                magnitude += std::abs(term);
            }
            const double error = std::abs(out(v, g, h, q, b) - exact) / (relative * magnitude);
            if (!(error <= worst) && !std::isnan(worst)) // a NaN stays
                worst = error;
        }
    }
    return worst;
}

} // namespace tenfold::examples
