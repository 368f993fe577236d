// HPTT's interface, written as its programs are, against plain loops: random permutations, sizes,
// outer sizes, both orders of modes, factors, and all ways to call it, bit for bit on integers.
#include <algorithm>
#include <complex>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hptt.h>

#include "compat/numbers.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

/// All of the way of one call but the data.
struct shape {
    int dim;
    std::vector<int> perm, size_a, outer_a, outer_b; ///< outer sizes of the whole tensors
    bool gives_outer_a, gives_outer_b, row_major;
    int threads;

    const int *outer_a_or_null() const { return gives_outer_a ? outer_a.data() : nullptr; }
    const int *outer_b_or_null() const { return gives_outer_b ? outer_b.data() : nullptr; }

    std::string describe() const {
        std::ostringstream text;
        const auto list = [&](const char *name, const std::vector<int> &numbers) {
            text << name;
            for (const int number : numbers)
                text << ' ' << number;
        };
        list("perm", perm);
        list(", size of A", size_a);
        list(", outer A", outer_a);
        list(", outer B", outer_b);
        text << (row_major ? ", row-major" : "") << ", " << threads << " threads";
        return text.str();
    }
};

shape random_shape(random_source &random) {
    shape made{};
    made.dim = static_cast<int>(random.integer(1, 6));
    made.perm.resize(static_cast<std::size_t>(made.dim));
    std::iota(made.perm.begin(), made.perm.end(), 0);
    random.shuffle(made.perm);
    int elements = 1;
    for (int mode = 0; mode < made.dim; ++mode) {
        const int most = std::max(1, 20000 / elements);
        const int size =
            static_cast<int>(random.chance(0.3) ? random.integer(1, std::min(most, 200))
                                                : random.integer(1, std::min(most, 9)));
        made.size_a.push_back(size);
        elements *= size;
    }
    made.gives_outer_a = random.chance(0.5);
    made.gives_outer_b = random.chance(0.5);
    made.row_major = random.chance(0.5);
    made.threads = static_cast<int>(random.integer(1, 3));
    const auto outer = [&](int size, bool given) {
        return size + static_cast<int>(given && random.chance(0.5) ? random.integer(1, 3) : 0);
    };
    for (int mode = 0; mode < made.dim; ++mode) {
        const auto k = static_cast<std::size_t>(mode);
        made.outer_a.push_back(outer(made.size_a[k], made.gives_outer_a));
        made.outer_b.push_back(
            outer(made.size_a[static_cast<std::size_t>(made.perm[k])], made.gives_outer_b));
    }
    return made;
}

std::size_t product(const std::vector<int> &numbers) {
    std::size_t value = 1;
    for (const int number : numbers)
        value *= static_cast<std::size_t>(number);
    return value;
}

/// Where a position is in a tensor with these outer sizes.
std::size_t place_of(const std::vector<int> &position, const std::vector<int> &outer,
                     bool row_major) {
    std::size_t place = 0;
    const std::size_t order = outer.size();
    for (std::size_t step = 0; step < order; ++step) {
        const std::size_t slowest_first = row_major ? step : order - 1 - step;
        place = place * static_cast<std::size_t>(outer[slowest_first]) +
                static_cast<std::size_t>(position[slowest_first]);
    }
    return place;
}

/// Calls visit(place in A, place in B) for every element.
template <class Visit> void for_each_element(const shape &of, Visit visit) {
    std::vector<int> position(of.size_a.size(), 0);
    for (;;) {
        std::vector<int> position_b;
        for (const int mode : of.perm)
            position_b.push_back(position[static_cast<std::size_t>(mode)]);
        visit(place_of(position, of.outer_a, of.row_major),
              place_of(position_b, of.outer_b, of.row_major));
        std::size_t mode = 0;
        while (mode < position.size() && ++position[mode] == of.size_a[mode])
            position[mode++] = 0;
        if (mode == position.size())
            return;
    }
}

template <class T> struct call {
    const shape &of;
    T alpha;
    bool conjugate;
    const T *a;
    T beta;
    T *b;
};

template <class Function, class T> void by_real(Function *function, const call<T> &one) {
    const shape &of = one.of;
    function(of.perm.data(), of.dim, one.alpha, one.a, of.size_a.data(), of.outer_a_or_null(),
             one.beta, one.b, of.outer_b_or_null(), of.threads, of.row_major);
}

