// Tests copies, sums, permuted slices and functions of elements of distributed tensors.
#include <algorithm>
#include <complex>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <tenfold/dist_operations.hpp>

#include "mpi/operation_cases.hpp"
#include "mpi/ranks.hpp"

namespace tenfold::testing {
namespace {

template <class T> class DistOperations : public ::testing::Test {};
using operation_types = list_of_arithmetic_types<::testing::Types>;
TYPED_TEST_SUITE(DistOperations, operation_types);

/// A new tensor in a random distribution, the same on all ranks.
template <class T> dist_tensor<T> made(random_source &random, const extents_t &extents) {
    return {ranks(), extents, random_distribution(random, extents, ranks().size())};
}

extents_t drawn_extents(random_source &random) {
    return random_extents(random, static_cast<int>(random.integer(0, 4)));
}

template <class T> T not_a_number() {
    return T(std::numeric_limits<typename element_traits<T>::real>::quiet_NaN());
}

/// Returns the whole tensor of value(position), computed without communication.
template <class T, class Value> tensor<T> whole_of(const extents_t &extents, const Value &value) {
    tensor<T> result(extents);
    T *next = result.data();
    for_each_position(extents_t(extents.size(), 0), extents,
                      [&](const extents_t &position) { *next++ = value(position); });
    return result;
}

TYPED_TEST(DistOperations, CopyBetweenAnyDistributions) {
    for (const int test_case : operation_cases()) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents = drawn_extents(random);
        auto x = made<TypeParam>(random, extents);
        auto y = made<TypeParam>(random, extents);
        fill_values(x, test_case);
        y.fill(not_a_number<TypeParam>());
        if (y.distribution().copies() > 1 && ranks().rank() == 0)
            static_cast<void>(y.data()); // counts as a write by hand, which this one repairs
        copy(x, y);
        const auto expected = make_values<TypeParam>(extents, test_case);
        EXPECT_TRUE(holds(y, expected));
        EXPECT_TRUE(equal(y.gather_all(), expected));
        copy(y, y);
        EXPECT_TRUE(holds(y, expected));
    }
}

/// Also where roundings show: the bits are those of a loop over the terms.
TYPED_TEST(DistOperations, CombineRoundsAsOneProcess) {
    using T = TypeParam;
    for (const int test_case : operation_cases()) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents = drawn_extents(random);
        auto a = made<T>(random, extents);
        auto b = made<T>(random, extents);
        auto d = made<T>(random, extents);
        dist_tensor<T> c(ranks(), extents, d.distribution());
        fill_reals(a, 1);
        fill_reals(b, 2);
        fill_reals(c, 3);
        const auto factor = [&] { return T(static_cast<float>(random.integer(-9, 9)) / 7); };
        const T of_a = factor();
        const T of_b = factor();
        const T of_c = factor();
        const auto add = [](T &to, T by, T value) {
            if (by != T(0)) // the tensor is not read
                to += by * value;
        };
        d.fill(not_a_number<T>()); // not read
        combine({{of_a, a}, {of_b, b}, {of_c, c}}, d);
        const auto combined = whole_of<T>(extents, [&](const extents_t &position) {
            T sum(0);
            add(sum, of_a, real_at<T>(position, 1));
            add(sum, of_b, real_at<T>(position, 2));
            add(sum, of_c, real_at<T>(position, 3));
            return sum;
        });
        EXPECT_TRUE(holds(d, combined));

        fill_reals(d, 4);
        combine({{of_b, b}, {of_c, d}, {of_a, c}}, d); // its own term comes first
        const auto with_itself = whole_of<T>(extents, [&](const extents_t &position) {
            T sum(0);
            add(sum, of_c, real_at<T>(position, 4));
            add(sum, of_b, real_at<T>(position, 2));
            add(sum, of_a, real_at<T>(position, 3));
            return sum;
        });
        EXPECT_TRUE(holds(d, with_itself));

        fill_reals(d, 4);
        axpy(of_a, a, d);
        scale(T(-2), d);
        const auto added = whole_of<T>(extents, [&](const extents_t &position) {
            T sum = real_at<T>(position, 4);
            add(sum, of_a, real_at<T>(position, 1));
            return T(-2) * sum;
        });
        EXPECT_TRUE(holds(d, added));
    }
}

