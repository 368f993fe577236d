// Compares random contractions that have random epilogues with the contraction alone and plain
// loops over its result, bit for bit: values are small integers.
#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "base/scalars.hpp"
#include "base/with_stored_type.hpp"
#include "contract/algorithms.hpp"
#include "contract/random_problem.hpp"

namespace tenfold::testing {
namespace {

/// x -> x + *context, which shows an element that is passed twice or never.
template <class T> void add_number(T *elements, index_t count, void *context) {
    for (index_t i = 0; i < count; ++i)
        elements[i] += *static_cast<const T *>(context);
}

input as_input(const random_tensor &tensor, bool conjugate) {
    const input operand(tensor.type, tensor.data(), tensor.shape);
    return conjugate ? conj(operand) : operand;
}

/// The labels of D, each once, with its extent.
struct free_labels {
    std::vector<label_t> labels;
    extents_t extents;

    explicit free_labels(const random_problem &problem) {
        for (std::size_t k = 0; k < problem.spec.output.size(); ++k)
            if (std::find(labels.begin(), labels.end(), problem.spec.output[k]) == labels.end()) {
                labels.push_back(problem.spec.output[k]);
                extents.push_back(problem.d.shape.extent(static_cast<int>(k)));
            }
    }
    index_t extent_of(label_t label) const {
        return extents[static_cast<std::size_t>(std::find(labels.begin(), labels.end(), label) -
                                                labels.begin())];
    }
    /// Calls visit(position) for every position, one number for each label.
    template <class Visit> void each(const Visit &visit) const {
        if (std::find(extents.begin(), extents.end(), 0) != extents.end())
            return;
        extents_t at(extents.size(), 0);
        for (;;) {
            visit(at);
            std::size_t k = 0;
            for (; k < at.size() && ++at[k] == extents[k]; ++k)
                at[k] = 0;
            if (k == at.size())
                return;
        }
    }
    index_t offset(const std::vector<label_t> &of, const layout &shape, const extents_t &at) const {
        index_t sum = 0;
        for (std::size_t k = 0; k < of.size(); ++k)
            sum += shape.stride(static_cast<int>(k)) *
                   at[static_cast<std::size_t>(std::find(labels.begin(), labels.end(), of[k]) -
                                               labels.begin())];
        return sum;
    }
};

/// Random steps, with their plain definition.
class random_epilogue {
public:
    random_epilogue(const random_problem &problem, random_source &random)
        : problem_(problem), free_(problem) {
        tensors_.reserve(epilogue::most_steps); // the steps hold addresses
        for (auto left = random.integer(1, 4); left > 0; --left)
            base::with_arithmetic_type(output_type_of(problem.d.type),
                                       [&]<class T>(T) { add_step<T>(random); });
    }

    const contraction_epilogue &steps() const { return steps_; }
    std::string describe() const {
        std::string text = "epilogue:";
        for (const contraction_step &one : steps_.steps())
            text += " " + std::to_string(static_cast<int>(one.operation.kind)) + " '" + one.labels +
                    "' " + one.shape.describe();
        return text;
    }
    /// All steps in the type of the sums, and then one rounding.
    void apply_to(random_tensor &d) const {
        base::with_stored_type(d.type, [&]<class Stored, class T>(Stored, T) {
            random_tensor wide = d;
            if constexpr (!std::is_same_v<Stored, T>) {
                wide.type = data_type_of<T>;
                wide.buffer = fenced_bytes(d.buffer.size() * sizeof(T) / sizeof(Stored));
                each_element([&](index_t at) {
                    static_cast<T *>(wide.data())[at] =
                        static_cast<T>(static_cast<const Stored *>(d.data())[at]);
                });
            }
            for (const auto &step : plain_)
                step(wide);
            each_element([&](index_t at) {
                static_cast<Stored *>(d.data())[at] =
                    Stored(static_cast<const T *>(wide.data())[at]);
            });
        });
    }

private:
    /// Calls visit(offset) for every element of D.
    template <class Visit> void each_element(const Visit &visit) const {
        free_.each([&](const extents_t &at) {
            visit(free_.offset(problem_.spec.output, problem_.d.shape, at));
        });
    }

    template <class T, class F> void each(const F &f) {
        plain_.push_back([this, f](random_tensor &d) {
            free_.each([&](const extents_t &at) {
                T &element =
                    static_cast<T *>(d.data())[free_.offset(problem_.spec.output, d.shape, at)];
                element = f(element, at);
            });
        });
    }

    template <class T> void add_step(random_source &random) {
        constexpr bool is_real = !element_traits<T>::is_complex;
        const T factor(static_cast<typename element_traits<T>::real>(random.integer(-2, 2)));
        const scalar given(
            base::round_to(data_type_of<T>, scalar(static_cast<double>(std::real(factor)))));
        switch (random.integer(0, is_real ? 6 : 3)) {
        case 0:
            if (scaled_)
                return;
            scaled_ = true;
            steps_.scale(given);
            return each<T>([factor](T d, const extents_t &) { return d * factor; });
        case 1:
            if (multiplied_)
                return;
            multiplied_ = true;
            return combine<T>(true, factor, given, random);
        case 2:
        case 3:
        case 4:
            return combine<T>(false, factor, given, random);
        case 5:
            if constexpr (is_real) {
                steps_.apply(elementwise::relu);
                each<T>([](T d, const extents_t &) { return d < 0 ? T(0) : d; });
            }
            return;
        default:
            if constexpr (is_real) {
                static T number = T(3);
                steps_.call<T>(add_number<T>, &number);
                each<T>([](T d, const extents_t &) { return d + number; });
            }
        }
    }

