// Random contractions with every class of labels, their results by plain loops, and a test that
// compares both and the counted bytes with the plan.
#pragma once

#include <limits>

#include "mpi/ranks.hpp"

namespace tenfold::testing {

struct random_contraction {
    std::string expression; ///< "D[..]=A[..]*B[..]"; operands of order 0 need the brackets
    std::vector<std::vector<int>> labels; ///< by operand: A, B (unless unary), D
    extents_t label_extents;
    std::vector<extents_t> extents; ///< by operand
    bool unary = false;
    bool diagonal_output = false;

    const std::vector<int> &output() const { return labels.back(); }
};

enum class contraction_kind {
    any,
    batch_only, ///< element-wise products
    to_scalar,
    outer ///< nothing is summed
};

inline random_contraction draw_contraction(random_source &random,
                                           contraction_kind kind = contraction_kind::any) {
    random_contraction c;
    c.unary = kind == contraction_kind::any && random.chance(0.2);
    c.labels.resize(c.unary ? 2 : 3);
    const int label_count = static_cast<int>(random.integer(0, 6));
    for (int label = 0; label < label_count; ++label) {
        c.label_extents.push_back(random.chance(0.04) ? 0 : random.integer(1, 6));
        // A, B, D: m, n, k, batch, isolated in A, isolated in B.
        static const std::vector<std::vector<bool>> members{
            {true, false, true}, {false, true, true},  {true, true, false},
            {true, true, true},  {true, false, false}, {false, true, false}};
        const std::vector<int> choices =
            kind == contraction_kind::batch_only  ? std::vector<int>{3}
            : kind == contraction_kind::to_scalar ? std::vector<int>{2, 2, 2, 4, 5}
            : kind == contraction_kind::outer     ? std::vector<int>{0, 1}
                                                  : std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3, 4, 5};
        std::vector<bool> in = members[static_cast<std::size_t>(random.pick(choices))];
        if (c.unary)
            in = {true, random.chance(0.6)};
        for (std::size_t operand = 0; operand < c.labels.size(); ++operand)
            if (in[operand])
                c.labels[operand].push_back(label);
    }
    for (std::size_t operand = 0; operand < c.labels.size(); ++operand) {
        std::vector<int> &labels = c.labels[operand];
        const bool is_output = operand + 1 == c.labels.size();
        if (!labels.empty() && random.chance(is_output ? 0.08 : 0.15)) {
            labels.push_back(random.pick(labels));
            c.diagonal_output = c.diagonal_output || is_output;
        }
        random.shuffle(labels);
    }
    const auto append = [&](const char *tensor, std::size_t operand) {
        c.expression.append(tensor).append("[");
        for (std::size_t mode = 0; mode < c.labels[operand].size(); ++mode)
            c.expression.append(mode == 0 ? "x" : ",x")
                .append(std::to_string(c.labels[operand][mode]));
        c.expression.append("]");
    };
    append("D", c.labels.size() - 1);
    append("=A", 0);
    if (!c.unary)
        append("*B", 1);
    for (const std::vector<int> &labels : c.labels) {
        extents_t extents;
        for (const int label : labels)
            extents.push_back(c.label_extents[static_cast<std::size_t>(label)]);
        c.extents.push_back(std::move(extents));
    }
    return c;
}

/// Draws sums long enough for leaves: labels of k have a few hundred to a few thousand positions
/// together.
inline random_contraction draw_with_long_sums(random_source &random) {
    random_contraction c = draw_contraction(random);
    std::vector<std::size_t> contracted;
    for (std::size_t label = 0; label < c.label_extents.size(); ++label) {
        const auto &d = c.output();
        const auto &a = c.labels[0];
        const int l = static_cast<int>(label);
        if (std::find(a.begin(), a.end(), l) != a.end() &&
            std::find(d.begin(), d.end(), l) == d.end() &&
            (c.unary || std::find(c.labels[1].begin(), c.labels[1].end(), l) != c.labels[1].end()))
            contracted.push_back(label);
    }
    // The diagonal of a long label would be a large tensor.
    for (const std::vector<int> &labels : c.labels)
        for (const int label : labels)
            if (std::count(labels.begin(), labels.end(), label) > 1)
                contracted.clear();
    if (contracted.size() == 1)
        c.label_extents[contracted[0]] = random.integer(400, 6000);
    else if (contracted.size() >= 2) {
        c.label_extents[contracted[0]] = random.integer(5, 70);
        c.label_extents[contracted[1]] = random.integer(5, 70);
    }
    for (std::size_t operand = 0; operand < c.labels.size(); ++operand)
        for (std::size_t mode = 0; mode < c.labels[operand].size(); ++mode)
            c.extents[operand][mode] =
                c.label_extents[static_cast<std::size_t>(c.labels[operand][mode])];
    return c;
}