TYPED_TEST(DistOperations, CombineReadsNothingByZero) {
    using T = TypeParam;
    const extents_t extents{5, 4};
    dist_tensor<T> nan(ranks(), extents), one(ranks(), extents), d(ranks(), extents);
    nan.fill(not_a_number<T>());
    one.fill(T(1));
    d.fill(not_a_number<T>());
    combine({{T(0), nan}, {T(3), one}, {T(0), d}}, d);
    EXPECT_EQ(norm_max(d), 3.0);
    d.fill(not_a_number<T>());
    combine({{T(0), nan}}, d);
    EXPECT_EQ(norm_max(d), 0.0);
    d.fill(not_a_number<T>());
    scale(T(0), d);
    EXPECT_EQ(norm_max(d), 0.0);
    combine<T>(std::span<const dist_term<T>>(), d);
    EXPECT_EQ(norm_max(d), 0.0);
}

TEST(DistOperationsComplex, CombineMultipliesByComplexFactors) {
    const extents_t extents{3, 4};
    dist_tensor<c64> a(ranks(), extents), d(ranks(), extents);
    fill_values(a, 1);
    fill_values(d, 2);
    axpy(c64(1, 2), a, d);
    EXPECT_TRUE(holds(d, whole_of<c64>(extents, [](const extents_t &position) {
                          return value_at<c64>(position, 2) +
                                 c64(1, 2) * value_at<c64>(position, 1);
                      })));
}

/// A slice of these extents in a tensor that is somewhat larger.
struct placed_slice {
    slice where;
    extents_t whole;

    placed_slice(random_source &random, const extents_t &extents) {
        where.extents = extents;
        for (const index_t extent : extents) {
            where.offsets.push_back(random.integer(0, 3));
            whole.push_back(where.offsets.back() + extent + random.integer(0, 2));
        }
    }
    bool has(const extents_t &position) const {
        for (std::size_t k = 0; k < position.size(); ++k)
            if (position[k] < where.offsets[k] ||
                position[k] >= where.offsets[k] + where.extents[k])
                return false;
        return true;
    }
};

TYPED_TEST(DistOperations, TransposeSlices) {
    using T = TypeParam;
    for (const int test_case : operation_cases()) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents = drawn_extents(random);
        std::vector<std::size_t> modes(extents.size()); // mode k of B is mode modes[k] of A
        std::iota(modes.begin(), modes.end(), std::size_t{0});
        random.shuffle(modes);
        extents_t permuted;
        std::string from, to;
        for (std::size_t k = 0; k < modes.size(); ++k) {
            permuted.push_back(extents[modes[k]]);
            from += (k == 0 ? "" : ",") + std::string(1, static_cast<char>('a' + k));
            to += (k == 0 ? "" : ",") + std::string(1, static_cast<char>('a' + modes[k]));
        }
        const placed_slice in_a(random, extents);
        const placed_slice in_b(random, permuted);
        auto a = made<T>(random, in_a.whole);
        auto b = made<T>(random, in_b.whole);
        fill_values(a, 1);
        fill_values(b, 2);
        const auto alpha = static_cast<float>(random.integer(-2, 2));
        const auto beta = static_cast<float>(random.integer(-2, 2));
        transpose("[" + to + "]=2*[" + from + "]", a, in_a.where, b, in_b.where,
                  {.alpha = alpha, .beta = beta});
        const auto expected = whole_of<T>(in_b.whole, [&](const extents_t &position) {
            const T old = value_at<T>(position, 2);
            if (!in_b.has(position))
                return old;
            extents_t source(extents.size());
            for (std::size_t k = 0; k < modes.size(); ++k)
                source[modes[k]] =
                    position[k] - in_b.where.offsets[k] + in_a.where.offsets[modes[k]];
            return T(2 * alpha) * value_at<T>(source, 1) + T(beta) * old;
        });
        EXPECT_TRUE(holds(b, expected))
            << a.distribution().describe() << " -> " << b.distribution().describe() << ": " << to;
    }
}

