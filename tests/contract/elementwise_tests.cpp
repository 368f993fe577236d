// Compares element-wise products, and sums beside them, of any order of modes with the reference,
// bit for bit on small integers: by every algorithm, and in tiles of any extents.
#include <algorithm>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "base/context_of.hpp"
#include "base/workspace.hpp"
#include "contract/algorithms.hpp"
#include "contract/products/box_nest.hpp"
#include "contract/random_problem.hpp"
#include "contract/random_tiles.hpp"
#include "contract/reference/reference.hpp"
#include "support/described_machines.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

using contract_impl::candidate_ptr;
using einsum_impl::contraction_problem;

enum class summing : std::uint8_t { nothing, some_modes };

input as_input(const random_tensor &tensor, bool conjugate) {
    const input operand(tensor.type, tensor.data(), tensor.shape);
    return conjugate ? conj(operand) : operand;
}

index_t extent_of_elementwise(random_source &random) {
    if (random.chance(0.1))
        return 1;
    if (random.chance(0.5))
        return random.integer(2, 5);
    return random.chance(0.7) ? random.integer(6, 20) : random.integer(21, 70);
}

/// Labels stand in both inputs more often than not. Sums, if any, are of both inputs.
random_problem make_elementwise(random_source &random, std::int64_t most_products, summing sums) {
    random_problem problem;
    std::vector<std::vector<label_t>> labels(3); // A, B, D
    extents_t extents;
    std::int64_t products = 1;
    const auto count = random.integer(1, 6);
    for (label_t label = 0; label < count; ++label) {
        index_t extent = extent_of_elementwise(random);
        if (products * extent > most_products)
            extent = 1;
        products *= extent;
        extents.push_back(extent);
        problem.spec.label_names.push_back(std::string(1, static_cast<char>('a' + label)));
        std::vector<std::size_t> in{0, 1, 2};
        if (sums == summing::some_modes && random.chance(0.4))
            in = {0, 1};
        else if (random.chance(0.4))
            in = random.chance(0.5) ? std::vector<std::size_t>{0, 2}
                                    : std::vector<std::size_t>{1, 2};
        for (const std::size_t tensor : in)
            labels[tensor].push_back(label);
    }
    const bool in_order = random.chance(0.2); // of the first modes, the same in all tensors
    for (auto &one : labels)
        if (!in_order)
            random.shuffle(one);
    problem.spec.inputs = {labels[0], labels[1]};
    problem.spec.output = labels[2];
    std::vector<data_type> types(std::begin(all_data_types), std::end(all_data_types));
    std::erase_if(types, [](data_type one) { return !is_arithmetic(one); });
    const data_type type = random.pick(types);
    const auto make = [&](const std::vector<label_t> &of, bool zeros) {
        extents_t own;
        for (const label_t label : of)
            own.push_back(extents[static_cast<std::size_t>(label)]);
        return make_random_tensor(own, type, zeros, random);
    };
    problem.inputs.push_back(make(labels[0], true));
    problem.inputs.push_back(make(labels[1], true));
    problem.d = make(labels[2], false);
    problem.in_place = random.chance(0.6);
    problem.c = problem.in_place ? problem.d : make(labels[2], true);
    const std::vector<double> factors{0, 1, 1, -1, 2};
    problem.alpha = random.pick(factors);
    problem.beta = random.chance(0.5) ? 0.0 : random.pick(factors);
    if (is_complex(type) && random.chance(0.5))
        problem.alpha += scalar(0, 2);
    problem.conjugate_a = random.chance(0.3);
    problem.conjugate_b = random.chance(0.3);
    problem.conjugate_c = random.chance(0.2);
    return problem;
}

bool run(const random_problem &problem, random_tensor &d, const contract_options &options) {
    const std::vector<input> inputs{as_input(problem.inputs[0], problem.conjugate_a),
                                    as_input(problem.inputs[1], problem.conjugate_b)};
    const input c = as_input(problem.in_place ? d : problem.c, problem.conjugate_c);
    try {
        const contraction_plan plan =
            make_plan(problem.spec, inputs, c, output(d.type, d.data(), d.shape), options);
        SCOPED_TRACE(plan.explain());
        const status done =
            plan.execute(problem.alpha, inputs[0].data(), inputs[1].data(), problem.beta,
                         problem.beta == 0.0 && !problem.in_place ? nullptr : c.data(), d.data());
        EXPECT_TRUE(done.ok()) << done.message();
        return true;
    } catch (const error &refused) {
        EXPECT_EQ(refused.code(), errc::unsupported) << refused.what();
        EXPECT_NE(options.algorithm, algorithm::automatic) << refused.what();
        return false;
    }
}