template <class T> T conjugate_if(bool conjugate, T value) {
    if constexpr (is_complex(data_type_of<T>))
        return conjugate ? std::conj(value) : value;
    else
        return value;
}

/// d = alpha op(A) op(B) + beta d by loops over all labels; A and B hold value(position, 1) and
/// value(position, 2). Elements of d that the labels do not reach (off a diagonal) do not change.
template <class T, class Value> void contract_by_loops_of(const random_contraction &c, T alpha,
                                                          bool conj_a, bool conj_b, T beta,
                                                          tensor<T> &d, const Value &value) {
    const auto position_in = [&](const std::vector<int> &labels, const extents_t &at) {
        extents_t position;
        for (const int label : labels)
            position.push_back(at[static_cast<std::size_t>(label)]);
        return position;
    };
    const extents_t origin(c.label_extents.size(), 0);
    extents_t reached = c.label_extents; // labels that D lacks run once
    std::vector<bool> in_d(reached.size(), false);
    for (const int label : c.output())
        in_d[static_cast<std::size_t>(label)] = true;
    for (std::size_t label = 0; label < reached.size(); ++label)
        if (!in_d[label])
            reached[label] = 1;
    const layout &shape = d.shape();
    for_each_position(origin, reached, [&](const extents_t &at) {
        T &element = d.data()[shape.offset_of(position_in(c.output(), at))];
        element = beta == T(0) ? T(0) : beta * element;
    });
    if (alpha == T(0))
        return;
    for_each_position(origin, c.label_extents, [&](const extents_t &at) {
        T product = conjugate_if(conj_a, value(position_in(c.labels[0], at), 1));
        if (!c.unary)
            product *= conjugate_if(conj_b, value(position_in(c.labels[1], at), 2));
        d.data()[shape.offset_of(position_in(c.output(), at))] += alpha * product;
    });
}

/// The same with value_at().
template <class T> void contract_by_loops(const random_contraction &c, T alpha, bool conj_a,
                                          bool conj_b, T beta, tensor<T> &d) {
    contract_by_loops_of(c, alpha, conj_a, conj_b, beta, d, value_at<T>);
}

/// Draws a grid that divides only groups with labels.
inline processor_grid draw_grid(random_source &random, const random_contraction &c,
                                int rank_count) {
    bool any[4] = {false, false, false, false}; // batch, m, n, k
    for (std::size_t label = 0; label < c.label_extents.size(); ++label) {
        const auto in = [&](std::size_t operand) {
            const auto &labels = c.labels[operand];
            return std::find(labels.begin(), labels.end(), static_cast<int>(label)) != labels.end();
        };
        const bool a = in(0);
        const bool b = !c.unary && in(1);
        const bool d = in(c.labels.size() - 1);
        any[0] = any[0] || (a && b && d);
        any[1] = any[1] || (a && !b && d);
        any[2] = any[2] || (!a && b && d);
        any[3] = any[3] || (a && b && !d) || (c.unary && a && !d);
    }
    int parts[4] = {1, 1, 1, 1};
    int left = rank_count;
    std::vector<int> order{0, 1, 2, 3};
    random.shuffle(order);
    for (const int group : order)
        if (any[group]) {
            parts[group] = static_cast<int>(random.integer(1, left));
            left /= parts[group];
        }
    return {parts[0], parts[1], parts[2], parts[3]};
}

/// Draws steps of any groups, often small ones.
inline step_size draw_step(random_source &random) {
    step_size step;
    for (index_t step_size::*group :
         {&step_size::batch, &step_size::m, &step_size::n, &step_size::k})
        if (random.chance(0.5))
            step.*group = random.chance(0.5) ? random.integer(1, 3) : random.integer(1, 40);
    return step;
}

/// Draws the distribution of an operand: the default or any other.
inline distribution draw_distribution(random_source &random, const random_contraction &c,
                                      std::size_t operand, int ranks) {
    return random.chance(0.3) ? distribution::block(c.extents[operand], ranks)
                              : random_distribution(random, c.extents[operand], ranks);
}

/// The same with every element on one rank.
inline distribution draw_partition(random_source &random, const random_contraction &c,
                                   std::size_t operand, int ranks) {
    return random.chance(0.3) ? distribution::block(c.extents[operand], ranks)
                              : random_partition(random, c.extents[operand], ranks);
}