TEST(DistOperations, TransposeReadsWhatItMust) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    dist_tensor<double> a(ranks(), {4, 3}), b(ranks(), {3, 4});
    fill_values(a, 1);
    b.fill(nan);
    const slice all_of_a{{0, 0}, {4, 3}};
    const slice all_of_b{{0, 0}, {3, 4}};
    transpose("ba=ab", a, all_of_a, b, all_of_b);
    const auto expected = whole_of<double>({3, 4}, [](const extents_t &position) {
        return value_at<double>(extents_t{position[1], position[0]}, 1);
    });
    EXPECT_TRUE(holds(b, expected));
    a.fill(nan);
    transpose("ba+=ab", a, all_of_a, b, all_of_b, {.alpha = 0.0});
    EXPECT_TRUE(holds(b, expected));
}

TEST(DistOperations, TransposeWithinOneTensor) {
    dist_tensor<double> a(ranks(), {6, 8});
    fill_values(a, 1);
    transpose("ba-=ab", a, {{0, 0}, {6, 2}}, a, {{3, 2}, {2, 6}});
    EXPECT_TRUE(holds(
        a, whole_of<double>({6, 8}, [](const extents_t &position) {
            const double old = value_at<double>(position, 1);
            const index_t i = position[0] - 3;
            const index_t j = position[1] - 2;
            return i >= 0 && i < 2 && j >= 0 ? old - value_at<double>(extents_t{j, i}, 1) : old;
        })));
    const tensor<double> before = a.gather_all();
    const failure overlap = failure_of([&] {
        transpose("ab=ab", a, {{0, 0}, {3, 3}}, a, {{2, 2}, {3, 3}});
    });
    EXPECT_EQ(overlap.code, errc::overlap) << overlap.message;
    EXPECT_TRUE(equal(a.gather_all(), before));
}

TYPED_TEST(DistOperations, MapByPositionAndValues) {
    using T = TypeParam;
    for (const int test_case : operation_cases()) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const extents_t extents = drawn_extents(random);
        auto a = made<T>(random, extents);
        auto d = made<c64>(random, extents);
        fill_values(a, 1);
        fill_values(d, 2);
        index_t calls = 0;
        map_elements(
            d,
            [&](position_view at, c64 own, T value) {
                ++calls;
                return own + c64(2) * c64(value) + value_at<c64>(at, 3);
            },
            d, a);
        EXPECT_TRUE(holds(d, whole_of<c64>(extents, [](const extents_t &position) {
                              return value_at<c64>(position, 2) +
                                     c64(2) * c64(value_at<T>(position, 1)) +
                                     value_at<c64>(position, 3);
                          })));
        const auto counts = all_gather(ranks(), calls); // once for each element, copies or not
        EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), index_t{0}),
                  layout(extents).size());
        map_elements(a, [](position_view at) { return value_at<T>(at, 4); });
        EXPECT_TRUE(holds(a, make_values<T>(extents, 4)));
    }
}

TEST(DistOperations, MapThatThrowsOnOneRank) {
    const extents_t extents{8, 8};
    const auto everywhere =
        distribution::replicated(extents, ranks().size(), ranks().size() > 2 ? 2 : 1);
    dist_tensor<double> d(ranks(), extents, everywhere);
    const failure refused = failure_of([&] {
        map_elements(d, [](position_view at) -> double {
            if (at[0] == 7 && at[1] == 7)
                throw std::runtime_error("no value there");
            return 1;
        });
    });
    EXPECT_EQ(refused.code, errc::invalid_argument);
    EXPECT_NE(refused.message.find("no value there"), std::string::npos) << refused.message;
    EXPECT_EQ(failure_of([&] { d.norm(); }).code,
              everywhere.copies() > 1 ? errc::invalid_argument : errc::ok);
    map_elements(d, [](position_view) { return 2.0; });
    EXPECT_EQ(norm_max(d), 2.0);
}

