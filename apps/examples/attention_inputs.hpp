// Generated queries, keys and values of attention in the layout of transformers: the d numbers of a
// head are contiguous, followed by heads, tokens, and the sequences of a batch.
#pragma once

#include <limits>

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

} // namespace tenfold::examples
