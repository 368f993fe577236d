// Generated inputs of attention, and attention in plain loops and double precision: the reference
// for the fast versions.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "apps/examples/example.hpp"

namespace tenfold::examples {

struct attention_sizes {
    index_t sequences = 2; ///< b
    index_t tokens = 256;  ///< q and k
    index_t heads = 4;     ///< of keys and values: h
    index_t group = 2;     ///< query heads for each of them: g
    index_t depth = 64;    ///< d of queries and keys, v of values
    bool causal = false;   ///< a token attends only to itself and earlier ones
};

/// Queries, keys and values in the layout of transformers: the d numbers of a head are contiguous,
/// followed by heads, tokens, and the sequences of a batch.
template <class T> struct attention_inputs {
    attention_inputs(const attention_sizes &sizes, std::uint32_t seed)
        : size(sizes), queries({size.depth, size.group, size.heads, size.tokens, size.sequences}),
          keys({size.depth, size.heads, size.tokens, size.sequences}),
          values({size.depth, size.heads, size.tokens, size.sequences}),
          mask({size.tokens, size.tokens}) {
        random_numbers numbers(seed);
        numbers.fill(queries);
        numbers.fill(keys);
        numbers.fill(values);
        for (index_t q = 0; size.causal && q < size.tokens; ++q)
            for (index_t k = q + 1; k < size.tokens; ++k)
                mask(k, q) = -std::numeric_limits<T>::infinity();
    }

    attention_sizes size;
    tensor<T> queries; ///< d g h q b
    tensor<T> keys;    ///< d h k b
    tensor<T> values;  ///< v h k b
    tensor<T> mask;    ///< k q: 0, or -infinity if a query does not see a key
};

/// Errors of an output, in standard deviations of the sum of all roundings, if each is as large as
/// possible and has a random sign. Worst-case bounds, in which all roundings add up, are a hundred
/// times larger than actual errors, and would not detect, for instance, weights that were rounded
/// to a shorter type.
struct attention_error {
    double largest = 0;
    double typical = 0; ///< root of the mean square
};

/// One row of the output (a query of a head of a sequence) before it is compared.
struct attention_row {
    std::vector<double> weights;     ///< by key; sum 1
    std::vector<double> uncertainty; ///< variance of each weight's relative error, in roundings
};

/// Computes the weights of query q of head g of group h in sequence b.
template <class T> attention_row attention_weights(const attention_inputs<T> &in, index_t g,
                                                   index_t h, index_t q, index_t b) {
    const attention_sizes &size = in.size;
    const double scale = 1 / std::sqrt(static_cast<double>(size.depth));
    const index_t seen = size.causal ? q + 1 : size.tokens;
    attention_row row;
    double query_square = 0, key_square = 0; // the largest of any key
    for (index_t d = 0; d < size.depth; ++d)
        query_square += static_cast<double>(in.queries(d, g, h, q, b)) * in.queries(d, g, h, q, b);
    for (index_t k = 0; k < size.tokens; ++k) {
        double square = 0;
        for (index_t d = 0; d < size.depth; ++d)
            square += static_cast<double>(in.keys(d, h, k, b)) * in.keys(d, h, k, b);
        key_square = std::max(key_square, square);
    }
    // The largest shift that the program may subtract to keep exp() from overflow.
    const double shift = scale * std::sqrt(query_square * key_square);

    double largest = -std::numeric_limits<double>::infinity();
    for (index_t k = 0; k < seen; ++k) {
        double score = 0, partial_sums = 0;
        for (index_t d = 0; d < size.depth; ++d) {
            const double product =
                static_cast<double>(in.keys(d, h, k, b)) * in.queries(d, g, h, q, b);
            score += product;
            partial_sums += score * score; // each is rounded
        }
        // An error of the argument of exp() is a relative error of the weight. It comes from
        // rounding the score's sum, its scaling and the shift; exp() itself adds two roundings.
        const double argument = std::abs(score * scale) + shift;
        row.uncertainty.push_back(scale * scale * (partial_sums + score * score) +
                                  argument * argument + 4);
        row.weights.push_back(score * scale);
        largest = std::max(largest, score * scale);
    }
    double sum = 0;
    for (double &weight : row.weights)
        sum += weight = std::exp(weight - largest);
    for (double &weight : row.weights)
        weight /= sum;
    return row;
}

/// Compares at most 4096 queries, evenly spaced. NaNs remain NaN.
template <class T>
attention_error error_of_attention(const attention_inputs<T> &in, const tensor<T> &out) {
    const attention_sizes &size = in.size;
    // Both the output and this reference are rounded.
    const double unit =
        (std::numeric_limits<T>::epsilon() + std::numeric_limits<double>::epsilon()) / 2;
    const index_t rows = size.group * size.heads * size.tokens * size.sequences;
    const index_t step = (rows + 4095) / 4096;

    attention_error found;
    double squares = 0, count = 0;
    for (index_t at = 0; at < rows; at += step) {
        const index_t g = at % size.group, h = at / size.group % size.heads;
        const index_t q = at / (size.group * size.heads) % size.tokens;
        const index_t b = at / (size.group * size.heads * size.tokens);
        const attention_row row = attention_weights(in, g, h, q, b);

        double of_sum = 4, sum = 0; // the denominator, the division and the last rounding
        for (std::size_t k = 0; k < row.weights.size(); ++k) {
            sum += row.weights[k];
            of_sum += sum * sum + row.weights[k] * row.weights[k] * row.uncertainty[k];
        }
        for (index_t v = 0; v < size.depth; ++v) {
            double exact = 0, variance = 0;
            for (std::size_t k = 0; k < row.weights.size(); ++k) {
                const double term = row.weights[k] * in.values(v, h, static_cast<index_t>(k), b);
                exact += term;
                variance += exact * exact + term * term * row.uncertainty[k];
            }
            variance += exact * exact * of_sum;
            const double error = std::abs(out(v, g, h, q, b) - exact);
            const double deviation = error / (unit * std::sqrt(variance));
            if (!(deviation <= found.largest) && !std::isnan(found.largest))
                found.largest = deviation;
            squares += deviation * deviation;
            ++count;
        }
    }
    found.typical = std::sqrt(squares / count);
    return found;
}

} // namespace tenfold::examples
