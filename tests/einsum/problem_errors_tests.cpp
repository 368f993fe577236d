// Tests every error of make_problem() with its whole message.
#include <cstdint>

#include <gtest/gtest.h>

#include <tenfold/error.hpp>

#include "problem_builder.hpp"

namespace tenfold::einsum_impl {
namespace {

using testing::problem_builder;

template <class Make> void expect_error(errc code, const std::string &message, Make make) {
    try {
        make();
    } catch (const error &e) {
        EXPECT_EQ(e.code(), code);
        EXPECT_EQ(e.what(), message);
        return;
    }
    ADD_FAILURE() << "accepted, instead of: " << message;
}

void expect_error(errc code, const std::string &message, const problem_builder &builder) {
    expect_error(code, message, [&] { (void)builder.build(); });
}

constexpr index_t large = index_t{1} << 40;
const layout matrix({2, 3});

TEST(ProblemErrors, number_of_inputs) {
    expect_error(errc::invalid_argument, "the expression has 2 inputs, but 1 tensors were given",
                 problem_builder{"ab=ak*kb", {matrix}, matrix});
    expect_error(errc::invalid_argument, "the expression has 1 inputs, but 2 tensors were given",
                 problem_builder{"ab=ab", {matrix, matrix}, matrix});
    expect_error(
        errc::unsupported,
        "this is one contraction of two tensors at most, not of 3; a sequence of them takes "
        "more",
        problem_builder{"ab=ab*ab*ab", {matrix, matrix, matrix}, matrix});
    expect_error(errc::unsupported, "a contraction has at least one input, this one has none", [] {
        (void)problem_builder{"", {}, layout()}.build(contraction_spec());
    });
}

TEST(ProblemErrors, labels_without_names) {
    contraction_spec spec = parse("ab=ak*kb");
    spec.inputs[1][0] = 3;
    expect_error(errc::invalid_argument, "label number 3 has no name: there are 3 names", [&] {
        (void)problem_builder{"", {matrix, matrix}, matrix}.build(spec);
    });
    spec.inputs[1][0] = -1;
    expect_error(errc::invalid_argument, "label number -1 has no name: there are 3 names", [&] {
        (void)problem_builder{"", {matrix, matrix}, matrix}.build(spec);
    });
}
TEST(ProblemErrors, order) {
    const layout three({2, 3, 4});
    expect_error(errc::order_mismatch, "A has 3 modes, but the expression gives it 2 labels",
                 problem_builder{"ab=ak*kb", {three, matrix}, matrix});
    expect_error(errc::order_mismatch, "B has 3 modes, but the expression gives it 2 labels",
                 problem_builder{"ab=ak*kb", {matrix, three}, matrix});
    expect_error(errc::order_mismatch, "D has 3 modes, but the expression gives it 2 labels",
                 problem_builder{"ab=ab", {matrix}, three});
    expect_error(errc::order_mismatch, "C has 0 modes, but the expression gives it 2 labels",
                 problem_builder{"ab=ab", {matrix}, matrix, layout()});
}

TEST(ProblemErrors, more_modes_than_are_supported) {
    contraction_spec spec;
    spec.inputs.resize(1);
    const auto with_modes = [&](int modes) {
        for (label_t label = static_cast<label_t>(spec.label_names.size()); label < modes;
             ++label) {
            spec.inputs[0].push_back(label);
            spec.output.push_back(label);
            spec.label_names.push_back(std::to_string(label));
        }
        const layout shape(extents_t(static_cast<std::size_t>(modes), 1));
        return problem_builder{"", {shape}, shape};
    };
    EXPECT_NO_THROW((void)with_modes(64).build(spec));
    const problem_builder builder = with_modes(65);
    expect_error(errc::unsupported, "A has 65 modes; at most 64 are supported",
                 [&] { (void)builder.build(spec); });
}

TEST(ProblemErrors, extents) {
    const std::string prefix = "label 'k': A mode 1 has extent 3, ";
    expect_error(errc::extent_mismatch, prefix + "B mode 0 has extent 4",
                 problem_builder{"ab=ak*kb", {matrix, layout({4, 5})}, layout({2, 5})});
    expect_error(errc::extent_mismatch, prefix + "A mode 2 has extent 1",
                 problem_builder{"a=akk", {layout({2, 3, 1})}, layout({2})});
    expect_error(errc::extent_mismatch, "label 'b': B mode 1 has extent 5, D mode 1 has extent 6",
                 problem_builder{"ab=ak*kb", {matrix, layout({3, 5})}, layout({2, 6})});
    // D's error is reported before C's.
    expect_error(errc::extent_mismatch, "label 'a': A mode 0 has extent 2, D mode 1 has extent 0",
                 problem_builder{"ba=ab", {matrix}, layout({3, 0}), layout({3, 7})});
    expect_error(errc::extent_mismatch, "label 'a': A mode 0 has extent 2, C mode 1 has extent 7",
                 problem_builder{"ba=ab", {matrix}, layout({3, 2}), layout({3, 7})});
    expect_error(
        errc::extent_mismatch, "label 'occ': A mode 1 has extent 3, B mode 0 has extent 4",
        problem_builder{"C[a,b]=A[a,occ]*B[occ,b]", {matrix, layout({4, 5})}, layout({2, 5})});
}

TEST(ProblemErrors, labels_of_the_output) {
    contraction_spec stranger = parse("a=a");
    stranger.output.push_back(1);
    stranger.label_names.emplace_back("far");
    const problem_builder builder{"", {layout({2})}, matrix};
    expect_error(errc::unknown_label, "label 'far' stands in the output but in no input",
                 [&] { (void)builder.build(stranger); });
    expect_error(errc::repeated_label,
                 "label 'b' stands more than once in the output; set diagonal_output to write the "
                 "diagonal only",
                 problem_builder{"abb=ab", {matrix}, layout({2, 3, 3})});
}

TEST(ProblemErrors, types) {
    const auto with = [](data_type a, data_type b, data_type c, data_type d) {
        return [=] {
            const std::array inputs{input(a, nullptr, layout()), input(b, nullptr, layout())};
            (void)make_problem(parse(",->"), inputs, {c, nullptr, layout()}, {d, nullptr, layout()},
                               false);
        };
    };
    using enum data_type;
    EXPECT_NO_THROW(with(f16, f16, f32, f32)());
    EXPECT_NO_THROW(with(bf16, f16, f32, f32)());
    EXPECT_NO_THROW(with(f32, c32, c64, c64)());
    EXPECT_NO_THROW(with(f16, f32, bf16, f16)());
    expect_error(errc::type_mismatch, "B is f64 and D is f32; D must be f64 or c64",
                 with(f32, f64, f32, f32));
    expect_error(errc::type_mismatch, "A is c32 and D is f64; D must be c32 or c64",
                 with(c32, f32, f64, f64));
    expect_error(errc::type_mismatch, "B is f64 and D is f16; D must be f64 or c64",
                 with(f16, f64, f16, f16));
    expect_error(errc::type_mismatch, "C is c32 and D is f64; D must be c32 or c64",
                 with(f64, f64, c32, f64));
}

TEST(ProblemErrors, output_overlapping_itself) {
    expect_error(errc::overlap, "D overlaps itself: extents (2, 3), strides (1, 0)",
                 problem_builder{"ab=ab", {matrix}, layout({2, 3}, {1, 0})});
    expect_error(errc::overlap, "D overlaps itself: extents (2, 3), strides (2, -1)",
                 problem_builder{"ab=ab", {matrix}, layout({2, 3}, {2, -1})});
    // C is only read.
    EXPECT_NO_THROW(
        (void)problem_builder({"ab=ab", {matrix}, matrix, layout({2, 3}, {1, 0})}).build());
}

TEST(ProblemErrors, bytes) {
    // 2^60 f64 have 2^63 bytes, which just do not fit; as f32 they fit. Strides are zero, because
    // nothing so large exists.
    const layout wide({index_t{1} << 60}, {0});
    const auto builder = problem_builder{"=x", {wide}, layout()};
    expect_error(errc::overflow, "bytes of A: 1152921504606846976 x 8 does not fit 64 bits",
                 builder);
    problem_builder narrower = builder;
    narrower.type = data_type::f32;
    EXPECT_NO_THROW((void)narrower.build());

    // Two elements that are far apart.
    const layout apart({2}, {index_t{1} << 61});
    expect_error(errc::overflow, "bytes of B: 2305843009213693953 x 4 does not fit 64 bits",
                 problem_builder{"a=a*a", {layout({2}), apart}, layout({2}), {}, data_type::f32});
    expect_error(errc::overflow, "bytes of D: 2305843009213693953 x 8 does not fit 64 bits",
                 problem_builder{"a=a", {layout({2})}, apart});
    expect_error(errc::overflow, "bytes of C: 9223372036854775807 + 1 does not fit 64 bits",
                 problem_builder{"a=a", {layout({2})}, layout({2}), layout({2}, {INT64_MAX})});
}

TEST(ProblemErrors, products_of_extents) {
    // Each tensor is small, but the number of loop iterations is too large.
    const layout row({large}, {0});
    expect_error(errc::overflow,
                 "positions summed over: 1099511627776 x 1099511627776 does not fit 64 bits",
                 problem_builder{"=x*y", {row, row}, layout()});
    const layout wide({large, 4096}, {0, 1});
    expect_error(errc::overflow,
                 "positions summed over: 4503599627370496 x 4096 does not fit 64 bits",
                 problem_builder{"=kx*ky", {wide, wide}, layout()});
    // If an extent is 0, nothing is counted, and the other extents may have any value.
    const problem_builder empty{
        "abn=abk*kn", {layout({large, large, 0}), layout({0, 0})}, layout({large, large, 0})};
    EXPECT_TRUE(empty.build().empty_output());
}

} // namespace
} // namespace tenfold::einsum_impl
