// Tests contractions of 8-bit integers: random ones against the same contraction of f64, whose sums
// are exact, and against the reference; what wraps around, and what is refused.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tenfold/tenfold.hpp>

#include "contract/algorithms.hpp"
#include "contract/random_problem.hpp"
#include "support/every_isa.hpp"
#include "support/message_of.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

/// Integers that lie as a tensor of f64 does, and have its values.
template <class T> struct integers {
    std::vector<T> buffer;
    index_t origin;

    explicit integers(const random_tensor &like) : origin(like.origin) {
        const auto *from = reinterpret_cast<const double *>(like.buffer.data());
        for (index_t i = 0; i < like.elements(); ++i)
            buffer.push_back(static_cast<T>(from[i]));
    }
    T *data() { return buffer.data() + origin; }
};

void fill(random_tensor &tensor, random_source &random, int least, int most) {
    auto *to = reinterpret_cast<double *>(tensor.buffer.data());
    for (index_t i = 0; i < tensor.elements(); ++i)
        to[i] = static_cast<double>(random.chance(0.1) ? least : random.integer(least, most));
}

struct tried {
    std::map<algorithm, int> by;
};

/// The contraction in f64.
random_tensor expected_of(const random_problem &problem) {
    random_tensor d = problem.d;
    std::vector<input> inputs;
    for (const random_tensor &one : problem.inputs)
        inputs.emplace_back(one.type, one.data(), one.shape);
    const input c(data_type::f64, problem.in_place ? d.data() : problem.c.data(), problem.c.shape);
    const contraction_plan plan =
        make_plan(problem.spec, inputs, c, output(d.type, d.data(), d.shape),
                  {.algorithm = algorithm::reference, .diagonal_output = problem.diagonal_output});
    std::vector<const void *> data;
    for (const input &one : inputs)
        data.push_back(one.data());
    EXPECT_TRUE(plan.execute(problem.alpha, data, problem.beta, c.data(), d.data()));
    return d;
}

template <class TA, class TB>
void compare(const random_problem &problem, const contract_options &options, tried &count) {
    integers<TA> a(problem.inputs[0]);
    std::vector<input> inputs{{data_type_of<TA>, a.data(), problem.inputs[0].shape}};
    integers<TB> b(problem.inputs.back()); // of one input not used
    if (problem.inputs.size() > 1)
        inputs.emplace_back(data_type_of<TB>, b.data(), problem.inputs[1].shape);
    integers<std::int32_t> d(problem.d), other_c(problem.c);
    std::int32_t *const c = problem.in_place ? d.data() : other_c.data();
    const output to(data_type::i32, d.data(), problem.d.shape);
    std::vector<const void *> data;
    for (const input &one : inputs)
        data.push_back(one.data());
    try {
        const contraction_plan plan =
            make_plan(problem.spec, inputs, input(data_type::i32, c, problem.c.shape), to, options);
        SCOPED_TRACE(plan.explain());
        const bool reads_c = problem.beta != 0.0;
        const status done = plan.execute(problem.alpha, data, problem.beta,
                                         reads_c || problem.in_place ? c : nullptr, d.data());
        ASSERT_TRUE(done.ok()) << done.message();
    } catch (const error &refused) {
        ASSERT_EQ(refused.code(), errc::unsupported) << refused.what();
        ASSERT_NE(options.algorithm, algorithm::automatic) << refused.what();
        return;
    }
    ++count.by[options.algorithm];
    const random_tensor expected = expected_of(problem);
    const auto *should = reinterpret_cast<const double *>(expected.buffer.data());
    for (std::size_t i = 0; i < d.buffer.size(); ++i)
        ASSERT_EQ(d.buffer[i], static_cast<std::int32_t>(should[i])) << "element " << i;
}