template <class C, class T> C as_c(T value) {
    C same;
    __real__ same = value.real();
    __imag__ same = value.imag();
    return same;
}
template <class C, class Function, class T>
void by_complex(Function *function, const call<T> &one) {
    const shape &of = one.of;
    function(of.perm.data(), of.dim, as_c<C>(one.alpha), one.conjugate,
             reinterpret_cast<const C *>(one.a), of.size_a.data(), of.outer_a_or_null(),
             as_c<C>(one.beta), reinterpret_cast<C *>(one.b), of.outer_b_or_null(), of.threads,
             of.row_major);
}

void by_c_function(const call<float> &one) { by_real(sTensorTranspose, one); }
void by_c_function(const call<double> &one) { by_real(dTensorTranspose, one); }
void by_c_function(const call<c32> &one) { by_complex<float _Complex>(cTensorTranspose, one); }
void by_c_function(const call<c64> &one) { by_complex<double _Complex>(zTensorTranspose, one); }

template <class T> void by_plan(const call<T> &one) {
    const shape &of = one.of;
    auto plan = hptt::create_plan(of.perm.data(), of.dim, one.alpha, one.a, of.size_a.data(),
                                  of.outer_a_or_null(), one.beta, one.b, of.outer_b_or_null(),
                                  hptt::ESTIMATE, of.threads, nullptr, of.row_major);
    plan->setConjA(one.conjugate);
    plan->execute();
}

template <class T> void by_plan_of_vectors(const call<T> &one) {
    const shape &of = one.of;
    const std::vector<int> none;
    auto plan = hptt::create_plan(of.perm, of.dim, one.alpha, one.a, of.size_a,
                                  of.gives_outer_a ? of.outer_a : none, one.beta, one.b,
                                  of.gives_outer_b ? of.outer_b : none, hptt::ESTIMATE, of.threads,
                                  {}, of.row_major);
    plan->setConjA(one.conjugate);
    plan->execute();
}

/// Every thread of a parallel region does its share; pointers and factors are set afterwards.
template <class T> void by_shares(const call<T> &one) {
    const shape &of = one.of;
    T other{};
    hptt::Transpose<T> plan(of.size_a.data(), of.perm.data(), of.outer_a_or_null(),
                            of.outer_b_or_null(), of.dim, &other, T(5), &other, T(5),
                            hptt::ESTIMATE, of.threads, nullptr, of.row_major);
    plan.setConjA(one.conjugate);
    plan.setInputPtr(one.a);
    plan.setOutputPtr(one.b);
    plan.setAlpha(one.alpha);
    plan.setBeta(one.beta);
#pragma omp parallel num_threads(of.threads)
    {
        if (one.beta == T(0))
            plan.template execute_expert<true, false, true>();
        else
            plan.template execute_expert<true, false, false>();
    }
}

template <class T> class HpttRandom : public ::testing::Test {};
TYPED_TEST_SUITE(HpttRandom, list_of_arithmetic_types<::testing::Types>);

TYPED_TEST(HpttRandom, AllWaysToCall) {
    using T = TypeParam;
    for (const int test_case : random_cases(usual_cases)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const shape of = random_shape(random);
        SCOPED_TRACE(of.describe());
        const T alpha = small_factor<T>(random), beta = small_factor<T>(random);
        const bool conjugate = element_traits<T>::is_complex && random.chance(0.5);

        // Nothing but the elements may be read or written.
        std::vector<T> a(product(of.outer_a), not_a_number<T>());
        std::vector<T> b(product(of.outer_b), T(77));
        for_each_element(of, [&](std::size_t in_a, std::size_t in_b) {
            a[in_a] = small_number<T>(random);
            b[in_b] = beta == T(0) ? not_a_number<T>() : small_number<T>(random);
        });
        std::vector<T> expected = b;
        for_each_element(of, [&](std::size_t in_a, std::size_t in_b) {
            expected[in_b] = alpha * conjugated_if(conjugate, a[in_a]);
            if (beta != T(0))
                expected[in_b] += beta * b[in_b];
        });

        const call<T> one{of, alpha, conjugate, a.data(), beta, b.data()};
        switch (random.integer(0, 3)) {
        case 0:
            by_c_function(one);
            break;
        case 1:
            by_plan(one);
            break;
        case 2:
            by_plan_of_vectors(one);
            break;
        default:
            by_shares(one);
        }
        ASSERT_EQ(b, expected);
    }
}

} // namespace
} // namespace tenfold::testing