/// Tensors of copies that may differ are refused, and what is wrong is told on all ranks, before
/// anything is written.
TEST(DistOperations, RefuseAlikeOnAllRanks) {
    const int size = ranks().size();
    const extents_t extents{4, 4};
    dist_tensor<double> copies(ranks(), extents, distribution::replicated(extents, size, size));
    dist_tensor<double> d(ranks(), extents), other(ranks(), {4, 5});
    fill_values(copies, 1);
    fill_values(d, 2);
    const auto expect = [&](errc code, const char *words, const auto &call) {
        const failure refused = failure_of(call);
        EXPECT_EQ(refused.code, code) << words;
        EXPECT_NE(refused.message.find(words), std::string::npos) << refused.message;
        EXPECT_TRUE(same_on_all_ranks(refused.message));
        EXPECT_TRUE(holds(d, make_values<double>(extents, 2)));
    };
    const slice all{{0, 0}, {4, 4}};
    expect(errc::extent_mismatch, "X mode 1 has extent 5, Y mode 1 has extent 4",
           [&] { copy(other, d); });
    expect(errc::extent_mismatch, "term 2 mode 1 has extent 5, D mode 1 has extent 4", [&] {
        combine({{1.0, d}, {2.0, other}}, d);
    });
    expect(errc::extent_mismatch, "input 1 mode 1 has extent 5", [&] {
        map_elements(
            d, [](position_view, double x) { return x; }, other);
    });
    expect(errc::extent_mismatch, "label 'a'", [&] {
        transpose("ab=ab", other, {{0, 0}, {3, 4}}, d, all);
    });
    expect(errc::extent_mismatch, "slice of A: mode 1", [&] {
        transpose("ab=ab", other, {{0, 2}, {4, 4}}, d, all);
    });
    expect(errc::repeated_label, "label 'a'", [&] {
        transpose("aa=aa", other, {{0, 0}, {4, 4}}, d, all);
    });
    const world again(ranks().comm());
    dist_tensor<double> foreign(again, extents);
    expect(errc::invalid_argument, "different worlds", [&] { copy(foreign, d); });
    expect(errc::invalid_argument, "different worlds", [&] { axpy(1.0, foreign, d); });

    if (size == 1)
        return;
    const bool is_last = ranks().rank() == size - 1;
    expect(errc::disagreement, "factor 1", [&] { combine({{is_last ? 1.0 : 2.0, other}}, d); });
    expect(errc::disagreement, "slice of B", [&] {
        transpose("ab=ab", copies, all, d, is_last ? slice{{0, 0}, {4, 3}} : all);
    });
    expect(errc::disagreement, "input 1", [&] {
        map_elements(
            d, [](position_view, double x) { return x; }, is_last ? d : other);
    });
    if (ranks().rank() == 0)
        static_cast<void>(copies.local());
    expect(errc::invalid_argument, "call refresh()", [&] { copy(copies, d); });
    expect(errc::invalid_argument, "call refresh()", [&] { axpy(1.0, copies, d); });
    expect(errc::invalid_argument, "call refresh()", [&] { scale(2.0, copies); });
    expect(errc::invalid_argument, "call refresh()",
           [&] { transpose("ab=ba", copies, all, d, all); });
    expect(errc::invalid_argument, "call refresh()", [&] {
        map_elements(
            d, [](position_view, double x) { return x; }, copies);
    });
    copy(d, copies); // writes every element
    EXPECT_TRUE(equal(copies.gather_all(), d.gather_all()));
}

} // namespace
} // namespace tenfold::testing
