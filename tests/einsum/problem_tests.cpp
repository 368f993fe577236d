// Tests how make_problem() turns labels and layouts into groups, strides and super-indices.
#include <cstdint>
#include <ostream>

#include <gtest/gtest.h>

#include "problem_builder.hpp"

namespace tenfold::einsum_impl {

bool operator==(const problem_mode &x, const problem_mode &y) {
    return x.extent == y.extent && x.stride == y.stride && x.label == y.label;
}

std::ostream &operator<<(std::ostream &out, const problem_mode &mode) {
    out << mode.label << ": extent " << mode.extent << ", strides";
    for (const index_t stride : mode.stride)
        out << ' ' << stride;
    return out;
}

namespace {

using testing::problem_builder;
constexpr std::array all_tensors{A, B, C, D};

// Strides in A, B, C, D.
problem_mode mode(std::string label, index_t extent, std::array<index_t, tensor_count> stride) {
    problem_mode made{extent, {}, std::move(label)};
    for (std::size_t i = 0; i < all_tensors.size(); ++i)
        made.stride[all_tensors[i]] = stride[i];
    return made;
}

std::string separate_labels(const mode_group &group) {
    std::string text;
    for (const problem_mode &one : group)
        text += (text.empty() ? "" : " ") + one.label;
    return text;
}

TEST(Problem, sorts_labels_by_where_they_stand) {
    const auto problem =
        problem_builder{"nab=akxn*bkny",
                        {layout({2, 3, 4, 5}), layout({6, 3, 5, 7})}, // a k x n, b k n y
                        layout({5, 2, 6})}
            .build();
    EXPECT_EQ(problem.batch, (mode_group{mode("n", 5, {24, 18, 1, 1})}));
    EXPECT_EQ(problem.m, (mode_group{mode("a", 2, {1, 0, 5, 5})}));
    EXPECT_EQ(problem.n, (mode_group{mode("b", 6, {0, 1, 10, 10})}));
    EXPECT_EQ(problem.k, (mode_group{mode("k", 3, {2, 6, 0, 0})}));
    EXPECT_EQ(problem.isolated_a, (mode_group{mode("x", 4, {6, 0, 0, 0})}));
    EXPECT_EQ(problem.isolated_b, (mode_group{mode("y", 7, {0, 90, 0, 0})}));
    EXPECT_FALSE(problem.unary);
    EXPECT_FALSE(problem.empty_output());
    EXPECT_FALSE(problem.empty_sum());
}

TEST(Problem, remembers_types_shapes_and_conjugation) {
    const layout a({2, 3}), b({3, 4}, {4, 1}), c({2, 4}, {7, 20}), d({2, 4});
    const std::array inputs{input(data_type::bf16, nullptr, a),
                            conj(input(data_type::bf16, nullptr, b))};
    const auto problem =
        make_problem(parse("ab=ak*kb"), inputs, conj(input(data_type::f32, nullptr, c)),
                     {data_type::f32, nullptr, d}, false);
    EXPECT_EQ(problem.type,
              (std::array{data_type::bf16, data_type::bf16, data_type::f32, data_type::f32}));
    EXPECT_EQ(problem.conjugate, (std::array{false, true, false, true})); // A, B, D, C
    EXPECT_EQ(problem.shape, (std::array{a, b, d, c}));
    EXPECT_FALSE(problem.same_c_and_d);
}

TEST(Problem, one_input_is_multiplied_with_a_scalar_one) {
    const auto problem =
        problem_builder{"ba=axb", {layout({2, 3, 4})}, layout({4, 2}), {}, data_type::c32}.build();
    EXPECT_TRUE(problem.unary);
    EXPECT_TRUE(problem.same_c_and_d);
    EXPECT_EQ(problem.type[B], data_type::c32);
    EXPECT_FALSE(problem.conjugate[B]);
    EXPECT_EQ(problem.shape[B], layout());
    EXPECT_EQ(problem.m, (mode_group{mode("b", 4, {6, 0, 1, 1}), mode("a", 2, {1, 0, 4, 4})}));
    EXPECT_EQ(problem.isolated_a, (mode_group{mode("x", 3, {2, 0, 0, 0})}));
    EXPECT_TRUE(problem.n.empty());
    EXPECT_TRUE(problem.k.empty());
    EXPECT_TRUE(problem.batch.empty());
}

TEST(Problem, order_zero_has_empty_groups) {
    const auto problem = problem_builder{",->", {layout(), layout()}, layout()}.build();
    for (const mode_group *group : {&problem.batch, &problem.m, &problem.n, &problem.k,
                                    &problem.isolated_a, &problem.isolated_b}) {
        EXPECT_TRUE(group->empty());
        EXPECT_EQ(extent_of(*group), 1);
    }
    EXPECT_FALSE(problem.empty_output());
    EXPECT_FALSE(problem.empty_sum());
}

TEST(Problem, repeated_labels_become_one_mode_along_the_diagonal) {
    // Strides of the three a's in A: 1, 3 and 3 * 3 * 4.
    const auto problem = problem_builder{"ab=aaka*kbkb",
                                         {layout({3, 3, 4, 3}), layout({4, 5, 4, 5})},
                                         layout({3, 5})}
                             .build();
    EXPECT_EQ(problem.m, (mode_group{mode("a", 3, {1 + 3 + 36, 0, 1, 1})}));
    EXPECT_EQ(problem.k, (mode_group{mode("k", 4, {9, 1 + 20, 0, 0})}));
    EXPECT_EQ(problem.n, (mode_group{mode("b", 5, {0, 4 + 80, 3, 3})}));
}

TEST(Problem, a_label_twice_in_the_output_is_its_diagonal_by_opt_in) {
    const auto problem = problem_builder{"aba=ak*kb",       {layout({3, 4}), layout({4, 5})},
                                         layout({3, 5, 3}), layout({3, 5, 3}, {2, 6, -100}),
                                         data_type::f64,    true}
                             .build();
    EXPECT_EQ(problem.m, (mode_group{mode("a", 3, {1, 0, 2 - 100, 1 + 15})}));
    EXPECT_EQ(problem.n, (mode_group{mode("b", 5, {0, 4, 6, 3})}));
}

TEST(Problem, unit_extents_are_dropped_whatever_their_strides) {
    const layout a({1, 6, 1}, {INT64_MAX, 1, INT64_MAX}); // also twice the same label
    const layout d({6, 1}, {1, -INT64_MAX});
    const auto problem = problem_builder{"ab=xax*yb", {a, layout({1, 1})}, d}.build();
    EXPECT_EQ(problem.m, (mode_group{mode("a", 6, {1, 0, 1, 1})}));
    for (const mode_group *group :
         {&problem.n, &problem.k, &problem.isolated_a, &problem.isolated_b, &problem.batch})
        EXPECT_TRUE(group->empty());
}

TEST(Problem, adjacent_modes_fuse_into_super_indices) {
    // a and b are adjacent in all tensors; so are k and l; c and d only in D.
    const auto problem = problem_builder{"abdc=abkl*cdkl",
                                         {layout({2, 3, 4, 5}), layout({6, 7, 4, 5})},
                                         layout({2, 3, 7, 6})}
                             .build();
    EXPECT_EQ(problem.m, (mode_group{mode("ab", 6, {1, 0, 1, 1})}));
    EXPECT_EQ(problem.n, (mode_group{mode("d", 7, {0, 6, 6, 6}), mode("c", 6, {0, 1, 42, 42})}));
    EXPECT_EQ(problem.k, (mode_group{mode("kl", 20, {6, 42, 0, 0})}));
}

TEST(Problem, three_modes_fuse_in_the_order_of_their_strides) {
    // Row-major: the last label is the fastest and comes first in the super-index.
    const auto row = [](extents_t extents) { return layout::row_major(std::move(extents)); };
    const auto problem =
        problem_builder{"abcz=abck*kz", {row({2, 3, 4, 5}), row({5, 6})}, row({2, 3, 4, 6})}
            .build();
    EXPECT_EQ(problem.m, (mode_group{mode("cba", 24, {5, 0, 6, 6})}));
}

TEST(Problem, batch_and_isolated_modes_fuse_too) {
    const auto problem = problem_builder{"uv=uvxy*uvpq",
                                         {layout({2, 3, 4, 5}), layout({2, 3, 6, 7})},
                                         layout({2, 3})}
                             .build();
    EXPECT_EQ(problem.batch, (mode_group{mode("uv", 6, {1, 1, 1, 1})}));
    EXPECT_EQ(problem.isolated_a, (mode_group{mode("xy", 20, {6, 0, 0, 0})}));
    EXPECT_EQ(problem.isolated_b, (mode_group{mode("pq", 42, {0, 6, 0, 0})}));
}

TEST(Problem, a_gap_in_one_tensor_prevents_fusion) {
    const layout dense({2, 3}), padded({2, 3}, {1, 3});
    const auto fused = [](const layout &a, const layout &c, const layout &d) {
        return problem_builder{"ab=ab", {a}, d, c}.build().m.size() == 1;
    };
    EXPECT_TRUE(fused(dense, dense, dense));
    EXPECT_FALSE(fused(padded, dense, dense));
    EXPECT_FALSE(fused(dense, padded, dense));
    EXPECT_FALSE(fused(dense, dense, padded));
    EXPECT_FALSE(fused(padded, padded, padded));
}

TEST(Problem, modes_run_backwards_fuse_when_all_do) {
    const auto m_of = [](extents_t a_strides, extents_t d_strides) {
        return problem_builder{
            "ab=ab", {layout({2, 3}, std::move(a_strides))}, layout({2, 3}, std::move(d_strides))}
            .build()
            .m;
    };
    EXPECT_EQ(m_of({-1, -2}, {1, 2}), (mode_group{mode("ab", 6, {-1, 0, 1, 1})}));
    EXPECT_EQ(m_of({-4, -8}, {-1, -2}), (mode_group{mode("ab", 6, {-4, 0, -1, -1})}));
    EXPECT_EQ(separate_labels(m_of({-1, 2}, {1, 2})), "a b");
    EXPECT_EQ(separate_labels(m_of({1, -2}, {1, -2})), "a b");
}

TEST(Problem, broadcast_modes_fuse) {
    const auto problem =
        problem_builder{"ab=ab*ab", {layout({2, 3}, {0, 0}), layout({2, 3})}, layout({2, 3})}
            .build();
    EXPECT_EQ(problem.batch, (mode_group{mode("ab", 6, {0, 1, 1, 1})}));
}

TEST(Problem, diagonals_fuse_by_their_own_strides) {
    // Diagonals of a 2x2 and of a 3x3 block: 1 + 2 = 3 and 8 + 24 = 32; 3 * 2 is not 32.
    EXPECT_EQ(problem_builder({"ab=abba", {layout({2, 3, 3, 2})}, layout({2, 3})}).build().m,
              (mode_group{mode("a", 2, {1 + 18, 0, 1, 1}), mode("b", 3, {2 + 6, 0, 2, 2})}));
    // 1 + 2 = 3 and 2 + 4 = 6: with these strides they can be fused.
    EXPECT_EQ(problem_builder({"ab=aabb", {layout({2, 2, 2, 2}, {1, 2, 2, 4})}, layout({2, 2})})
                  .build()
                  .m,
              (mode_group{mode("ab", 4, {3, 0, 1, 1})}));
}

TEST(Problem, groups_stand_in_the_order_of_their_strides) {
    // m, n and batch are sorted by D; k and isolated_a by A; isolated_b by B. Negative strides
    // count by magnitude.
    const auto problem =
        problem_builder{"dcbavu=abuvlkxy*cdvuklpq",
                        {layout({2, 2, 2, 2, 2, 2, 2, 2}, {1, 5, 10, 70, -150, 310, 2100, -1000}),
                         layout({2, 2, 2, 2, 2, 2, 2, 2}, {1, 5, 10, 70, 1000, 310, 7000, -2500})},
                        layout({2, 2, 2, 2, 2, 2}, {1, -3, 700, 90, 3000, 10000})}
            .build();
    EXPECT_EQ(separate_labels(problem.m), "a b");
    EXPECT_EQ(separate_labels(problem.n), "d c");
    EXPECT_EQ(separate_labels(problem.batch), "v u");
    EXPECT_EQ(separate_labels(problem.k), "l k");
    EXPECT_EQ(separate_labels(problem.isolated_a), "y x");
    EXPECT_EQ(separate_labels(problem.isolated_b), "q p");
}

TEST(Problem, extent_zero_in_the_output) {
    for (const index_t n : {0, 5}) {
        const auto problem =
            problem_builder{"ab=ak*kb", {layout({3, 4}), layout({4, n})}, layout({3, n})}.build();
        EXPECT_EQ(problem.empty_output(), n == 0);
        EXPECT_FALSE(problem.empty_sum());
        EXPECT_EQ(extent_of(problem.n), n);
    }
    EXPECT_TRUE(problem_builder({"na=na*n", {layout({0, 3}), layout({0})}, layout({0, 3})})
                    .build()
                    .empty_output());
    EXPECT_TRUE(problem_builder({"a=a", {layout({0})}, layout({0})}).build().empty_output());
}

TEST(Problem, extent_zero_in_a_sum) {
    const auto empty_sum = [](index_t k, index_t x, index_t y) {
        return problem_builder{"ab=akx*kby", {layout({2, k, x}), layout({k, 3, y})}, layout({2, 3})}
            .build()
            .empty_sum();
    };
    EXPECT_FALSE(empty_sum(4, 5, 6));
    EXPECT_TRUE(empty_sum(0, 5, 6));
    EXPECT_TRUE(empty_sum(4, 0, 6));
    EXPECT_TRUE(empty_sum(4, 5, 0));
}

TEST(Problem, strides_of_empty_tensors_say_nothing) {
    const layout a({0, 3}, {INT64_MIN, INT64_MIN});
    const auto problem =
        problem_builder{"ab=aab", {layout({0, 0, 3}, {INT64_MAX, INT64_MAX, INT64_MIN})}, a}
            .build();
    EXPECT_TRUE(problem.empty_output());
    EXPECT_FALSE(problem.empty_sum());
}

TEST(Problem, an_extent_of_zero_makes_a_group_empty_however_large_the_others) {
    const index_t large = index_t{1} << 40;
    EXPECT_EQ(extent_of({mode("a", large, {}), mode("b", large, {}), mode("c", 0, {})}), 0);
    EXPECT_EQ(extent_of({mode("a", 6, {}), mode("b", 7, {})}), 42);
    EXPECT_TRUE(problem_builder({"ab=ab*b", {layout({large, 0}), layout({0})}, layout({large, 0})})
                    .build()
                    .empty_output());
}

TEST(Problem, same_c_and_d_asks_for_equal_places_of_all_elements) {
    const layout d({3, 1, 4}, {1, 3, 3});
    const auto same = [&](const layout &c) {
        return problem_builder{"axb=axb", {layout({3, 1, 4})}, d, c}.build().same_c_and_d;
    };
    EXPECT_TRUE(same(d));
    EXPECT_TRUE(same(layout({3, 1, 4}, {1, 77, 3}))); // one position needs no stride
    EXPECT_FALSE(same(layout({3, 1, 4}, {1, 3, 4})));
    EXPECT_FALSE(same(layout({3, 1, 4}, {-1, 3, 3})));
}

TEST(Fuse, looks_at_the_tensors_named_only) {
    const mode_group apart_in_b{mode("a", 3, {2, 1, 0, 5}), mode("b", 4, {6, 4, 0, 15})};
    constexpr std::array a_and_d{A, D};
    EXPECT_EQ(fuse(apart_in_b, all_tensors), apart_in_b);
    const mode_group fused = fuse(apart_in_b, a_and_d);
    ASSERT_EQ(fused.size(), 1U);
    EXPECT_EQ(fused[0].label, "ab");
    EXPECT_EQ(fused[0].extent, 12);
    EXPECT_EQ(fused[0].stride[A], 2);
    EXPECT_EQ(fused[0].stride[D], 5);
}

TEST(Fuse, finds_chains_in_any_order_and_keeps_the_rest_in_place) {
    const mode_group group{mode("x", 5, {1000, 0, 0, 0}), mode("c", 2, {12, 0, 0, 0}),
                           mode("a", 3, {1, 0, 0, 0}), mode("y", 7, {1, 1, 0, 0}),
                           mode("b", 4, {3, 0, 0, 0})};
    EXPECT_EQ(fuse(group, all_tensors),
              (mode_group{mode("x", 5, {1000, 0, 0, 0}), mode("abc", 24, {1, 0, 0, 0}),
                          mode("y", 7, {1, 1, 0, 0})}));
}

TEST(Fuse, does_not_wrap_around) {
    // 2^62 * 4 is 0 in 64 bits, which must not look like the zero stride that follows.
    const mode_group group{mode("a", 4, {index_t{1} << 62, 0, 0, 0}), mode("b", 3, {0, 0, 0, 0})};
    EXPECT_EQ(fuse(group, all_tensors).size(), 2U);
    EXPECT_TRUE(fuse({}, all_tensors).empty());
}

} // namespace
} // namespace tenfold::einsum_impl