    template <class T>
    void combine(bool multiplies, T factor, scalar given, random_source &random) {
        std::vector<label_t> labels;
        for (const label_t label : free_.labels)
            for (int times = random.chance(0.05)  ? 2
                             : random.chance(0.6) ? 1
                                                  : 0;
                 times > 0; --times)
                labels.push_back(label);
        random.shuffle(labels);
        std::string text;
        extents_t extents;
        for (const label_t label : labels) {
            text += problem_.spec.label_names[static_cast<std::size_t>(label)];
            extents.push_back(free_.extent_of(label));
        }
        const data_type type = random.chance(0.5) ? problem_.d.type : data_type_of<T>;
        tensors_.push_back(make_random_tensor(extents, type, true, random));
        const random_tensor &x = tensors_.back();
        const bool conjugates = random.chance(0.2);
        const input operand = as_input(x, conjugates);
        if (multiplies)
            steps_.multiply(text, operand, given);
        else
            steps_.add(text, operand, given);
        base::with_stored_type(type, [&]<class Stored, class Sum>(Stored, Sum) {
            if constexpr (std::is_same_v<Sum, T>)
                each<T>([=, this, data = static_cast<const Stored *>(x.data()),
                         shape = x.shape](T d, const extents_t &at) {
                    const T of_x(data[free_.offset(labels, shape, at)]);
                    const T other = factor * base::op(of_x, conjugates);
                    return multiplies ? d * other : d + other;
                });
        });
    }

    const random_problem &problem_;
    free_labels free_;
    std::vector<random_tensor> tensors_;
    contraction_epilogue steps_;
    std::vector<std::function<void(random_tensor &)>> plain_;
    bool scaled_ = false, multiplied_ = false; ///< once, so that all numbers stay exact
};

std::vector<input> inputs_of(const random_problem &problem) {
    std::vector<input> inputs{as_input(problem.inputs[0], problem.conjugate_a)};
    if (problem.inputs.size() > 1)
        inputs.push_back(as_input(problem.inputs[1], problem.conjugate_b));
    return inputs;
}

/// Runs it by a plan or, if `at_once`, in one call. Returns the plan's description, or an empty
/// text if the algorithm cannot do it.
std::string run(const random_problem &problem, random_tensor &d, const contract_options &options,
                bool at_once) {
    const std::vector<input> inputs = inputs_of(problem);
    const input c = as_input(problem.in_place ? d : problem.c, problem.conjugate_c);
    const output target(d.type, d.data(), d.shape);
    try {
        if (at_once) {
            contract_options own = options;
            own.alpha = problem.alpha;
            own.beta = problem.beta;
            contract(problem.spec, inputs, c, target, own);
            return "in one call";
        }
        const contraction_plan plan = make_plan(problem.spec, inputs, c, target, options);
        std::vector<const void *> data;
        for (const input &one : inputs)
            data.push_back(one.data());
        const std::vector<const void *> of_steps =
            options.epilogue != nullptr ? options.epilogue->data() : std::vector<const void *>();
        const status done =
            plan.execute({.alpha = problem.alpha,
                          .inputs = data,
                          .beta = problem.beta,
                          .c = problem.beta == 0.0 && !problem.in_place ? nullptr : c.data(),
                          .d = d.data(),
                          .epilogue = of_steps});
        EXPECT_TRUE(done.ok()) << done.message();
        return plan.explain();
    } catch (const error &refused) {
        EXPECT_TRUE(refused.code() == errc::unsupported ||
                    refused.code() == errc::workspace_too_small)
            << refused.what();
        return {};
    }
}

void check_cases(int count, std::int64_t most_products) {
    std::vector<algorithm> algorithms = all_algorithms();
    algorithms.insert(algorithms.end(), 3, algorithm::automatic);
    int fused = 0, passes = 0, rounded = 0;
    for (const int test_case : cases(count)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const random_problem problem = make_random_problem(random, most_products);
        SCOPED_TRACE(problem.describe());

        contract_options options;
        options.diagonal_output = problem.diagonal_output;
        options.algorithm = algorithm::reference;
        random_tensor expected = problem.d;
        ASSERT_FALSE(run(problem, expected, options, false).empty());
        const random_epilogue finish(problem, random);
        finish.apply_to(expected);
        SCOPED_TRACE(finish.describe());

        options.epilogue = &finish.steps();
        options.algorithm = random.pick(algorithms);
        options.threads = static_cast<int>(random.integer(1, 3));
        options.reproducible = random.chance(0.15);
        if (*options.reproducible)
            options.algorithm = algorithm::automatic; // there is one
        if (random.chance(0.2))
            options.workspace_limit = bytes(random.integer(0, 1 << 16));
        random_tensor result = problem.d;
        const std::string plan = run(problem, result, options, random.chance(0.3));
        if (plan.empty())
            continue;
        fused += plan.find("epilogue fused in the product") != std::string::npos;
        passes += plan.find("epilogue: a pass over D") != std::string::npos;
        rounded += !is_arithmetic(problem.d.type);
        ASSERT_TRUE(same_values(result, expected)) << plan;
    }
    if (cases(count).size() > 100) {
        EXPECT_GT(fused, 10);
        EXPECT_GT(passes, 10);
        EXPECT_GT(rounded, 0);
    }
}

TEST(RandomEpilogues, SmallContractionsEqualPlainLoops) { check_cases(6000, 2000); }

TEST(RandomEpilogues, LargerContractionsEqualPlainLoops) { check_cases(150, 100'000); }

} // namespace
} // namespace tenfold::testing