void check_cases(int number, std::int64_t most_products) {
    const auto contexts = contexts_of_every_isa(settings::from_environment());
    std::vector<algorithm> algorithms = all_algorithms();
    algorithms.insert(algorithms.end(), 3, algorithm::automatic);
    tried count;
    for (const int test_case : cases(number)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        random_problem problem = make_random_problem(random, most_products, data_type::f64);
        // i8 i8, u8 i8, i8 u8, i32 i32, i32 i8, u8 i32
        const int types = static_cast<int>(random.integer(0, 5));
        const bool u8_a = types == 1 || types == 5, u8_b = types == 2;
        fill(problem.inputs[0], random, u8_a ? 0 : -128, u8_a ? 255 : 127);
        if (problem.inputs.size() > 1)
            fill(problem.inputs[1], random, u8_b ? 0 : -128, u8_b ? 255 : 127);
        fill(problem.d, random, -1000, 1000);
        if (problem.in_place)
            problem.c = problem.d;
        else
            fill(problem.c, random, -1000, 1000);
        contract_options options;
        options.diagonal_output = problem.diagonal_output;
        options.ctx = random.pick(contexts).get();
        options.algorithm = random.pick(algorithms);
        options.threads = static_cast<int>(random.integer(1, 3));
        options.reproducible = random.chance(0.2);
        SCOPED_TRACE(problem.describe() + ", algorithm " + std::string(name(options.algorithm)) +
                     ", ISA " + std::string(name(options.ctx->isa())));
        const bool binary = problem.inputs.size() > 1;
        if (types == 3 || (types == 4 && !binary))
            compare<std::int32_t, std::int32_t>(problem, options, count);
        else if (types == 4)
            compare<std::int32_t, std::int8_t>(problem, options, count);
        else if (types == 5 && binary)
            compare<std::uint8_t, std::int32_t>(problem, options, count);
        else if (u8_a)
            compare<std::uint8_t, std::int8_t>(problem, options, count);
        else if (u8_b && problem.inputs.size() > 1)
            compare<std::int8_t, std::uint8_t>(problem, options, count);
        else
            compare<std::int8_t, std::int8_t>(problem, options, count);
        if (::testing::Test::HasFatalFailure())
            return;
    }
    const auto ran = static_cast<int>(cases(number).size()); // TENFOLD_TEST_CASES may reduce it
    for (const algorithm one : algorithms)
        if (ran > 1000 && one != algorithm::fused) {
            EXPECT_GT(count.by[one], ran / 100) << name(one);
        }
}

TEST(Integers, SmallContractionsAreExact) { check_cases(6000, 4000); }

TEST(Integers, LargerContractionsAreExact) { check_cases(200, 1'000'000); }

/// Matrices whose elements all are one number.
template <class TA, class TB> struct constant_matrices {
    index_t m, n, k;
    std::vector<TA> a;
    std::vector<TB> b;
    std::vector<std::int32_t> d;

    constant_matrices(const extents_t &mnk, TA of_a, TB of_b)
        : m(mnk[0]), n(mnk[1]), k(mnk[2]), a(static_cast<std::size_t>(m * k), of_a),
          b(static_cast<std::size_t>(k * n), of_b), d(static_cast<std::size_t>(m * n), 7) {}
    tensor_view<const TA> in_a() const { return {a.data(), {m, k}}; }
    tensor_view<const TB> in_b() const { return {b.data(), {k, n}}; }
    tensor_view<std::int32_t> out() { return {d.data(), {m, n}}; }
};

TEST(Integers, SumsWrapAroundAsGemmDoes) {
    constexpr index_t terms = 140000; // 2^14 each: more than 2^31 in all
    constant_matrices<std::int8_t, std::int8_t> with({3, 5, terms}, -128, -128);
    const auto sum =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(terms) * 16384U * 3U + 2U * 7U);
    for (const algorithm by :
         {algorithm::direct, algorithm::loops, algorithm::reference, algorithm::automatic}) {
        std::fill(with.d.begin(), with.d.end(), 7);
        contract("ab=ak*kb", with.in_a(), with.in_b(), with.out(),
                 {.alpha = 3.0, .beta = 2.0, .algorithm = by});
        EXPECT_EQ(with.d, std::vector<std::int32_t>(15, sum)) << name(by);
    }
}

TEST(Integers, LargeFactorsAreExact) {
    constant_matrices<std::uint8_t, std::int8_t> with({3, 5, 2}, 1, 1);
    contract("ab=ak*kb", with.in_a(), with.in_b(), with.out(), {.alpha = 16777217.0});
    EXPECT_EQ(with.d[0], 2 * 16777217); // not a number of f32
    EXPECT_EQ(contraction_plan(make_plan("ab=ak*kb", with.in_a(), with.in_b(), with.out()))
                  .execute(0.5, with.a.data(), with.b.data(), 0.0, with.d.data(), with.d.data())
                  .code(),
              errc::type_mismatch);
    EXPECT_EQ(with.d[0], 2 * 16777217);
}

