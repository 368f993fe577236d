// Tests what broadcasting makes of tensors: modes that are dropped, and strides that become 0.
#include <gtest/gtest.h>

#include <tenfold/contract.hpp>

#include "einsum/problem/broadcast.hpp"
#include "support/message_of.hpp"

namespace tenfold {
namespace {

using einsum_impl::broadcast;
using labels = std::vector<label_t>;
using testing::message_of;

struct tensors {
    std::string expression;
    std::vector<layout> inputs;
    layout d;
    std::optional<layout> c = std::nullopt; ///< empty: as d

    std::optional<einsum_impl::broadcast_contraction> run() const {
        std::vector<input> all;
        for (const layout &one : inputs)
            all.emplace_back(data_type::f64, nullptr, one);
        return broadcast(parse(expression), all, {data_type::f64, nullptr, c.value_or(d)},
                         {data_type::f64, nullptr, d});
    }
};

TEST(Broadcast, NothingWhereExtentsAgree) {
    EXPECT_FALSE((tensors{"ij=ik*kj", {layout({3, 4}), layout({4, 5})}, layout({3, 5})}.run()));
    EXPECT_FALSE((tensors{"ij=ik*kj", {layout({1, 4}), layout({4, 1})}, layout({1, 1})}.run()));
    EXPECT_FALSE((tensors{"=i", {layout({1})}, layout()}.run()));
}

TEST(Broadcast, InputsLoseTheirModes) {
    const auto found = tensors{"ijk=ijk*kij",
                               {layout({1, 4, 5}, {7, 8, 9}), layout({5, 3, 1}, {4, 2, 1})},
                               layout({3, 4, 5})}
                           .run();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->spec.inputs, (std::vector<labels>{{1, 2}, {2, 0}}));
    EXPECT_EQ(found->spec.text, "ijk=ijk*kij");
    EXPECT_EQ(found->inputs[0].shape().extents(), (extents_t{4, 5}));
    EXPECT_EQ(found->inputs[0].shape().strides(), (extents_t{8, 9}));
    EXPECT_EQ(found->inputs[1].shape().extents(), (extents_t{5, 3}));
    EXPECT_EQ(found->inputs[1].shape().strides(), (extents_t{4, 2}));
}

TEST(Broadcast, OneInputIsStretchedToTheOutput) {
    const auto found =
        tensors{"ij=ij*ii", {layout({1, 4}, {7, 8}), layout({1, 1})}, layout({3, 4})}.run();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->spec.inputs, (std::vector<labels>{{0, 1}, {}}));
    EXPECT_EQ(found->inputs[0].shape().extents(), (extents_t{3, 4}));
    EXPECT_EQ(found->inputs[0].shape().strides(), (extents_t{0, 8}));
    EXPECT_EQ(found->inputs[1].shape().order(), 0);
}

TEST(Broadcast, CIsStretched) {
    const auto found =
        tensors{"ij=ij", {layout({3, 4})}, layout({3, 4}), layout({1, 4}, {7, 8})}.run();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->c.shape().extents(), (extents_t{3, 4}));
    EXPECT_EQ(found->c.shape().strides(), (extents_t{0, 8}));
    EXPECT_EQ(found->spec.inputs, (std::vector<labels>{{0, 1}}));
}

TEST(Broadcast, ConjugationStays) {
    const contraction_spec spec = parse("i=i*i");
    const std::array inputs{conj(input(data_type::c64, nullptr, layout({1}))),
                            input(data_type::c64, nullptr, layout({3}))};
    const output d(data_type::c64, nullptr, layout({3}));
    const auto found = broadcast(spec, inputs, d, d);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->inputs[0].conjugated());
    EXPECT_FALSE(found->inputs[1].conjugated());
}

TEST(OutputExtents, AreThoseThatDHasToHave) {
    const auto found = [](std::string_view expression, std::vector<layout> inputs) {
        std::vector<int> orders;
        for (const layout &one : inputs)
            orders.push_back(one.order());
        return output_extents(parse(expression, orders), inputs);
    };
    EXPECT_EQ(found("il=ij*jk*kl", {layout({2, 3}), layout({3, 4}), layout({4, 5})}),
              (extents_t{2, 5}));
    EXPECT_EQ(found("ij,jk", {layout({2, 1}), layout({3, 4})}), (extents_t{2, 4}));
    EXPECT_EQ(found("...,...", {layout({3, 1}), layout({7, 1, 4})}), (extents_t{7, 3, 4}));
    EXPECT_EQ(found("ii->i", {layout({4, 4})}), (extents_t{4}));
    EXPECT_EQ(found("i,i->i", {layout({1}), layout({0})}), (extents_t{0}));
    EXPECT_EQ(found("i,i->", {layout({1}), layout({3})}), extents_t{});
    EXPECT_EQ(message_of(
                  [&] {
                      (void)found("i=i*i", {layout({1}), layout({3})});
                  },
                  errc::extent_mismatch),
              "label 'i': A mode 0 has extent 1, B mode 0 has extent 3");
    EXPECT_EQ(message_of(
                  [&] {
                      (void)found("i,i,i", {layout({1}), layout({3}), layout({4})});
                  },
                  errc::extent_mismatch),
              "label 'i': input 2 mode 0 has extent 3, input 3 mode 0 has extent 4");
    EXPECT_EQ(message_of(
                  [&] {
                      (void)found("ii->i", {layout({1, 3})});
                  },
                  errc::extent_mismatch),
              "label 'i': A mode 0 has extent 1, A mode 1 has extent 3");

    contraction_spec spec = parse("i=i");
    EXPECT_EQ(message_of([&] { (void)output_extents(spec, {}); }, errc::invalid_argument),
              "the expression has 1 inputs, but 0 tensors were given");
    const std::array wrong{layout({2, 2})};
    EXPECT_EQ(message_of([&] { (void)output_extents(spec, wrong); }, errc::order_mismatch),
              "A has 2 modes, but the expression gives it 1 labels");
    spec.output.push_back(1);
    spec.label_names.emplace_back("x");
    const std::array right{layout({2})};
    EXPECT_EQ(message_of([&] { (void)output_extents(spec, right); }, errc::unknown_label),
              "label 'x' stands in the output but in no input");
    spec.output.assign(65, 0);
    EXPECT_EQ(message_of([&] { (void)output_extents(spec, right); }, errc::unsupported),
              "D has 65 modes; at most 64 are supported");
}

} // namespace
} // namespace tenfold