void check_algorithms(int count, std::int64_t most_products, summing sums) {
    std::vector<algorithm> algorithms = fast_algorithms();
    algorithms.push_back(algorithm::automatic);
    for (const int test_case : cases(count)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        random_problem problem = make_elementwise(random, most_products, sums);
        SCOPED_TRACE(problem.describe());
        if (problem.beta == 0.0) // all bits set are NaN in every type
            std::memset(problem.d.buffer.data(), 0xff, problem.d.buffer.size());
        contract_options options;
        options.algorithm = algorithm::reference;
        random_tensor expected = problem.d;
        ASSERT_TRUE(run(problem, expected, options));
        options.threads = static_cast<int>(random.integer(1, 3));
        for (const algorithm one : algorithms) {
            SCOPED_TRACE("algorithm " + std::string(name(one)));
            options.algorithm = one;
            random_tensor result = problem.d;
            if (run(problem, result, options)) {
                ASSERT_TRUE(same_values(result, expected));
            }
        }
    }
}

TEST(Elementwise, EveryAlgorithmEqualsTheReference) {
    check_algorithms(700, 3000, summing::nothing);
}

TEST(Elementwise, LargerOnesEqualTheReference) { check_algorithms(30, 300'000, summing::nothing); }

TEST(Elementwise, SumsBesideThemEqualTheReference) {
    check_algorithms(700, 3000, summing::some_modes);
}

contraction_problem classify(random_problem &drawn) {
    const std::vector<input> inputs{as_input(drawn.inputs[0], drawn.conjugate_a),
                                    as_input(drawn.inputs[1], drawn.conjugate_b)};
    return einsum_impl::make_problem(drawn.spec, inputs, as_input(drawn.d, false),
                                     output(drawn.d.type, drawn.d.data(), drawn.d.shape),
                                     /*diagonal_output=*/false);
}

contract_impl::sources sources_of(const random_problem &drawn) {
    return {drawn.alpha, drawn.inputs[0].data(), drawn.inputs[1].data(), drawn.beta,
            drawn.d.data()};
}

/// D as the reference computes it.
random_tensor expected_of(const contraction_problem &problem, const random_problem &drawn) {
    random_tensor expected = drawn.d;
    contract_impl::reference_contract(contract_impl::reference_loops(problem), sources_of(drawn),
                                      expected.data());
    return expected;
}

contract_impl::plan_environment on_some_threads(random_source &random,
                                                const context &ctx = context::global()) {
    contract_impl::plan_environment environment;
    environment.ctx = &ctx;
    environment.threads = static_cast<int>(random.integer(1, 3));
    return environment;
}

contract_impl::cost_model model_of(const contraction_problem &problem) {
    const context &ctx = context::global();
    return {problem.computed, gemm_impl::gemm_plan_options::from(ctx), base::rates_of(ctx)};
}

TEST(Elementwise, TilesOfAnyExtentEqualTheReference) {
    int elementwise = 0;
    const auto all = cases(1000);
    for (const int test_case : all) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        random_problem drawn = make_elementwise(random, 4000, summing::nothing);
        SCOPED_TRACE(drawn.describe());
        const contraction_problem problem = classify(drawn);
        const random_tensor expected = expected_of(problem, drawn);
        const contract_impl::plan_environment environment = on_some_threads(random);
        const contract_impl::cost_model model = model_of(problem);
        const contract_impl::tiled_form form = random_form(problem, random);
        elementwise += form.choice.elementwise ? 1 : 0;
        const candidate_ptr tiled = contract_impl::make_tiled(problem, form, model, environment);
        SCOPED_TRACE(tiled->describe());
        execute_among_nans(tiled, sources_of(drawn), drawn.d.data());
        ASSERT_TRUE(same_values(drawn.d, expected));
    }
    if (all.size() > 1) {
        EXPECT_GT(elementwise, static_cast<int>(all.size()) / 4);
    }
}

/// Its caches hold few of the tensors that tests draw: boxes go past them, and in another order.
const context &small_caches() {
    static const auto made = [] {
        base::described_machine machine = narrow_machine(context::global().isa());
        machine.machine.l3.size = index_t{32} << 10;
        return machine.make_context({});
    }();
    return *made;
}

TEST(Elementwise, BoxesOfAnyExtentEqualTheReference) {
    int copied = 0;
    const auto all = cases(1500);
    for (const int test_case : all) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        random_problem drawn = make_elementwise(random, 8000, summing::nothing);
        while (is_complex(drawn.d.type)) // boxes take real numbers only
            drawn = make_elementwise(random, 8000, summing::nothing);
        SCOPED_TRACE(drawn.describe());
        const contraction_problem problem = classify(drawn);
        const random_tensor expected = expected_of(problem, drawn);
        const contract_impl::plan_environment environment =
            on_some_threads(random, random.chance(0.5) ? small_caches() : context::global());
        const contract_impl::cost_model model = model_of(problem);
        const contract_impl::matrix_problem matrices = contract_impl::matrix_problem_of(problem);
        contract_impl::box_modes boxes = random.chance(0.3)
                                             ? contract_impl::choose_boxes(matrices)
                                             : contract_impl::modes_of_boxes(matrices);
        if (boxes.blocks.empty())
            for (const einsum_impl::problem_mode &mode : boxes.modes)
                boxes.blocks.push_back(random.chance(0.3) ? mode.extent
                                                          : random.integer(1, mode.extent));
        boxes.fit_buffers(size_of(problem.computed));
        const candidate_ptr nest = contract_impl::make_box_nest(
            matrices, boxes, model, environment, std::numeric_limits<double>::infinity());
        if (nest == nullptr)
            continue;
        ++copied;
        SCOPED_TRACE(nest->describe());
        nest->execute(sources_of(drawn), drawn.d.data(), nullptr);
        ASSERT_TRUE(same_values(drawn.d, expected));
    }
    if (all.size() > 1) {
        EXPECT_GT(copied, static_cast<int>(all.size()) / 4);
    }
}

