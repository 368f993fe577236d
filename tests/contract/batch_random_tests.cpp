// Batches of random contractions, and random overlap.
#include <array>
#include <cstring>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <tenfold/tenfold.hpp>

#include "contract/random_problem.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

/// The tensors of one operand, one for each contraction, one after the other in one block.
class tensors_of_batch {
public:
    /// The elements of each are those of `first`, rotated.
    tensors_of_batch(const random_tensor &first, index_t count, bool rotates)
        : first_(first), size_(first.buffer.size()),
          bytes_(size_ * static_cast<std::size_t>(count)) {
        const auto element = static_cast<std::size_t>(size_of(first.type));
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
            const std::size_t turn = rotates && size_ > 0 ? i * 3 * element % size_ : 0;
            std::memcpy(bytes_.data() + i * size_, first.buffer.data() + turn, size_ - turn);
            std::memcpy(bytes_.data() + i * size_ + (size_ - turn), first.buffer.data(), turn);
            addresses_.push_back(data(static_cast<index_t>(i)));
        }
    }

    std::byte *data(index_t i) {
        return bytes_.data() + static_cast<std::size_t>(i) * size_ +
               first_.origin * size_of(first_.type);
    }
    random_tensor copy(index_t i) const {
        random_tensor made = first_;
        std::memcpy(made.buffer.data(), bytes_.data() + static_cast<std::size_t>(i) * size_, size_);
        return made;
    }
    input_batch inputs(bool in_steps) {
        constant_.assign(addresses_.begin(), addresses_.end());
        return in_steps ? input_batch::strided(data(0), first_.elements())
                        : input_batch::at_addresses(constant_);
    }
    output_batch outputs(bool in_steps) {
        return in_steps ? output_batch::strided(data(0), first_.elements())
                        : output_batch::at_addresses(addresses_);
    }

private:
    random_tensor first_;
    std::size_t size_;
    std::vector<std::byte> bytes_;
    std::vector<void *> addresses_;
    std::vector<const void *> constant_;
};

input as_input(const random_tensor &tensor, bool conjugate) {
    const input operand(tensor.type, tensor.data(), tensor.shape);
    return conjugate ? conj(operand) : operand;
}

TEST(BatchRandom, EachEqualsTheReference) {
    for (const int test_case : cases(2000)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        random_problem problem = make_random_problem(random, 2000);
        SCOPED_TRACE(problem.describe());
        const index_t count = random.integer(1, 6);
        std::vector<tensors_of_batch> operands;
        for (const random_tensor &one : problem.inputs)
            operands.emplace_back(one, count, true);
        tensors_of_batch c(problem.c, count, true), d(problem.d, count, problem.in_place);

        std::vector<input> planned{as_input(problem.inputs[0], problem.conjugate_a)};
        if (problem.inputs.size() > 1)
            planned.push_back(as_input(problem.inputs[1], problem.conjugate_b));
        const auto plan_for = [&](const contract_options &options) {
            const input of_c =
                as_input(problem.in_place ? problem.d : problem.c, problem.conjugate_c);
            return make_plan(problem.spec, planned, of_c,
                             output(problem.d.type, nullptr, problem.d.shape), options);
        };
        contract_options options{.algorithm = algorithm::reference,
                                 .diagonal_output = problem.diagonal_output};
        const contraction_plan reference = plan_for(options);
        std::vector<random_tensor> expected;
        for (index_t i = 0; i < count; ++i) {
            expected.push_back(d.copy(i));
            random_tensor &own_d = expected.back();
            const random_tensor own_c = c.copy(i);
            std::vector<random_tensor> own;
            for (const tensors_of_batch &one : operands)
                own.push_back(one.copy(i));
            std::vector<const void *> addresses;
            for (const random_tensor &one : own)
                addresses.push_back(one.data());
            reference
                .execute(problem.alpha, addresses, problem.beta,
                         problem.in_place ? own_d.data() : own_c.data(), own_d.data())
                .throw_if_failed();
        }

        options.algorithm = algorithm::automatic;
        options.threads = static_cast<int>(random.integer(1, 3));
        options.reproducible = random.chance(0.2);
        std::vector<input_batch> inputs;
        for (tensors_of_batch &one : operands)
            inputs.push_back(one.inputs(random.chance(0.5)));
        const bool d_in_steps = random.chance(0.5);
        index_t failed = -1;
        const status done = plan_for(options).execute_batch(
            {.count = count,
             .alpha = problem.alpha,
             .beta = problem.beta,
             .inputs = inputs,
             .c = problem.in_place ? d.inputs(random.chance(0.5)) : c.inputs(random.chance(0.5)),
             .d = d.outputs(d_in_steps)},
            {}, &failed);
        ASSERT_TRUE(done.ok()) << done.message() << ", contraction " << failed;
        for (index_t i = 0; i < count; ++i)
            ASSERT_TRUE(same_values(d.copy(i), expected[static_cast<std::size_t>(i)])) << i;
    }
}

/// The elements of a matrix that lies somewhere in an array.
struct placed_matrix {
    index_t start, row_stride, column_stride;