/// Draws options that leave grid and steps to the plan, or force them.
inline dist_options draw_options(random_source &random, const random_contraction &c, int ranks) {
    dist_options options;
    options.diagonal_output = c.diagonal_output;
    if (random.chance(0.7))
        options.grid = draw_grid(random, c, ranks);
    if (random.chance(0.7))
        options.step = draw_step(random);
    return options;
}

/// Sometimes as if the ranks were on several nodes. (Recorded contractions draw none.)
inline int draw_ranks_per_node(random_source &random, int ranks) {
    return random.chance(0.4) ? static_cast<int>(random.integer(1, ranks)) : 0;
}

template <class T> T random_scalar(random_source &random) {
    if constexpr (is_complex(data_type_of<T>))
        return T(static_cast<typename T::value_type>(random.integer(-2, 2)),
                 static_cast<typename T::value_type>(random.integer(-2, 2)));
    else
        return static_cast<T>(random.integer(-2, 2));
}

inline std::string text_of(const processor_grid &grid) {
    return std::to_string(grid.batch) + "x" + std::to_string(grid.m) + "x" +
           std::to_string(grid.n) + "x" + std::to_string(grid.k);
}

inline std::string text_of(const step_size &step) {
    return std::to_string(step.batch) + "x" + std::to_string(step.m) + "x" +
           std::to_string(step.n) + "x" + std::to_string(step.k);
}

/// Runs one random contraction on random distributions. Compares the result bit for bit with plain
/// loops, and counted bytes with the plan's.
template <class T> void run_case(int test_case, contraction_kind kind) {
    random_source random(test_case);
    const random_contraction c = draw_contraction(random, kind);
    const int size = ranks().size();
    const auto spread = [&](std::size_t operand) {
        return draw_distribution(random, c, operand, size);
    };
    dist_options options = draw_options(random, c, size);
    options.ranks_per_node = draw_ranks_per_node(random, size);
    const T alpha = random.chance(0.1) ? T(0) : random_scalar<T>(random);
    const T beta = random.chance(0.4) ? T(0) : random_scalar<T>(random);
    options.alpha = alpha;
    options.beta = beta;
    options.conj_a = random.chance(0.3);
    options.conj_b = !c.unary && random.chance(0.3);

    dist_tensor<T> a(ranks(), c.extents[0], spread(0));
    dist_tensor<T> b(ranks(), c.unary ? extents_t{} : c.extents[1],
                     c.unary ? distribution::block({}, size) : spread(1));
    dist_tensor<T> d(ranks(), c.extents.back(), spread(c.extents.size() - 1));
    SCOPED_TRACE(c.expression + ", A " + a.distribution().describe() + ", B " +
                 b.distribution().describe() + ", D " + d.distribution().describe() + ", grid " +
                 (options.grid ? text_of(*options.grid) : "free") + ", steps of " +
                 (options.step ? text_of(*options.step) : "any size"));
    fill_values(a, 1);
    fill_values(b, 2);
    // beta = 0 must not read D, and alpha = 0 must read neither A nor B.
    constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
    const bool poisoned = beta == T(0) && !c.diagonal_output;
    if (poisoned)
        d.fill(T(nan));
    else
        fill_values(d, 3);
    if (alpha == T(0)) {
        a.fill(T(nan));
        b.fill(T(nan));
    }

    const dist_report report =
        c.unary ? contract(c.expression, a, d, options) : contract(c.expression, a, b, d, options);

    tensor<T> expected = make_values<T>(c.extents.back(), 3);
    contract_by_loops(c, alpha, options.conj_a, options.conj_b, beta, expected);
    EXPECT_TRUE(equal(d.gather_all(), expected));
    EXPECT_TRUE(holds(d, expected));
    EXPECT_EQ(report.bytes_received_max, report.plan.summary().bytes_received);
    EXPECT_EQ(report.redistribution_max, report.plan.summary().redistribution);
    // Buffers are aligned to 64 bytes each, and there are at most 16.
    const index_t slack = 16 * 64;
    EXPECT_GE(report.peak_bytes_max, report.plan.summary().peak);
    EXPECT_LE(report.peak_bytes_max.value, report.plan.summary().peak.value + slack);
    EXPECT_LE(report.workspace_max.value, report.plan.summary().workspace.value + 64);
    EXPECT_EQ(report.bytes_received_max.value % static_cast<index_t>(sizeof(T)), 0);
    if (options.grid) {
        EXPECT_EQ(report.plan.summary().grid, *options.grid);
    }
}

} // namespace tenfold::testing
