// Tests that contract() in a plain process and on any number of ranks gives the same bits if
// results are reproducible: tensors lie, and threads and workspace are, as each likes.
#include <cmath>
#include <cstring>
#include <limits>

#include "base/with_type.hpp"
#include "contract/random_network.hpp"
#include "mpi/random_contraction.hpp"

namespace tenfold::testing {
namespace {

template <class T> class PlainProcess : public ::testing::Test {};
using element_types = list_of_arithmetic_types<::testing::Types>;
TYPED_TEST_SUITE(PlainProcess, element_types);

/// Real numbers in any order of modes, with gaps and reversed modes.
template <class T> class strewn {
public:
    strewn(const extents_t &extents, int salt, random_source &random) {
        std::vector<std::size_t> order(extents.size());
        for (std::size_t mode = 0; mode < order.size(); ++mode)
            order[mode] = mode;
        if (random.chance(0.6))
            random.shuffle(order);
        extents_t strides(extents.size());
        index_t first = 0;
        index_t size = 1;
        for (const std::size_t mode : order) {
            const bool reversed = random.chance(0.1);
            strides[mode] = reversed ? -size : size;
            if (reversed)
                first += size * std::max<index_t>(0, extents[mode] - 1);
            size *= std::max<index_t>(1, extents[mode]) + (random.chance(0.2) ? 1 : 0);
        }
        shape_ = layout(extents, strides);
        elements_.assign(static_cast<std::size_t>(size), T(-77));
        first_ = elements_.data() + first;
        for_each_position(extents_t(extents.size(), 0), extents, [&](const extents_t &position) {
            first_[shape_.offset_of(position)] = real_at<T>(position, salt);
        });
    }

    input in() const { return {data_type_of<T>, first_, shape_}; }
    output out() { return {data_type_of<T>, first_, shape_}; }

    /// Returns how many elements have other bits than those of a dense tensor.
    index_t differ(const tensor<T> &other) const {
        index_t wrong = 0;
        for_each_position(extents_t(shape_.extents().size(), 0), shape_.extents(),
                          [&](const extents_t &position) {
                              wrong += std::memcmp(first_ + shape_.offset_of(position),
                                                   other.data() + other.shape().offset_of(position),
                                                   sizeof(T)) != 0;
                          });
        return wrong;
    }

private:
    layout shape_;
    std::vector<T> elements_;
    T *first_;
};

/// Returns on all ranks what rank 0 says.
index_t from_first(index_t value) {
    MPI_Bcast(&value, 1, MPI_INT64_T, 0, ranks().comm());
    return value;
}

template <class T> T random_factor(random_source &random) {
    const auto part = [&] { return static_cast<float>(random.integer(-7, 7)) / 7.0F; };
    if constexpr (is_complex(data_type_of<T>)) {
        const auto real = part();
        return random.chance(0.5) ? T(real) : T(real, part());
    } else {
        return static_cast<T>(part());
    }
}

/// The workspace limit of `options`, or the smallest one that would do.
byte_count kept_limit(const std::string &expression, std::span<const input> inputs, const input &c,
                      const output &d, const contract_options &options) {
    try {
        make_plan(parse(expression), inputs, c, d, options);
        return *options.workspace_limit;
    } catch (const error &refusal) {
        if (!refusal.details().least)
            throw;
        return *refusal.details().least;
    }
}

template <class T> void run_in_both(int test_case) {
    random_source random(test_case);
    const random_contraction c =
        random.chance(0.7) ? draw_with_long_sums(random) : draw_contraction(random);
    SCOPED_TRACE(c.expression);
    const T alpha = random.chance(0.3) ? T(1) : random_factor<T>(random);
    const T beta = random.chance(0.3) ? T(0) : random.chance(0.3) ? T(1) : random_factor<T>(random);
    const bool conj_a = random.chance(0.3);
    const bool conj_b = !c.unary && random.chance(0.3);
    const int size = ranks().size();

    dist_tensor<T> a(ranks(), c.extents[0], draw_distribution(random, c, 0, size));
    dist_tensor<T> d(ranks(), c.extents.back(),
                     draw_distribution(random, c, c.extents.size() - 1, size));
    fill_reals(a, 1);
    fill_reals(d, 3);
    dist_options options;
    options.reproducible = true;
    options.alpha = alpha;
    options.beta = beta;
    options.conj_a = conj_a;
    options.conj_b = conj_b;
    options.diagonal_output = c.diagonal_output;
    if (c.unary) {
        contract(c.expression, a, d, options);
    } else {
        dist_tensor<T> b(ranks(), c.extents[1], draw_distribution(random, c, 1, size));
        fill_reals(b, 2);
        contract(c.expression, a, b, d, options);
    }
    const tensor<T> expected = d.gather_all();

    const strewn<T> plain_a(c.extents[0], 1, random);
    const strewn<T> plain_b(c.unary ? extents_t{} : c.extents[1], 2, random);
    const strewn<T> plain_c(c.extents.back(), 3, random);
    const bool in_place = c.diagonal_output || random.chance(0.6); // off the diagonal C is not read
    strewn<T> plain_d(c.extents.back(), in_place ? 3 : 4, random);
    contract_options plain;
    plain.reproducible = true;
    plain.alpha = alpha;
    plain.beta = beta;
    plain.diagonal_output = c.diagonal_output;
    plain.threads = static_cast<int>(random.integer(1, 3));
    std::vector<input> inputs{conj_a ? conj(plain_a.in()) : plain_a.in()};
    if (!c.unary)
        inputs.push_back(conj_b ? conj(plain_b.in()) : plain_b.in());
    const input read = in_place ? input(plain_d.out()) : plain_c.in();
    const double limit = random.chance(0.4) ? 0.5 : 1;
    index_t wrong = 0;
    if (ranks().rank() == 0) {
        contract_options unlimited = plain;
        unlimited.alpha = 1.0;
        unlimited.beta = std::nullopt;
        const auto usual = static_cast<double>(
            make_plan(parse(c.expression), inputs, read, plain_d.out(), unlimited)
                .workspace_size()
                .value);
        if (limit < 1) {
            unlimited.workspace_limit = bytes(static_cast<index_t>(limit * usual));
            plain.workspace_limit =
                kept_limit(c.expression, inputs, read, plain_d.out(), unlimited);
        }
        contract(c.expression, inputs, read, plain_d.out(), plain);
        wrong = plain_d.differ(expected);
    }
    ASSERT_EQ(from_first(wrong), 0)
        << "of " << expected.size() << " elements, alpha " << alpha << ", beta " << beta;
}

TYPED_TEST(PlainProcess, GivesTheBitsOfAnyNumberOfRanks) {
    for (const int test_case : cases(25)) {
        SCOPED_TRACE(rerun_line(test_case));
        run_in_both<TypeParam>(test_case);
        if (::testing::Test::HasFailure())
            return;
    }
}

/// Where a sum has no term no input is read, on ranks as in a plain process: 0 times infinity would
/// be NaN.
TYPED_TEST(PlainProcess, EmptySumsReadNoInput) {
    using T = TypeParam;
    struct problem {
        const char *expression;
        extents_t a, b;
    };
    for (const bool reproducible : {false, true})
        for (const problem &one :
             {problem{"mn=mxk*kn", {3, 0, 4}, {4, 5}}, problem{"mn=mk*kxn", {3, 4}, {4, 0, 5}},
              problem{"mn=mkx*kxn", {3, 4, 0}, {4, 0, 5}}}) {
            SCOPED_TRACE(one.expression);
            dist_tensor<T> a(ranks(), one.a);
            dist_tensor<T> b(ranks(), one.b);
            dist_tensor<T> d(ranks(), {3, 5});
            a.fill(T(std::numeric_limits<double>::infinity()));
            b.fill(T(std::numeric_limits<double>::infinity()));
            fill_values(d, 3);
            contract(one.expression, a, b, d, {.beta = 2.0, .reproducible = reproducible});
            tensor<T> expected = make_values<T>({3, 5}, 3);
            for (index_t i = 0; i < expected.size(); ++i)
                expected.data()[i] *= T(2);
            EXPECT_TRUE(equal(d.gather_all(), expected));
        }
}

/// More than two inputs take one path, which depends on extents alone.
template <class T> void run_network(const random_network_problem &problem, random_source &random) {
    const int size = ranks().size();
    const auto spread = [&](const layout &shape) {
        return random.chance(0.5) ? distribution::block(shape.extents(), size)
                                  : random_distribution(random, shape.extents(), size);
    };
    std::vector<dist_tensor<T>> tensors;
    std::vector<strewn<T>> plain;
    for (const network_tensor &one : problem.inputs) {
        const int salt = static_cast<int>(tensors.size()) + 1;
        tensors.emplace_back(ranks(), one.shape.extents(), spread(one.shape));
        fill_reals(tensors.back(), salt);
        plain.emplace_back(one.shape.extents(), salt, random);
    }
    std::vector<dist_input<T>> inputs;
    std::vector<input> plain_inputs;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const bool conjugated = problem.inputs[i].conjugated;
        inputs.push_back(conjugated ? conj(tensors[i]) : dist_input<T>(tensors[i]));
        plain_inputs.push_back(conjugated ? conj(plain[i].in()) : plain[i].in());
    }
    dist_tensor<T> d(ranks(), problem.d.shape.extents(), spread(problem.d.shape));
    fill_reals(d, 99);
    dist_options options;
    options.alpha = problem.alpha;
    options.beta = problem.beta;
    options.diagonal_output = true;
    options.reproducible = true;
    const std::string expression = problem.spec.to_string();
    contract<T>(expression, inputs, d, options);
    const tensor<T> expected = d.gather_all();

    strewn<T> plain_d(problem.d.shape.extents(), 99, random);
    index_t wrong = 0;
    if (ranks().rank() == 0) {
        contract(expression, plain_inputs, plain_d.out(),
                 {.alpha = problem.alpha,
                  .beta = problem.beta,
                  .reproducible = true,
                  .diagonal_output = true});
        wrong = plain_d.differ(expected);
    }
    ASSERT_EQ(from_first(wrong), 0) << "of " << expected.size() << " elements";
}

TEST(PlainProcessSequence, GivesTheBitsOfAnyNumberOfRanks) {
    for (const int test_case : cases_per_rank(120)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const random_network_problem problem =
            make_random_network(random, static_cast<int>(random.integer(3, 5)), 20000);
        SCOPED_TRACE(problem.describe());
        base::with_arithmetic_type(problem.inputs[0].type,
                                   [&]<class T>(T) { run_network<T>(problem, random); });
        if (::testing::Test::HasFailure())
            return;
    }
}

} // namespace
} // namespace tenfold::testing
