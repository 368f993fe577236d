// TBLIS's operations, written as its programs are, against plain loops, bit for bit on integers:
// labels of every kind, repeated ones, modes of length 0 and 1, any strides, factors, conjugations.
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <map>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "compat/tblis_tensors.hpp"

namespace tenfold::testing {
namespace {

using tblis::tblis_tensor;

/// Lengths of the labels 'a' to 'g'.
std::map<char, std::ptrdiff_t> random_lengths(random_source &random) {
    std::map<char, std::ptrdiff_t> lengths;
    for (char label = 'a'; label <= 'g'; ++label)
        lengths[label] = random.chance(0.03) ? 0 : random.integer(1, 5);
    return lengths;
}

std::string some_labels(const std::map<char, std::ptrdiff_t> &lengths, random_source &random) {
    std::string labels;
    for (const auto &[label, length] : lengths)
        if (random.chance(0.6))
            labels += label;
    return labels;
}

template <class T> labelled_tensor<T> with_labels(std::string labels,
                                                  const std::map<char, std::ptrdiff_t> &lengths,
                                                  random_source &random) {
    labelled_tensor<T> made;
    if (!labels.empty() && labels.size() < 5 && random.chance(0.15)) // the diagonal
        labels += labels[static_cast<std::size_t>(
            random.integer(0, static_cast<std::int64_t>(labels.size()) - 1))];
    std::vector<char> order(labels.begin(), labels.end());
    random.shuffle(order);
    made.labels.assign(order.begin(), order.end());
    for (const char label : made.labels)
        made.lengths.push_back(lengths.at(label));
    return made;
}

/// A mode of length 1, whatever its label's length elsewhere, counts as absent.
template <class T> void add_a_mode_of_length_1(labelled_tensor<T> &tensor, random_source &random) {
    if (!random.chance(0.2))
        return;
    tensor.labels += static_cast<char>('a' + random.integer(0, 6));
    tensor.lengths.push_back(1);
}

template <class T> std::string describe(const labelled_tensor<T> &tensor) {
    std::ostringstream text;
    text << "'" << tensor.labels << "' lengths";
    for (const auto length : tensor.lengths)
        text << ' ' << length;
    text << " strides";
    for (const auto stride : tensor.strides)
        text << ' ' << stride;
    text << " factor " << tensor.factor << (tensor.conjugate ? " conj" : "") << "; ";
    return text.str();
}

/// beta op(C) at one position, for the expected result. C is not read if beta is 0.
template <class T> T scaled(const labelled_tensor<T> &c, const positions &at) {
    return c.factor == T(0) ? T(0) : c.factor * c.read(at);
}

/// What a tensor with factor 0 holds is not read.
template <class T> void poison_unread(labelled_tensor<T> &tensor) {
    if (tensor.factor != T(0))
        return;
    positions at;
    for_each_position(tensor.extents(), at, [&] { tensor.at(at) = not_a_number<T>(); });
}

template <class T> void expect_reset(const tblis_tensor &tensor) {
    EXPECT_EQ(tensor.alpha<T>(), T(1));
    EXPECT_EQ(tensor.conj, 0);
}

template <class T> class TblisRandom : public ::testing::Test {
protected:
    void SetUp() override { tblis_set_num_threads(2); }
};
TYPED_TEST_SUITE(TblisRandom, list_of_arithmetic_types<::testing::Types>);

TYPED_TEST(TblisRandom, Mult) {
    using T = TypeParam;
    for (const int test_case : random_cases(usual_cases)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const auto lengths = random_lengths(random);
        std::string in_a, in_b, in_c;
        for (const auto &[label, length] : lengths) {
            const auto kind = random.integer(0, 11); // seven labels; most stand in two tensors
            if (kind <= 2 || kind == 8 || kind == 9)
                in_a += label;
            if ((kind >= 1 && kind <= 4) || kind == 8 || kind == 10)
                in_b += label;
            if (kind == 0 || kind == 3 || kind == 4 || kind == 8)
                in_c += label;
        }
        auto a = with_labels<T>(in_a, lengths, random), b = with_labels<T>(in_b, lengths, random);
        auto c = with_labels<T>(in_c, lengths, random);
        add_a_mode_of_length_1(a, random);
        add_a_mode_of_length_1(b, random);
        add_a_mode_of_length_1(c, random);
        fill(a, random, false);
        fill(b, random, false);
        fill(c, random, true);
        const T alpha = a.factor * b.factor;
        if (alpha == T(0)) {
            poison_unread(a);
            poison_unread(b);
        }
        poison_unread(c);
        SCOPED_TRACE(describe(a) + describe(b) + describe(c));

        auto expected = c;
        auto summed = a.extents();
        summed.merge(b.extents());
        summed = less(summed, c.extents());
        positions at;
        for_each_position(c.extents(), at, [&] {
            T sum{};
            if (alpha != T(0))
                for_each_position(summed, at, [&] { sum += a.read(at) * b.read(at); });
            expected.at(at) = alpha * sum + scaled(c, at);
        });

        auto view_a = a.view(), view_b = b.view(), view_c = c.view();
        tblis::tblis_tensor_mult(random.chance(0.2) ? tblis_single : nullptr, nullptr, &view_a,
                                 a.labels.data(), &view_b, b.labels.data(), &view_c,
                                 c.labels.data());
        ASSERT_EQ(c.buffer, expected.buffer);
        expect_reset<T>(view_c);
    }
}

TYPED_TEST(TblisRandom, Add) {
    using T = TypeParam;
    for (const int test_case : random_cases(usual_cases)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const auto lengths = random_lengths(random);
        std::string in_a, in_b;
        for (const auto &[label, length] : lengths) {
            const auto kind = random.integer(0, 7);
            if (kind <= 4)
                in_a += label;
            if (kind <= 3 || kind == 5)
                in_b += label;
        }
        auto a = with_labels<T>(in_a, lengths, random), b = with_labels<T>(in_b, lengths, random);
        add_a_mode_of_length_1(a, random);
        add_a_mode_of_length_1(b, random);
        fill(a, random, false);
        fill(b, random, true);
        poison_unread(a);
        poison_unread(b);
        SCOPED_TRACE(describe(a) + describe(b));

        auto expected = b;
        const auto summed = less(a.extents(), b.extents());
        positions at;
        for_each_position(b.extents(), at, [&] {
            T sum{};
            if (a.factor != T(0))
                for_each_position(summed, at, [&] { sum += a.read(at); });
            expected.at(at) = a.factor * sum + scaled(b, at);
        });

        auto view_a = a.view(), view_b = b.view();
        tblis::tblis_tensor_add(nullptr, nullptr, &view_a, a.labels.data(), &view_b,
                                b.labels.data());
        ASSERT_EQ(b.buffer, expected.buffer);
        expect_reset<T>(view_b);
    }
}

TYPED_TEST(TblisRandom, Dot) {
    using T = TypeParam;
    for (const int test_case : random_cases(usual_cases)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const auto lengths = random_lengths(random);
        const std::string in_both = some_labels(lengths, random);
        auto a = with_labels<T>(in_both, lengths, random),
             b = with_labels<T>(in_both, lengths, random);
        add_a_mode_of_length_1(a, random);
        fill(a, random, false);
        fill(b, random, false);
        SCOPED_TRACE(describe(a) + describe(b));

        T sum{};
        positions at;
        for_each_position(a.extents(), at, [&] { sum += a.read(at) * b.read(at); });

        auto view_a = a.view(), view_b = b.view();
        tblis::tblis_scalar result(T(5));
        tblis::tblis_tensor_dot(nullptr, nullptr, &view_a, a.labels.data(), &view_b,
                                b.labels.data(), &result);
        ASSERT_EQ(result.get<T>(), a.factor * b.factor * sum);
        EXPECT_EQ(result.type, tblis::tblis_scalar(T()).type);
    }
}

TYPED_TEST(TblisRandom, SetScaleShift) {
    using T = TypeParam;
    for (const int test_case : random_cases(usual_cases)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const auto lengths = random_lengths(random);
        const std::string labels = some_labels(lengths, random);
        auto a = with_labels<T>(labels, lengths, random);
        add_a_mode_of_length_1(a, random);
        fill(a, random, true);
        const auto operation = random.integer(0, 2);
        const T addend = operation == 1 ? T(0) : small_factor<T>(random);
        if (operation == 0)
            a.factor = T(0); // set does not read
        poison_unread(a);
        SCOPED_TRACE(describe(a));

        auto expected = a;
        positions at;
        for_each_position(a.extents(), at, [&] { expected.at(at) = addend + scaled(a, at); });

        auto view = a.view();
        const tblis::tblis_scalar alpha(addend);
        if (operation == 0)
            tblis::tblis_tensor_set(nullptr, nullptr, &alpha, &view, a.labels.data());
        else if (operation == 1)
            tblis::tblis_tensor_scale(nullptr, nullptr, &view, a.labels.data());
        else
            tblis::tblis_tensor_shift(nullptr, nullptr, &alpha, &view, a.labels.data());
        ASSERT_EQ(a.buffer, expected.buffer);
        expect_reset<T>(view);
    }
}

template <class T> double real_part(T value) { return static_cast<double>(std::real(value)); }

/// What comparing the elements by `key` finds, and where: a position that must hold that element.
template <class T, class Key, class Better> void expect_best(const labelled_tensor<T> &a,
                                                             double start, Key key, Better better,
                                                             T value, std::ptrdiff_t index) {
    double best = start;
    positions at;
    for_each_position(a.extents(), at, [&] {
        if (better(key(a.at(at)), best))
            best = key(a.at(at));
    });
    if (best == start) { // nothing is better
        EXPECT_EQ(index, -1);
        EXPECT_EQ(real_part(value), start);
        return;
    }
    const double epsilon = std::numeric_limits<typename element_traits<T>::real>::epsilon();
    EXPECT_NEAR(real_part(value), best, 4 * epsilon * std::abs(best));
    bool is_there = false;
    for_each_position(a.extents(), at, [&] {
        is_there = is_there || (a.offset(at) == index && key(a.at(at)) == best);
    });
    EXPECT_TRUE(is_there) << index;
}

TYPED_TEST(TblisRandom, Reduce) {
    using T = TypeParam;
    using limits = std::numeric_limits<typename element_traits<T>::real>;
    for (const int test_case : random_cases(usual_cases)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const auto lengths = random_lengths(random);
        const std::string labels = some_labels(lengths, random);
        auto a = with_labels<T>(labels, lengths, random);
        add_a_mode_of_length_1(a, random);
        fill(a, random, false);
        SCOPED_TRACE(describe(a));

        T sum{};
        double absolutes = 0, squares = 0, terms = 0;
        positions at;
        for_each_position(a.extents(), at, [&] {
            sum += a.read(at);
            absolutes += std::abs(std::complex<double>(a.at(at)));
            squares += std::norm(std::complex<double>(a.at(at)));
            ++terms;
        });
        const auto itself = [](T value) { return real_part(value); };
        const auto absolute = [](T value) { return static_cast<double>(std::abs(value)); };
        const double magnitude = std::abs(std::complex<double>(a.factor));
        const bool negative = real_part(a.factor) < 0;
        // The result is rounded a few times in its type; before that the library's sum of doubles,
        // and the one above, are each off by up to half an epsilon for every term.
        const double in_sums = terms * std::numeric_limits<double>::epsilon();
        const auto rounding = [&](double value) {
            return (50.0 * limits::epsilon() + in_sums) * value;
        };

        auto view = a.view();
        for (const auto op :
             {tblis::REDUCE_SUM, tblis::REDUCE_SUM_ABS, tblis::REDUCE_MAX, tblis::REDUCE_MAX_ABS,
              tblis::REDUCE_MIN, tblis::REDUCE_MIN_ABS, tblis::REDUCE_NORM_2}) {
            SCOPED_TRACE(op);
            tblis::tblis_scalar result(T(5));
            tblis::len_type index = -7;
            tblis::tblis_tensor_reduce(nullptr, nullptr, op, &view, a.labels.data(), &result,
                                       &index);
            const T value = result.get<T>();
            const bool largest = (op == tblis::REDUCE_MAX) != negative;
            switch (op) {
            case tblis::REDUCE_SUM:
                EXPECT_EQ(value, a.factor * sum);
                EXPECT_EQ(index, -1);
                break;
            case tblis::REDUCE_SUM_ABS:
                EXPECT_NEAR(real_part(value), magnitude * absolutes,
                            rounding(magnitude * absolutes));
                EXPECT_EQ(index, -1);
                break;
            case tblis::REDUCE_NORM_2:
                EXPECT_NEAR(real_part(value), magnitude * std::sqrt(squares),
                            rounding(magnitude * std::sqrt(squares)));
                EXPECT_EQ(index, -1);
                break;
            case tblis::REDUCE_MAX:
            case tblis::REDUCE_MIN:
                if (largest)
                    expect_best(a, static_cast<double>(limits::lowest()), itself, std::greater<>(),
                                value, index);
                else
                    expect_best(a, static_cast<double>(limits::max()), itself, std::less<>(), value,
                                index);
                break;
            case tblis::REDUCE_MAX_ABS:
                expect_best(a, 0, absolute, std::greater<>(), value, index);
                break;
            case tblis::REDUCE_MIN_ABS:
                expect_best(a, static_cast<double>(limits::max()), absolute, std::less<>(), value,
                            index);
                break;
            }
        }
    }
}

} // namespace
} // namespace tenfold::testing
