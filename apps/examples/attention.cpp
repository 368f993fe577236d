// Scaled dot-product attention (Vaswani et al., 2017), for heads in groups that share keys and
// values (Ainslie et al., 2023):
//
//     O = softmax(Q K^T / sqrt(d)) V, for every head of every sequence
//
// Tensors keep the layout that transformers use. No mode is moved before or after the contractions,
// because labels name the modes.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "apps/common/timing.hpp"
#include "apps/common/values.hpp"
#include "apps/examples/attention_reference.hpp"

namespace tenfold::examples {
namespace {

using namespace apps_impl;

template <class T> tensor<T> scores_of(const attention_sizes &size) {
    return tensor<T>({size.tokens, size.tokens, size.group, size.heads, size.sequences});
}

/// Applies softmax to every column, which holds the scores of one query for all keys.
template <class T> void softmax(T *scores, index_t keys, index_t columns) {
    for (T *column = scores; column != scores + keys * columns; column += keys) {
        const T largest = *std::max_element(column, column + keys);
        T sum = 0;
        for (index_t k = 0; k < keys; ++k)
            sum += column[k] = std::exp(column[k] - largest);
        for (index_t k = 0; k < keys; ++k)
            column[k] /= sum;
    }
}

/// Computes attention as two contractions with a softmax in plain loops between them. `out` is v g
/// h q b.
template <class T> void attention_by_contractions(const attention_inputs<T> &in,
                                                  contraction_table &table, tensor<T> &out) {
    const attention_sizes &size = in.size;
    tensor<T> scores = scores_of<T>(size); // k q g h b
    const double scale = 1 / std::sqrt(static_cast<double>(size.depth));

    // The mask is the C of D = alpha A B + beta C. Strides of 0 make it the same for all heads and
    // sequences.
    const extents_t strides{1, size.tokens, 0, 0, 0};
    const tensor_view<const T> mask(in.mask.data(), scores.shape().extents(), strides);
    if (size.causal)
        table.contract("kqghb=dhkb*dghqb", {in.keys, in.queries}, mask, scores,
                       {.alpha = scale, .beta = 1.0});
    else
        table.contract("kqghb=dhkb*dghqb", {in.keys, in.queries}, scores, {.alpha = scale});

    const stopwatch watch;
    softmax(scores.data(), size.tokens, scores.size() / size.tokens);
    table.charge("softmax of kqghb over k", "plain loops", watch.seconds(), 0);

    table.contract("vghqb=vhkb*kqghb", {in.values, scores}, out);
}

/// Applies exp() in the epilogue of the products Q K^T, while these are in cache. The last
/// contraction has the reciprocals of their sums as a third factor.
template <class T> void attention_with_epilogues(const attention_inputs<T> &in,
                                                 contraction_table &table, tensor<T> &out) {
    const attention_sizes &size = in.size;
    tensor<T> weights = scores_of<T>(size); // k q g h b, not normalised
    const double scale = 1 / std::sqrt(static_cast<double>(size.depth));

    // exp() must not overflow. The largest score of a query is known only after all scores are
    // computed, but no score exceeds |q||k| / sqrt(d), and softmax does not change if one number is
    // subtracted from all scores of a query. For f32 the bound may be up to about 40: the lowest
    // score is then 80 below the shift, and with larger bounds weights may become subnormal.
    tensor<T> squares({size.tokens, size.heads, size.sequences});           // of keys: k h b
    tensor<T> shift({size.tokens, size.group, size.heads, size.sequences}); // q g h b
    table.contract("khb=dhkb*dhkb", {in.keys, in.keys}, squares);
    table.contract("qghb=dghqb*dghqb", {in.queries, in.queries}, shift);

    const stopwatch watch;
    for (index_t b = 0; b < size.sequences; ++b)
        for (index_t h = 0; h < size.heads; ++h) {
            const T *first = &squares(0, h, b);
            const T largest = *std::max_element(first, first + size.tokens);
            for (index_t g = 0; g < size.group; ++g) {
                for (index_t q = 0; q < size.tokens; ++q)
                    shift(q, g, h, b) =
                        static_cast<T>(-scale) * std::sqrt(shift(q, g, h, b) * largest);
                // K^T (k x d) and Q (d x q) are read in place.
                const matrix_view<const T> keys(&in.keys(0, h, 0, b), size.tokens, size.depth,
                                                in.keys.shape().stride(2), 1);
                const matrix_view<const T> queries(&in.queries(0, g, h, 0, b), size.depth,
                                                   size.tokens, 1, in.queries.shape().stride(3));
                epilogue finish;
                finish.add_along_rows(&shift(0, g, h, b), size.tokens);
                if (size.causal)
                    finish.add(matrix_view<const T>(in.mask.data(), size.tokens, size.tokens));
                finish.apply(elementwise::exp);
                gemm<T>(keys, queries, {&weights(0, 0, g, h, b), size.tokens, size.tokens},
                        {.alpha = scale, .threads = table.threads(), .epilogue = &finish});
            }
        }
    table.charge("exp(scale K Q + shift)", "gemm, epilogue", watch.seconds(),
                 2.0 * static_cast<double>(size.depth * weights.size()));

    tensor<T> sums({size.tokens, size.group, size.heads, size.sequences});
    table.contract("qghb=kqghb", {weights}, sums);
    for (index_t i = 0; i < sums.size(); ++i)
        sums.data()[i] = 1 / sums.data()[i];
    table.contract("vghqb=vhkb*kqghb*qghb", {in.values, weights, sums}, out);
}

struct attention_options {
    attention_sizes size;
    data_type type = data_type::f32;
    common_options common;
};

template <class T> void run(const attention_options &asked) {
    const attention_inputs<T> in(asked.size, asked.common.seed);
    const attention_sizes &size = in.size;
    tensor<T> out({size.depth, size.group, size.heads, size.tokens, size.sequences});
    contraction_table table(asked.common.threads);
    checks results;
    const auto attempt = [&](const std::string &way, auto attend) {
        std::fill_n(out.data(), out.size(), std::numeric_limits<T>::quiet_NaN());
        attend(in, table, out);
        const attention_error error = error_of_attention(in, out);
        results.at_most("error " + way + ", the largest in standard deviations of its roundings",
                        error.largest, 4);
        results.at_most("error " + way + ", root of the mean square, likewise", error.typical, 1);
    };
    attempt("by contractions", attention_by_contractions<T>);
    attempt("with epilogues", attention_with_epilogues<T>);
    std::printf("\n");
    table.print(asked.common.plans);
    results.conclude();
}

int attention(const std::vector<std::string> &arguments) {
    attention_options asked;
    command_line line("tenfold-example-attention", "[options]",
                      "Attention, softmax(Q K^T / sqrt(d)) V for each head, in two ways: by "
                      "contractions with a softmax\nbetween them, and with the exponentials in the "
                      "epilogue of a matrix product. Both are compared with\nplain loops.");
    auto &sizes = line.group("Sizes");
    add_extent(sizes, "sequences", &asked.size.sequences, "sequences of a batch; 2 unless given");
    add_extent(sizes, "tokens", &asked.size.tokens, "tokens of a sequence; 256 unless given");
    add_extent(sizes, "heads", &asked.size.heads, "heads of keys and values; 4 unless given");
    add_extent(sizes, "group", &asked.size.group,
               "heads of queries that share one of keys; 2 unless given");
    add_extent(sizes, "depth", &asked.size.depth, "numbers of each head; 64 unless given");
    auto &what = line.group("What");
    add_flag(what, "causal", &asked.size.causal, "tokens see no later ones");
    add_value(what, "type", "TYPE", &asked.type, parse_type, "f32 or f64; f32 unless given");
    if (!parse_with_common_options(line, asked.common, arguments))
        return exit_success;
    if (asked.type != data_type::f32 && asked.type != data_type::f64)
        throw usage_error("--type '" + std::string(name(asked.type)) + "': expected f32 or f64");

    const attention_sizes &size = asked.size;
    std::printf("attention of %lld sequences, %lld tokens, %lld x %lld heads of %lld, %s%s\n\n",
                static_cast<long long>(size.sequences), static_cast<long long>(size.tokens),
                static_cast<long long>(size.heads), static_cast<long long>(size.group),
                static_cast<long long>(size.depth), std::string(name(asked.type)).c_str(),
                size.causal ? ", causal" : "");
    if (asked.type == data_type::f32)
        run<float>(asked);
    else
        run<double>(asked);
    return exit_success;
}

} // namespace
} // namespace tenfold::examples

int main(int argc, char **argv) {
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return tenfold::apps_impl::run_program("tenfold-example-attention",
                                           [&] { return tenfold::examples::attention(arguments); });
}