/// D = sums over the last modes of two dense tensors whose first mode is short and stays.
TEST(Elementwise, SumsOfShortRowsAreTakenSideBySide) {
    int side_by_side = 0, tried = 0;
    for (const data_type type : all_data_types) {
        if (!is_arithmetic(type))
            continue;
        for (index_t rows = 2; rows <= 18; ++rows) {
            if (!runs(tried++))
                continue;
            random_source random(tried);
            random_problem problem;
            problem.spec = parse(rows % 2 == 0 ? "a=abc*abc" : "da=abc*abcd");
            const extents_t extents{rows, random.integer(1, 30), random.integer(1, 9), 2};
            const auto tensor = [&](const std::vector<label_t> &labels) {
                extents_t own;
                for (const label_t label : labels) {
                    const std::string &name =
                        problem.spec.label_names[static_cast<std::size_t>(label)];
                    own.push_back(extents[static_cast<std::size_t>(name[0] - 'a')]);
                }
                random_tensor made;
                made.type = type;
                made.shape = layout(own);
                made.buffer = make_fenced(made.shape.size() * size_of(type), side::end);
                return made;
            };
            const auto fill = [&](random_tensor &of) {
                const index_t parts = size_of(type) / size_of(real_type_of(type));
                for (index_t i = 0; i < of.elements() * parts; ++i) {
                    const auto value = static_cast<float>(random.integer(-4, 4));
                    if (real_type_of(type) == data_type::f32)
                        reinterpret_cast<float *>(of.buffer.data())[i] = value;
                    else
                        reinterpret_cast<double *>(of.buffer.data())[i] = value;
                }
            };
            problem.inputs = {tensor(problem.spec.inputs[0]), tensor(problem.spec.inputs[1])};
            problem.d = tensor(problem.spec.output);
            for (random_tensor *one : {&problem.inputs[0], &problem.inputs[1], &problem.d})
                fill(*one);
            problem.c = problem.d;
            problem.in_place = true;
            problem.alpha = 2;
            problem.beta = rows % 3 == 0 ? 0.0 : -1.0;
            problem.conjugate_a = random.chance(0.5);
            problem.conjugate_b = random.chance(0.5);
            SCOPED_TRACE(problem.describe());
            contract_options options;
            options.algorithm = algorithm::reference;
            random_tensor expected = problem.d;
            ASSERT_TRUE(run(problem, expected, options));
            options.algorithm = algorithm::loops;
            random_tensor result = problem.d;
            ASSERT_TRUE(run(problem, result, options));
            ASSERT_TRUE(same_values(result, expected));
            const std::vector<input> inputs{as_input(problem.inputs[0], false),
                                            as_input(problem.inputs[1], false)};
            const output d(problem.d.type, nullptr, problem.d.shape);
            const std::string plan = make_plan(problem.spec, inputs, d, d, options).explain();
            side_by_side += plan.find("side by side") != std::string::npos ? 1 : 0;
        }
    }
    if (tried > 1) {
        EXPECT_GT(side_by_side, 0);
    }
}

} // namespace
} // namespace tenfold::testing
