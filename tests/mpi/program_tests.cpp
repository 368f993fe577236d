// Programs on ranks: lines compute what plain loops compute, with the bytes of their plans.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <tenfold/dist_program.hpp>

#include "mpi/payload_counter.hpp"
#include "mpi/ranks.hpp"
#include "support/message_of.hpp"

namespace tenfold::testing {
namespace {

constexpr index_t o = 3;
constexpr index_t v = 4;
const range_sizes sizes{{"occ", o}, {"vir", v}};
const char *const declared = "index i, j, k, l: occ\nindex a, b, c, d: vir\n"
                             "input V[a,b,i,j], f[a,b], W[i,j,k,l], e[i], g[a], s\n";

/// Small integers; those of vectors are above 0.
double element(const std::string &name, const extents_t &position) {
    const double value = value_at<double>(position, name[0]);
    return position.size() == 1 ? 9 + value : value;
}

fill_callback filler(const std::string &name) {
    return [name](const extents_t &at, tensor_view<double> block) {
        index_t k = 0;
        for_each_position(at, block.shape().extents(), [&](const extents_t &position) {
            block.data()[k++] = element(name, position);
        });
    };
}

std::map<std::string, program_input> all_inputs() {
    std::map<std::string, program_input> inputs{{"s", 3.0}};
    for (const char *name : {"V", "f", "W", "e", "g"})
        inputs.emplace(name, filler(name));
    return inputs;
}

program_options one_thread() {
    return {.contraction = {.threads = 1, .ranks_per_node = ranks().ranks_per_node()}};
}

program_plan plan_of(const std::string &lines) {
    return make_program_plan(parse_program(declared + lines), sizes, ranks().size(), one_thread());
}

program_result run_lines(const std::string &lines) {
    return run_program(plan_of(lines), ranks(), all_inputs());
}

double V(index_t a, index_t b, index_t i, index_t j) { return element("V", {a, b, i, j}); }
double f(index_t a, index_t b) { return element("f", {a, b}); }
double W(index_t i, index_t j, index_t k, index_t l) { return element("W", {i, j, k, l}); }

template <class Term> double sum_over(index_t n, const Term &term) {
    double sum = 0;
    for (index_t p = 0; p < n; ++p)
        sum += term(p);
    return sum;
}

/// Compares R[a,b,i,j] of a result with a function, bit for bit.
template <class Expected>
void expect_equal(const program_result &result, const Expected &expected) {
    const tensor<double> r = result.tensors.at("R").gather_all();
    for_each_position({0, 0, 0, 0}, {v, v, o, o}, [&](const extents_t &p) {
        ASSERT_EQ(r(p[0], p[1], p[2], p[3]), expected(p[0], p[1], p[2], p[3]))
            << p[0] << ' ' << p[1] << ' ' << p[2] << ' ' << p[3];
    });
}

TEST(DistProgram, SumsOfProducts) {
    expect_equal(run_lines("output R[a,b,i,j]\n"
                           "R[a,b,i,j] = 2*V[a,b,i,j] - s*f[a,c]*V[c,b,i,j]\n"
                           "R[a,b,i,j] -= 0.5*V[b,a,k,l]*W[k,l,i,j]\n"
                           "R[a,b,i,j] += s*s*V[b,a,j,i]\n"),
                 [](index_t a, index_t b, index_t i, index_t j) {
                     return 2 * V(a, b, i, j) -
                            3 * sum_over(v, [&](index_t c) { return f(a, c) * V(c, b, i, j); }) -
                            0.5 * sum_over(o * o,
                                           [&](index_t kl) {
                                               return V(b, a, kl % o, kl / o) *
                                                      W(kl % o, kl / o, i, j);
                                           }) +
                            9 * V(b, a, j, i);
                 });
}

TEST(DistProgram, SymmetrisedTerms) {
    const auto product = [](index_t a, index_t b, index_t i, index_t j) {
        return sum_over(v, [&](index_t c) { return f(a, c) * V(c, b, j, i); });
    };
    expect_equal(run_lines("output R[a,b,i,j]\n"
                           "R[a,b,i,j] = P(i,j)*P(a,b)*f[a,c]*V[c,b,j,i]\n"),
                 [&](index_t a, index_t b, index_t i, index_t j) {
                     return product(a, b, i, j) - product(a, b, j, i) - product(b, a, i, j) +
                            product(b, a, j, i);
                 });
    expect_equal(run_lines("output R[a,b,i,j]\n"
                           "R[a,b,i,j] = V[a,b,i,j] - 2*S(a,b; i,j)*f[a,c]*V[c,b,j,i]\n"
                           "R[a,b,i,j] += S(i,j)*V[a,b,i,j]\n"),
                 [&](index_t a, index_t b, index_t i, index_t j) {
                     return V(a, b, i, j) - 2 * (product(a, b, i, j) + product(b, a, j, i)) +
                            V(a, b, i, j) + V(a, b, j, i);
                 });
}

TEST(DistProgram, ProductsOfManyTensors) {
    expect_equal(run_lines("output R[a,b,i,j]\n"
                           "R[a,b,i,j] = V[a,b,i,j] + 2*f[a,c]*f[c,d]*V[d,b,i,j]\n"),
                 [](index_t a, index_t b, index_t i, index_t j) {
                     return V(a, b, i, j) +
                            2 * sum_over(v * v, [&](index_t cd) {
                                return f(a, cd % v) * f(cd % v, cd / v) * V(cd / v, b, i, j);
                            });
                 });
}

TEST(DistProgram, Divisions) {
    const auto divisor = [](index_t a, index_t i) {
        return 3 - 2 * element("g", {a}) - element("e", {i}); // below 0
    };
    // Added behind others, first in its line, and in place.
    expect_equal(run_lines("output R[a,b,i,j]\n"
                           "X[a,b,i,j] = -V[a,b,i,j] / (s - 2*g[a] - e[i])\n"
                           "R[a,b,i,j] = V[b,a,i,j] + 4*X[a,b,i,j]\n"
                           "R[a,b,i,j] += 2*V[b,a,j,i] / (e[i])\n"
                           "R[a,b,i,j] = 4*R[a,b,i,j] / (8)\n"),
                 [&](index_t a, index_t b, index_t i, index_t j) {
                     const double x = -V(a, b, i, j) / divisor(a, i);
                     const double r = V(b, a, i, j) + 4 * x;
                     return 4 * (r + 2 * V(b, a, j, i) / element("e", {i})) / 8;
                 });
}

TEST(DistProgram, Scalars) {
    const program_result result = run_lines("output n, m, q, R[a,b,i,j]\n"
                                            "n = 2*s - 1\n"
                                            "m = n*n + 0.5*V[a,b,i,j]*V[a,b,i,j] / (n - 3)\n"
                                            "q = m\n"
                                            "q -= f[a,a]\n"
                                            "R[a,b,i,j] = 7*s\n");
    double squares = 0;
    for_each_position({0, 0, 0, 0}, {v, v, o, o},
                      [&](const extents_t &p) { squares += std::pow(element("V", p), 2); });
    const double trace = sum_over(v, [](index_t a) { return f(a, a); });
    EXPECT_EQ(result.scalars.at("n"), 5);
    EXPECT_EQ(result.scalars.at("m"), 25 + 0.25 * squares);
    EXPECT_EQ(result.scalars.at("q"), 25 + 0.25 * squares - trace);
    EXPECT_EQ(result.scalars.size(), 3U);
    expect_equal(result, [](index_t, index_t, index_t, index_t) { return 21; });
}

TEST(DistProgram, MayHaveNoLines) {
    const program_result result = run_lines("");
    EXPECT_TRUE(result.converged);
    EXPECT_EQ(result.lines.size() + result.scalars.size() + result.tensors.size(), 0U);
    EXPECT_EQ(result.peak.value, 0);
}

TEST(DistProgram, BlocksAreRepeated) {
    const std::string lines = "output n, m\n"
                              "n = 0\n"
                              "m = 0\n"
                              "repeat until n > 2.5 and sqrt(n) > 1 at most 10 {\n"
                              "    n += 1\n"
                              "    k = 0\n"
                              "    repeat until abs(k + 2) < 0.5 at most 7 {\n"
                              "        k -= 1\n"
                              "        m += 1\n"
                              "    }\n"
                              "}\n";
    const program_result result = run_lines(lines);
    EXPECT_EQ(result.scalars.at("n"), 3);
    EXPECT_EQ(result.scalars.at("m"), 6);
    EXPECT_TRUE(result.converged);
    std::vector<std::int64_t> times;
    for (const executed_line &line : result.lines)
        times.push_back(line.times);
    EXPECT_EQ(times, (std::vector<std::int64_t>{1, 1, 3, 3, 3, 6, 6, 6}));

    const program_result ended =
        run_lines("output n\nn = 0\nrepeat until n > 5 at most 2 {\n    n += 1\n}\n");
    EXPECT_EQ(ended.scalars.at("n"), 2);
    EXPECT_FALSE(ended.converged);
}

/// A linear system by an iteration that DIIS makes converge.
const char *const iteration = "output E, T[a,b,i,j]\n"
                              "T[a,b,i,j] = 0\n"
                              "repeat until sqrt(change) < 1e-9 at most 60 {\n"
                              "    R[a,b,i,j] = V[a,b,i,j] - 0.1*f[a,c]*T[c,b,i,j]\n"
                              "    R[a,b,i,j] -= 0.02*W[k,l,i,j]*T[a,b,k,l]\n"
                              "    R[a,b,i,j] = R[a,b,i,j] / (e[i] + g[a])\n"
                              "    R[a,b,i,j] -= T[a,b,i,j]\n"
                              "    T[a,b,i,j] += R[a,b,i,j]\n"
                              "    change = R[a,b,i,j]*R[a,b,i,j]\n"
                              "    diis T with R keep 5\n"
                              "}\n"
                              "E = V[a,b,i,j]*T[a,b,i,j]\n";

TEST(DistProgram, IterationsAreExtrapolated) {
    const program_result result = run_lines(iteration);
    EXPECT_TRUE(result.converged);
    const tensor<double> t = result.tensors.at("T").gather_all();
    for_each_position({0, 0, 0, 0}, {v, v, o, o}, [&](const extents_t &p) {
        const index_t a = p[0], b = p[1], i = p[2], j = p[3];
        const double applied =
            V(a, b, i, j) - 0.1 * sum_over(v, [&](index_t c) { return f(a, c) * t(c, b, i, j); }) -
            0.02 * sum_over(o * o, [&](index_t kl) {
                return W(kl % o, kl / o, i, j) * t(a, b, kl % o, kl / o);
            });
        ASSERT_NEAR(applied / (element("e", {i}) + element("g", {a})), t(a, b, i, j), 1e-8);
    });
}

TEST(DistProgram, LinesTakeWhatIsPlanned) {
    const program_plan plan = plan_of(iteration);
    static_cast<void>(run_program(plan, ranks(), all_inputs())); // rank 0 tells its rates
    traffic() = {};
    const program_result result = run_program(plan, ranks(), all_inputs());
    const std::int64_t counted = traffic().received;

    index_t received = 0;
    ASSERT_EQ(result.lines.size(), plan.lines().size());
    for (std::size_t i = 0; i < result.lines.size(); ++i) {
        const executed_line &line = result.lines[i];
        const planned_line &planned = plan.lines()[i];
        SCOPED_TRACE(line.text);
        EXPECT_EQ(line.line, planned.line);
        EXPECT_EQ(line.received.value, line.times * planned.received.value);
        EXPECT_LE(line.peak.value, planned.peak.value + 4096); // buffers are rounded up
        EXPECT_GT(line.peak.value, planned.peak.value / 2);
        received += line.received.value;
    }
    // Copies of vectors come on top: fill() sends what it wrote.
    EXPECT_LE(counted, received + (o + v) * 8 +
                           8 * (o * o * o * o + v * v + v * v * o * o) * ranks().size());
    EXPECT_EQ(ranks().size() > 1, received > 0);
    EXPECT_NE(result.describe().find("diis T with R keep 5"), std::string::npos);
}

TEST(DistProgram, TellsProgressAndStopsOnAllRanks) {
    const program_plan plan = plan_of(iteration);
    const auto run = [&](const execution_control *control) {
        return run_program(plan, ranks(), all_inputs(), control).scalars.at("E");
    };
    const double expected = run(nullptr);
    std::vector<double> told;
    const execution_control listens{
        [&](double done) { told.push_back(done); }, {}, std::chrono::milliseconds(0)};
    EXPECT_EQ(run(&listens), expected);
    ASSERT_GT(told.size(), 10U);
    EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
    EXPECT_GT(told.front(), 0);
    EXPECT_EQ(told.back(), 1);

    for (const int who : {0, ranks().size() - 1})
        for (const double share : {0.0, 0.01, 0.06}) {
            SCOPED_TRACE("rank " + std::to_string(who) + " at " + std::to_string(share));
            std::stop_source source;
            const auto stop = [&](double done) {
                if (ranks().rank() == who && done >= share)
                    source.request_stop();
            };
            const execution_control stops{stop, source.get_token(), std::chrono::milliseconds(0)};
            stop(0); // perhaps before the call
            static_cast<void>(message_of([&] { run(&stops); }, errc::stopped));
            EXPECT_EQ(run(nullptr), expected) << "the same program afterwards";
        }
    if (ranks().size() > 1)
        static_cast<void>(
            message_of([&] { run(ranks().rank() == 0 ? &listens : nullptr); }, errc::disagreement));
}

TEST(DistProgram, InputsMayBeTensors) {
    const std::string lines = "output R[a,b,i,j]\n"
                              "R[a,b,i,j] = f[a,c]*V[c,b,i,j] / (e[i])\n";
    const program_plan plan = plan_of(lines);
    const int last = ranks().size() - 1;
    dist_tensor<double> whole(ranks(), {v, v, o, o},
                              distribution::on_rank({v, v, o, o}, ranks().size(), last));
    dist_tensor<double> there(ranks(), {v, v}, plan.layouts().at("f"));
    dist_tensor<double> vector(ranks(), {o});
    whole.fill(filler("V"));
    there.fill(filler("f"));
    vector.fill(filler("e"));
    std::map<std::string, program_input> inputs = all_inputs();
    inputs["V"] = &whole;
    inputs["f"] = &there;
    inputs["e"] = &vector;
    expect_equal(run_program(plan, ranks(), inputs), [](index_t a, index_t b, index_t i,
                                                        index_t j) {
        return sum_over(v, [&](index_t c) { return f(a, c) * V(c, b, i, j); }) / element("e", {i});
    });
}

TEST(DistProgram, WrongInputsAreTold) {
    const program_plan plan = plan_of("output n\nn = s*f[a,a]\n");
    const auto told = [&](std::map<std::string, program_input> inputs, errc code) {
        return message_of([&] { static_cast<void>(run_program(plan, ranks(), inputs)); }, code);
    };
    std::map<std::string, program_input> inputs = all_inputs();
    inputs.erase("f");
    EXPECT_EQ(told(inputs, errc::invalid_argument), "input 'f' is missing");
    inputs["f"] = 2.0;
    EXPECT_EQ(told(inputs, errc::invalid_argument),
              "input 'f' is a number, expected a tensor, or a function that fills it");
    dist_tensor<double> other(ranks(), {v, o});
    inputs["f"] = &other;
    EXPECT_EQ(told(inputs, errc::extent_mismatch), "input 'f' has extents (4, 3), expected (4, 4)");
    inputs["f"] = filler("f");
    inputs["Q"] = 1.0;
    EXPECT_EQ(told(inputs, errc::invalid_argument), "the program has no input 'Q'");
    inputs.erase("Q");
    inputs["s"] = ranks().rank() == 0 ? 1.0 : 2.0;
    if (ranks().size() > 1)
        static_cast<void>(told(inputs, errc::disagreement));
    const program_plan more = make_program_plan(plan.planned(), sizes, ranks().size() + 1);
    EXPECT_NE(message_of([&] { static_cast<void>(run_program(more, ranks(), all_inputs())); },
                         errc::invalid_argument)
                  .find("the program is planned for"),
              std::string::npos);
}

} // namespace
} // namespace tenfold::testing
