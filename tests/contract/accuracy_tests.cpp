// Tests every algorithm against the bounds of docs/accuracy.md, on random contractions of every
// kind, with numbers that are random, cancel each other, or grow or fall along a summed label.
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include <gtest/gtest.h>

#include "base/context_of.hpp"
#include "base/with_type.hpp"
#include "contract/choose/planner.hpp"
#include "contract/front/plan_state.hpp"
#include "contract/random_problem.hpp"
#include "contract/random_tiles.hpp"
#include "contract/reference/reference.hpp"
#include "support/error_bound.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

enum class numbers { uniform, positive, cancelling, rising, falling };
constexpr std::array all_numbers{numbers::uniform, numbers::positive, numbers::cancelling,
                                 numbers::rising, numbers::falling};

template <class T> void set(std::byte *at, double re, double im) {
    T value;
    if constexpr (is_complex_number<T>)
        value = T(static_cast<typename T::value_type>(re), static_cast<typename T::value_type>(im));
    else
        value = T(static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(re));
    std::memcpy(at, &value, sizeof value);
}

void set(data_type type, std::byte *at, double re, double im) {
    base::with_type(type, [&]<class T>(T) { set<T>(at, re, im); });
}

double bound_of(data_type type, index_t terms) {
    const double bound = base::with_arithmetic_type(
        output_type_of(type), [&]<class T>(T) { return error_bound<T>(terms); });
    if (type == data_type::bf16)
        return rounded_bound(bound, 0x1p-8);
    return type == data_type::f16 ? rounded_bound(bound, 0x1p-11) : bound;
}

/// Numbers of one kind as a function of position, so that factors in two tensors match.
class number_field {
public:
    /// `along` is a label that is summed over, or -1.
    number_field(numbers kind, label_t along, bool changes_sign, std::uint64_t seed)
        : kind_(kind), along_(along), changes_sign_(changes_sign), seed_(seed) {}

    std::pair<double, double> at(const std::vector<label_t> &labels, const extents_t &extents,
                                 extents_t position) const {
        double factor = 1;
        for (std::size_t k = 0; k < labels.size(); ++k) {
            if (labels[k] != along_)
                continue;
            const index_t p = position[k];
            if (kind_ == numbers::cancelling) { // odd products nearly cancel even ones
                if (p % 2 == 1 && changes_sign_)
                    factor = -1 - 0x1p-20;
                position[k] = p / 2;
            } else if (kind_ == numbers::rising || kind_ == numbers::falling) {
                constexpr double reach = 6; // within the range of f16
                const double part = 2 * static_cast<double>(p) /
                                        static_cast<double>(std::max<index_t>(1, extents[k] - 1)) -
                                    1;
                factor = std::exp2(kind_ == numbers::rising ? reach * part : -reach * part);
            }
        }
        std::uint64_t state = seed_;
        for (const index_t p : position)
            state = mixed(state + static_cast<std::uint64_t>(p));
        const double re = factor * between(state);
        return {re, factor * between(mixed(state))};
    }

private:
    static std::uint64_t mixed(std::uint64_t x) { // SplitMix64
        x += 0x9e3779b97f4a7c15U;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
        return x ^ (x >> 31);
    }
    double between(std::uint64_t state) const {
        const double unit = static_cast<double>(state >> 11) * 0x1p-53;
        return kind_ == numbers::positive ? 0.5 + unit / 2 : 2 * unit - 1;
    }

    numbers kind_;
    label_t along_;
    bool changes_sign_;
    std::uint64_t seed_;
};

void fill(random_tensor &tensor, const std::vector<label_t> &labels, const number_field &field) {
    const layout &shape = tensor.shape;
    auto *const origin = static_cast<std::byte *>(tensor.data());
    extents_t position(static_cast<std::size_t>(shape.order()), 0);
    for (index_t i = 0; i < shape.size(); ++i) {
        const auto [re, im] = field.at(labels, shape.extents(), position);
        set(tensor.type, origin + shape.offset_of(position) * size_of(tensor.type), re, im);
        for (std::size_t k = 0; k < position.size() && ++position[k] == shape.extents()[k]; ++k)
            position[k] = 0;
    }
}

/// Returns the extents of the labels that D lacks; empty if there are none.
std::map<label_t, index_t> summed_labels(const random_problem &problem) {
    std::map<label_t, index_t> summed;
    for (std::size_t i = 0; i < problem.inputs.size(); ++i)
        for (std::size_t k = 0; k < problem.spec.inputs[i].size(); ++k)
            summed[problem.spec.inputs[i][k]] = problem.inputs[i].shape.extents()[k];
    for (const label_t label : problem.spec.output)
        summed.erase(label);
    return summed;
}

void fill(random_problem &problem, numbers kind, random_source &random) {
    label_t along = -1;
    index_t longest = 1;
    for (const auto &[label, extent] : summed_labels(problem))
        if (extent > longest) {
            along = label;
            longest = extent;
        }
    const auto seed = [&] { return static_cast<std::uint64_t>(random.integer(0, INT64_MAX)); };
    bool changes_sign = true; // in one of the tensors that have the label
    for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
        const auto &labels = problem.spec.inputs[i];
        fill(problem.inputs[i], labels, number_field(kind, along, changes_sign, seed()));
        if (std::find(labels.begin(), labels.end(), along) != labels.end())
            changes_sign = false;
    }
    const number_field plain(numbers::uniform, -1, false, seed());
    fill(problem.c, problem.spec.output, plain);
    fill(problem.d, problem.spec.output, plain);
    const bool complex = is_complex(problem.d.type);
    const auto factor = [&] { // exact in f32
        const auto part = [&] { return static_cast<double>(static_cast<float>(random.real())); };
        const double re = 2 * part() - 1;
        return scalar(re, complex ? part() : 0);
    };
    problem.alpha = kind == numbers::positive ? scalar(1) : factor();
    problem.beta = random.chance(0.5) ? scalar(0) : factor();
}