TEST(Integers, NothingToMultiply) {
    constant_matrices<std::int8_t, std::int8_t> empty({3, 5, 0}, 1, 1);
    contract("ab=ak*kb", empty.in_a(), empty.in_b(), empty.out(), {.beta = -2.0});
    EXPECT_EQ(empty.d, std::vector<std::int32_t>(15, -14));
    constant_matrices<std::int8_t, std::int8_t> with({3, 5, 4}, 1, 1);
    const std::vector<std::int32_t> c(15, 9);
    const contraction_plan plan =
        make_plan("ab=ak*kb", with.in_a(), with.in_b(),
                  tensor_view<const std::int32_t>(c.data(), {3, 5}), with.out());
    EXPECT_TRUE(plan.execute(0.0, nullptr, nullptr, 3.0, c.data(), with.d.data()));
    EXPECT_EQ(with.d, std::vector<std::int32_t>(15, 27));
    EXPECT_TRUE(plan.execute(0.0, nullptr, nullptr, 0.0, nullptr, with.d.data()));
    EXPECT_EQ(with.d, std::vector<std::int32_t>(15, 0));
}

TEST(Integers, Batches) {
    constant_matrices<std::int8_t, std::int8_t> with({4, 6, 5}, 2, 3);
    const contraction_plan plan = make_plan("ab=ak*kb", with.in_a(), with.in_b(), with.out());
    std::vector<std::int32_t> d(2 * 24, 1);
    const std::vector<input_batch> inputs{input_batch::strided(with.a.data(), 0),
                                          input_batch::strided(with.b.data(), 0)};
    EXPECT_TRUE(plan.execute_batch({.count = 2,
                                    .beta = 10.0,
                                    .inputs = inputs,
                                    .c = input_batch::strided(d.data(), 24),
                                    .d = output_batch::strided(d.data(), 24)}));
    EXPECT_EQ(d, std::vector<std::int32_t>(48, 5 * 6 + 10));
}

TEST(Integers, ProgressEndsWithAll) {
    const extents_t extents{12, 12, 12, 12};
    const std::vector<std::int8_t> a(12 * 12 * 12 * 12, 1);
    std::vector<std::int32_t> d(a.size());
    const tensor_view<const std::int8_t> in(a.data(), extents);
    const tensor_view<std::int32_t> out(d.data(), extents);
    for (const algorithm by : {algorithm::ttgt, algorithm::gemm_loop, algorithm::loops}) {
        double last = 0;
        execution_control watched;
        watched.progress = [&](double done) {
            EXPECT_GE(done, last);
            last = done;
        };
        contract("abcd=aebf*dfce", in, in, out, {.algorithm = by, .control = &watched});
        EXPECT_EQ(last, 1.0) << name(by);
        EXPECT_EQ(d, std::vector<std::int32_t>(d.size(), 144)) << name(by);
    }
}

/// Where all lie like matrices, nothing is copied.
TEST(Integers, TtgtCopiesWhatDoesNotLieLikeAMatrix) {
    const std::vector<std::int8_t> a(8 * 8 * 8, 1);
    std::vector<std::int32_t> d(a.size());
    const tensor_view<const std::int8_t> in(a.data(), {8, 8, 8});
    const tensor_view<std::int32_t> out(d.data(), {8, 8, 8});
    const auto moves = [&](const char *expression) {
        const contraction_plan plan =
            make_plan(expression, in, in, out, {.algorithm = algorithm::ttgt});
        EXPECT_TRUE(plan.execute(1.0, a.data(), a.data(), 0.0, d.data(), d.data()));
        EXPECT_EQ(d, std::vector<std::int32_t>(d.size(), 8));
        const std::string text = plan.explain();
        const std::size_t begin = text.find("move ");
        return text.substr(begin, text.find(';', begin) - begin);
    };
    EXPECT_EQ(
        message_of([&] { moves("abi=aki*kbi"); }, errc::unsupported),
        "algorithm 'ttgt' cannot do this contraction: the tensors lie like matrices: there is "
        "nothing to copy");
    EXPECT_EQ(moves("abi=iak*kbi"), "move A");
    EXPECT_EQ(moves("iab=aki*kib"), "move D");
}