    std::set<index_t> elements(index_t rows, index_t columns) const {
        std::set<index_t> all;
        for (index_t i = 0; i < rows; ++i)
            for (index_t j = 0; j < columns; ++j)
                all.insert(start + i * row_stride + j * column_stride);
        return all;
    }
};

bool meet(const std::set<index_t> &x, const std::set<index_t> &y) {
    for (const index_t one : x)
        if (y.contains(one))
            return true;
    return false;
}

/// Against sets of elements: what is refused overlaps, and what overlaps is refused.
TEST(BatchRandom, OverlapIsFoundExactly) {
    constexpr index_t most = 200;
    int refused = 0, taken = 0;
    for (const int test_case : cases(4000)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const index_t rows = random.integer(1, 3), columns = random.integer(1, 3);
        const index_t count = random.integer(1, 5);
        std::vector<double> memory(4 * most);
        double *const middle = memory.data() + 2 * most;
        const placed_matrix d{0, random.integer(-6, 6), random.integer(-6, 6)};
        const index_t a_stride = random.integer(-4, 4);
        if (d.elements(rows, columns).size() != static_cast<std::size_t>(rows * columns))
            continue; // no plan
        const bool reads_c = random.chance(0.5), c_lies_as_d = random.chance(0.7);
        const placed_matrix c{0, c_lies_as_d ? d.row_stride : random.integer(-6, 6),
                              c_lies_as_d ? d.column_stride : random.integer(-6, 6)};
        const double factor = 2;
        const contraction_plan plan = make_plan(
            "ab=a*b", tensor_view<const double>(middle, layout({rows}, {a_stride})),
            tensor_view<const double>(&factor, layout({columns}, {0})),
            tensor_view<const double>(middle,
                                      layout({rows, columns}, {c.row_stride, c.column_stride})),
            tensor_view<double>(middle, layout({rows, columns}, {d.row_stride, d.column_stride})));

        const bool in_steps = random.chance(0.5);
        const index_t width = random.chance(0.5) ? 12 : 80;
        const auto starts = [&] {
            std::vector<index_t> all{random.integer(-width, width)};
            const index_t step = random.integer(-15, 15);
            while (std::ssize(all) < count)
                all.push_back(in_steps ? all.back() + step : random.integer(-width, width));
            return all;
        };
        const std::vector<index_t> of_d = starts(), of_a = starts();
        const std::vector<index_t> of_c = random.chance(0.5) ? of_d : starts();
        const auto distance = [](const std::vector<index_t> &all) {
            return all.size() > 1 ? all[1] - all[0] : 0;
        };

        std::vector<std::set<index_t>> elements_of_d, elements_of_a, elements_of_c;
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
            const auto at = [&](index_t start, const placed_matrix &m) {
                return placed_matrix{start, m.row_stride, m.column_stride}.elements(rows, columns);
            };
            elements_of_d.push_back(at(of_d[i], d));
            elements_of_c.push_back(at(of_c[i], c));
            elements_of_a.push_back(placed_matrix{of_a[i], a_stride, 0}.elements(rows, 1));
        }
        bool overlaps = false;
        for (std::size_t i = 0; i < elements_of_d.size(); ++i)
            for (std::size_t j = 0; j < elements_of_d.size(); ++j) {
                const bool same = i == j && of_c[i] == of_d[i] &&
                                  (rows == 1 || c.row_stride == d.row_stride) &&
                                  (columns == 1 || c.column_stride == d.column_stride);
                overlaps = overlaps || (i != j && meet(elements_of_d[i], elements_of_d[j])) ||
                           meet(elements_of_d[i], elements_of_a[j]) ||
                           (reads_c && !same && meet(elements_of_d[i], elements_of_c[j]));
            }

        std::vector<const void *> a_at, c_at;
        std::vector<void *> d_at;
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
            a_at.push_back(middle + of_a[i]);
            c_at.push_back(middle + of_c[i]);
            d_at.push_back(middle + of_d[i]);
        }
        const bool as_steps = in_steps && random.chance(0.7);
        const std::array inputs{as_steps ? input_batch::strided(a_at[0], distance(of_a))
                                         : input_batch::at_addresses(a_at),
                                input_batch::strided(&factor, 0)};
        const status done =
            plan.execute_batch({.count = count,
                                .beta = reads_c ? 1.0 : 0.0,
                                .inputs = inputs,
                                .c = as_steps && (of_c != of_d || random.chance(0.5))
                                         ? input_batch::strided(c_at[0], distance(of_c))
                                         : input_batch::at_addresses(c_at),
                                .d = as_steps ? output_batch::strided(d_at[0], distance(of_d))
                                              : output_batch::at_addresses(d_at)});
        ASSERT_EQ(done.code(), overlaps ? errc::overlap : errc::ok);
        ++(overlaps ? refused : taken);
    }
    if (refused + taken > 1000) {
        EXPECT_GT(refused, 100);
        EXPECT_GT(taken, 100);
    }
}

} // namespace
} // namespace tenfold::testing