input as_input(const random_tensor &tensor, bool conjugate) {
    const input operand(tensor.type, tensor.data(), tensor.shape);
    return conjugate ? conj(operand) : operand;
}

/// Runs one algorithm and measures its error. Returns false if the algorithm cannot do the problem.
bool check(const random_problem &problem, const contract_options &options, index_t terms) {
    const std::vector<input> inputs = [&] {
        std::vector<input> all{as_input(problem.inputs[0], problem.conjugate_a)};
        if (problem.inputs.size() > 1)
            all.push_back(as_input(problem.inputs[1], problem.conjugate_b));
        return all;
    }();
    random_tensor d = problem.in_place ? problem.c : problem.d;
    if (!problem.in_place) // if beta is 0, nothing of C may enter the result
        std::fill(d.buffer.begin(), d.buffer.end(), std::byte{0xff});
    const random_tensor &before = problem.c;
    const input c = as_input(problem.in_place ? d : before, problem.conjugate_c);
    const output target(d.type, d.data(), d.shape);
    const void *second = inputs.size() > 1 ? inputs[1].data() : nullptr;
    try {
        const contraction_plan plan = make_plan(problem.spec, inputs, c, target, options);
        const status done =
            plan.execute(problem.alpha, inputs[0].data(), second, problem.beta, c.data(), d.data());
        EXPECT_TRUE(done.ok()) << done.message();
        const auto found = contract_impl::verify(
            contract_impl::whole_of(plan).problem,
            {problem.alpha, inputs[0].data(), second, problem.beta, before.data()}, d.data(),
            std::numeric_limits<index_t>::max(), 0);
        EXPECT_LE(found.max_relative_error, bound_of(d.type, terms));
        EXPECT_DOUBLE_EQ(found.bound, bound_of(d.type, terms)) << "verify() has another one";
        return true;
    } catch (const error &refused) {
        EXPECT_EQ(refused.code(), errc::unsupported) << refused.what();
        return false;
    }
}

/// Tests fused packing in small tiles, which the planner uses for large contractions only.
void check_fused(random_problem &problem, random_source &random, index_t terms) {
    random_tensor d = problem.d;
    const std::vector<input> inputs{as_input(problem.inputs[0], problem.conjugate_a),
                                    as_input(problem.inputs[1], problem.conjugate_b)};
    const auto classified =
        einsum_impl::make_problem(problem.spec, inputs, as_input(d, false),
                                  output(d.type, d.data(), d.shape), problem.diagonal_output);
    if (classified.empty_output() || classified.empty_sum())
        return;
    contract_impl::plan_environment environment;
    environment.ctx = &context::global();
    environment.threads = 1;
    const contract_impl::cost_model model(classified.computed,
                                          gemm_impl::gemm_plan_options::from(*environment.ctx),
                                          base::rates_of(*environment.ctx));
    const auto fused =
        contract_impl::make_tiled(classified, random_form(classified, random), model, environment);
    std::vector<std::byte> memory(static_cast<std::size_t>(fused->workspace().value) + 64);
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    const void *a = inputs[0].data();
    const void *b = inputs[1].data();
    fused->execute({problem.alpha, a, b, problem.beta, d.data()}, d.data(),
                   memory.data() + (64 - address % 64) % 64);
    const auto found =
        contract_impl::verify(classified, {problem.alpha, a, b, problem.beta, problem.d.data()},
                              d.data(), std::numeric_limits<index_t>::max(), 0);
    EXPECT_LE(found.max_relative_error, bound_of(d.type, terms)) << fused->describe();
}

void check_cases(int count, std::int64_t most_products) {
    std::map<algorithm, int> ran;
    for (const int test_case : cases(count)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        random_problem problem = make_random_problem(random, most_products);
        index_t terms = 1;
        for (const auto &[label, extent] : summed_labels(problem))
            terms *= extent;
        const numbers kind = all_numbers[static_cast<std::size_t>(test_case) % all_numbers.size()];
        fill(problem, kind, random);
        SCOPED_TRACE(problem.describe() + "\nnumbers of kind " +
                     std::to_string(static_cast<int>(kind)));
        contract_options options;
        options.diagonal_output = problem.diagonal_output;
        for (const algorithm one : {algorithm::automatic, algorithm::direct, algorithm::gemm_loop,
                                    algorithm::ttgt, algorithm::loops, algorithm::reference}) {
            SCOPED_TRACE("algorithm " + std::string(name(one)));
            options.algorithm = one;
            options.threads = static_cast<int>(random.integer(1, 3));
            ran[one] += check(problem, options, terms);
        }
        if (problem.inputs.size() == 2)
            check_fused(problem, random, terms);
        if (::testing::Test::HasFailure())
            return;
    }
    if (cases(count).size() < 2)
        return;
    for (const auto &[one, times] : ran)
        EXPECT_GT(times, count / 20) << name(one) << " was hardly tried";
}

TEST(Accuracy, SmallContractionsKeepTheBound) { check_cases(3000, 4000); }

TEST(Accuracy, LargerContractionsKeepTheBound) { check_cases(40, 500'000); }

} // namespace
} // namespace tenfold::testing