TEST(Integers, SizesNearTheLargestCanBePlanned) {
    constexpr index_t n = index_t{1} << 30;
    const layout a({n, 2, n}, {2, 1, 2 * n}), b({n, n}, {1, n}), d({n, 2}, {1, n});
    const contraction_plan plan =
        make_plan("il=ilk*ki", input(data_type::i8, nullptr, a), input(data_type::i8, nullptr, b),
                  output(data_type::i32, nullptr, d));
    EXPECT_GT(plan.summary().seconds, 0);
}

TEST(Integers, WorkspaceLimitIsKept) {
    // "bad" orders: nothing lies like a matrix.
    const extents_t extents{8, 9, 10, 11};
    std::vector<std::int8_t> a(8 * 9 * 10 * 11, 1), b(8 * 9 * 10 * 11, 2);
    std::vector<std::int32_t> d(9 * 11 * 9 * 11);
    const auto plan = [&](byte_count limit) {
        return make_plan("bdfh=abcd*afch", tensor_view<const std::int8_t>(a.data(), extents),
                         tensor_view<const std::int8_t>(b.data(), extents),
                         tensor_view<std::int32_t>(d.data(), {9, 11, 9, 11}),
                         {.workspace_limit = limit});
    };
    const index_t needed = plan(mib(100)).workspace_size().value;
    for (const index_t limit : {needed, needed / 2, needed / 10}) {
        const contraction_plan limited = plan(bytes(limit));
        EXPECT_LE(limited.workspace_size().value, limit);
        EXPECT_TRUE(limited.execute(1.0, a.data(), b.data(), 0.0, d.data(), d.data()));
        EXPECT_EQ(d, std::vector<std::int32_t>(d.size(), 2 * 80));
    }
}

TEST(Integers, RefusalsNameTheTensor) {
    constant_matrices<std::int8_t, std::int8_t> with({3, 5, 4}, 1, 1);
    constant_matrices<std::uint8_t, std::uint8_t> both({3, 5, 4}, 1, 1);
    std::vector<float> f(15);
    const tensor_view<float> d_f32(f.data(), {3, 5});
    const auto refusal = [&](const input &a, const input &b, const output &d,
                             const contract_options &options = {},
                             errc code = errc::type_mismatch) {
        return message_of([&] { contract("ab=ak*kb", a, b, d, options); }, code);
    };
    EXPECT_EQ(refusal(with.in_a(), with.in_b(), d_f32), "A is i8 and D is f32; D must be i32");
    EXPECT_EQ(refusal(both.in_a(), both.in_b(), both.out()),
              "A and B are u8; one of them must be i8");
    const tensor_view<const float> a_f32(f.data(), {3, 4});
    EXPECT_EQ(refusal(a_f32, with.in_b(), with.out()),
              "A is f32 and D is i32; D must be f32, f64, c32, c64, bf16 or f16");
    EXPECT_EQ(refusal(with.in_a(), with.in_b(), with.out(), {.f64_sums = true}, errc::unsupported),
              "D is i32: sums of integers are exact, and not in f64");
    const contraction_epilogue half = contraction_epilogue().scale(0.5);
    EXPECT_EQ(refusal(with.in_a(), with.in_b(), with.out(), {.epilogue = &half}),
              "epilogue step 1: the factor is no integer of 32 bits, but D has type i32");
    EXPECT_EQ(message_of(
                  [&] {
                      contract("ab=ak*kb*ak", {both.in_a(), with.in_b(), both.in_a()}, with.out());
                  },
                  errc::type_mismatch),
              "2 inputs are u8; one of them may be, others are i8 or i32");
    EXPECT_EQ(
        message_of(
            [&] {
                transpose("ba=ab", with.in_a(), tensor_view<std::int32_t>(with.d.data(), {4, 3}));
            },
            errc::type_mismatch),
        "A is i8, B is i32; integers are only moved to the same type");
    EXPECT_EQ(with.d, std::vector<std::int32_t>(15, 7));
}

} // namespace
} // namespace tenfold::testing
