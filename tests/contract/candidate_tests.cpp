// A candidate from its own files and one line: here, from this file, which is linked in place of
// the library's list.
#include <array>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include <tenfold/tenfold.hpp>

#include "contract/choose/kinds.hpp"
#include "contract/choose/planning.hpp"

#define KINDS_AND_ONE_MORE(KIND) TENFOLD_CANDIDATE_KINDS(KIND) KIND(element_wise)

namespace tenfold::contract_impl {
namespace {

constexpr auto element_wise_algorithm = static_cast<algorithm>(100);
double price = 0;
int executions = 0;

/// Products of vectors of doubles, elements side by side.
class element_wise final : public candidate {
public:
    explicit element_wise(index_t size) : size_(size) {}

    tenfold::algorithm algorithm() const noexcept override { return element_wise_algorithm; }
    double seconds() const noexcept override { return price; }
    byte_count workspace() const noexcept override { return {}; }
    std::string describe() const override { return "element by element"; }
    std::size_t footprint() const noexcept override { return sizeof *this; }

    void execute(const sources &from, void *d, std::byte *) const noexcept override {
        ++executions;
        for (index_t i = 0; i < size_; ++i) {
            double &result = static_cast<double *>(d)[i];
            result = from.alpha.real() * static_cast<const double *>(from.a)[i] *
                         static_cast<const double *>(from.b)[i] +
                     (from.beta == 0.0 ? 0 : from.beta.real() * result);
        }
    }

private:
    index_t size_;
};

void offer_element_wise(planning &with, offers &made) {
    const matrix_problem &matrices = with.matrices();
    if (!matrices.m.empty() || !matrices.n.empty() || !matrices.k.empty() ||
        matrices.batch.size() != 1)
        return made.refuse("not every label stands in all tensors");
    made.add(std::make_shared<element_wise>(matrices.batch.front().extent));
}

} // namespace

extern const candidate_kind element_wise_kind;
constinit const candidate_kind element_wise_kind{element_wise_algorithm, offer_element_wise,
                                                 copying::everything};

std::span<const candidate_kind *const> all_kinds() noexcept {
#define ADDRESS_OF_KIND(name) &name##_kind,
    static constexpr std::array kinds{KINDS_AND_ONE_MORE(ADDRESS_OF_KIND)};
    return kinds;
}

namespace {

contraction_plan plan_for(const char *expression, const extents_t &a, const extents_t &b,
                          const extents_t &d, const contract_options &options = {.threads = 1}) {
    const auto of = [](const extents_t &extents) {
        return input(data_type::f64, nullptr, layout(extents));
    };
    return make_plan(expression, of(a), of(b), output(data_type::f64, nullptr, layout(d)), options);
}

const extents_t e{4, 5, 3};

const candidate_summary &summary_of(const contraction_plan &plan, algorithm which) {
    for (const candidate_summary &one : plan.summary().candidates)
        if (one.algorithm == which)
            return one;
    throw std::logic_error("not offered");
}

bool says(const contraction_plan &plan, const std::string &part) {
    return plan.explain().find(part) != std::string::npos;
}

TEST(ContractCandidate, IsOfferedPricedExplainedAndExecuted) {
    price = 1e-15;
    const contraction_plan plan = plan_for("abc=abc*abc", e, e, e);
    EXPECT_EQ(plan.summary().algorithm, element_wise_algorithm);
    EXPECT_EQ(plan.summary().seconds, price);
    EXPECT_EQ(plan.summary().candidates.size(), all_kinds().size());
    EXPECT_EQ(plan.summary().candidates.front().algorithm, element_wise_algorithm);
    EXPECT_TRUE(says(plan, ": element by element\n")) << plan.explain();

    std::vector<double> a(60), b(60), d(60, 7);
    for (std::size_t i = 0; i < 60; ++i) {
        a[i] = static_cast<double>(i);
        b[i] = static_cast<double>(100 - i);
    }
    executions = 0;
    ASSERT_TRUE(plan.execute(2.0, a.data(), b.data(), 3.0, d.data(), d.data()).ok());
    EXPECT_EQ(executions, 1);
    for (std::size_t i = 0; i < 60; ++i)
        EXPECT_EQ(d[i], 2 * a[i] * b[i] + 21) << i;
}

TEST(ContractCandidate, SaysWhyItIsImpossible) {
    price = 1e-15;
    const contraction_plan plan = plan_for("mn=mk*kn", {4, 5}, {5, 3}, {4, 3});
    EXPECT_EQ(plan.summary().algorithm, algorithm::direct);
    EXPECT_FALSE(summary_of(plan, element_wise_algorithm).possible);
    EXPECT_TRUE(says(plan, ": not every label stands in all tensors\n")) << plan.explain();
}

TEST(ContractCandidate, IsNotTakenWhereAnotherWasAskedFor) {
    price = 1e-15;
    const contraction_plan plan =
        plan_for("abc=abc*abc", e, e, e, {.algorithm = algorithm::loops, .threads = 1});
    EXPECT_EQ(plan.summary().algorithm, algorithm::loops);
    EXPECT_TRUE(summary_of(plan, element_wise_algorithm).possible);
}

TEST(ContractCandidate, CopiesAsItsKindSays) {
    price = 1e9;
    const auto others = plan_for("abc=abc*abc", e, e, e).summary();
    price = 0.99 * others.seconds;
    EXPECT_EQ(plan_for("abc=abc*abc", e, e, e).summary().algorithm, others.algorithm)
        << "costs the same, and copies nothing";
    price = 0.9 * others.seconds;
    EXPECT_EQ(plan_for("abc=abc*abc", e, e, e).summary().algorithm, element_wise_algorithm);
}

TEST(ContractCandidate, IsAsGoodAsAnyWhereNothingIsMultiplied) {
    const contraction_plan plan = plan_for("mn=mk*kn", {4, 0}, {0, 3}, {4, 3});
    EXPECT_EQ(plan.summary().candidates.size(), all_kinds().size());
    EXPECT_TRUE(summary_of(plan, element_wise_algorithm).possible);
}

/// But for that of reproducible contractions, which have no choice.
TEST(ContractCandidate, EveryAlgorithmThatHasANameHasAKind) {
    std::size_t named = 0;
    for (int value = 1; static_cast<algorithm>(value) != algorithm::leaves; ++value, ++named)
        EXPECT_EQ(kind_of(static_cast<algorithm>(value)).algorithm, static_cast<algorithm>(value));
    EXPECT_EQ(named + 1, all_kinds().size());
}

} // namespace
} // namespace tenfold::contract_impl
