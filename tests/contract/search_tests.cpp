// Tests which candidate a search selects.
#include <gtest/gtest.h>

#include "contract/choose/search.hpp"
#include "support/paper_instrument.hpp"

namespace tenfold::contract_impl {
namespace {

using paper_instrument = testing::paper_instrument<candidate>;

/// A candidate that only has a name.
class named final : public candidate {
public:
    explicit named(char letter) : letter_(letter) {}

    tenfold::algorithm algorithm() const noexcept override { return algorithm::loops; }
    double seconds() const noexcept override { return 1; }
    byte_count workspace() const noexcept override { return {}; }
    std::string describe() const override { return std::string(1, letter_); }
    std::size_t footprint() const noexcept override { return sizeof *this; }
    void execute(const sources &, void *, std::byte *) const noexcept override {}

private:
    char letter_;
};

std::vector<candidate_ptr> field_of(std::string_view letters) {
    std::vector<candidate_ptr> field;
    for (const char letter : letters)
        field.push_back(std::make_shared<named>(letter));
    return field;
}

char letter_of(const candidate &one) { return one.describe().front(); }

const tuning_effort &measure() { return effort_of(tuning::measure); }

TEST(ContractSearch, TheFastestIsTaken) {
    paper_instrument with([](const candidate &one) {
        return letter_of(one) == 'c' ? 0.5e-3 : letter_of(one) == 'b' ? 0.7e-3 : 1e-3;
    });
    const search_result found = search(field_of("abcd"), measure(), with);
    EXPECT_EQ(found.best, 2U);
    EXPECT_DOUBLE_EQ(found.gain, 2);
    EXPECT_EQ(found.candidates, 4);
    EXPECT_EQ(found.refusal, "");
    EXPECT_GT(found.seconds, 0);
}

TEST(ContractSearch, TheEstimateWinsTiesAndNearTies) {
    for (const double other : {1e-3, 0.98e-3, 0.95e-3}) {
        paper_instrument with(
            [&](const candidate &one) { return letter_of(one) == 'a' ? 1e-3 : other; });
        const search_result found = search(field_of("abc"), measure(), with);
        EXPECT_EQ(found.best, 0U) << other;
        EXPECT_EQ(found.gain, 1) << other;
    }
}

TEST(ContractSearch, LuckIsNotBelieved) {
    int samples_of_b = 0;
    paper_instrument with([&](const candidate &one) {
        return letter_of(one) == 'b' && ++samples_of_b <= measure().samples ? 0.5e-3 : 1e-3;
    });
    const search_result found = search(field_of("ab"), measure(), with);
    EXPECT_EQ(found.best, 0U);
    EXPECT_EQ(found.gain, 1);
    EXPECT_GT(samples_of_b, measure().samples) << "nothing was confirmed";
}

TEST(ContractSearch, WhatFallsBehindIsNotMeasuredAgain) {
    int samples_of_b = 0;
    paper_instrument with([&](const candidate &one) {
        samples_of_b += letter_of(one) == 'b' ? 1 : 0;
        return letter_of(one) == 'b' ? 2e-3 : 1e-3;
    });
    EXPECT_EQ(search(field_of("ab"), measure(), with).best, 0U);
    EXPECT_EQ(samples_of_b, 1);
}

TEST(ContractSearch, NoMoreAreMeasuredThanTheLevelAllows) {
    std::string seen;
    paper_instrument with([&](const candidate &one) {
        if (seen.find(letter_of(one)) == std::string::npos)
            seen += letter_of(one);
        return 1e-3;
    });
    const search_result found = search(field_of("abcdefghijklmnop"), measure(), with);
    EXPECT_EQ(seen, "abcdefghijkl");
    EXPECT_EQ(found.candidates, 12);
}

TEST(ContractSearch, TimeAllowsFewerOfLongRuns) {
    // The budget is 2/3 of a second, of which two runs of the estimate are taken first.
    paper_instrument some([](const candidate &) { return 0.05; });
    EXPECT_EQ(search(field_of("abcdef"), measure(), some).candidates, 3);
    paper_instrument none([](const candidate &) { return 0.3; });
    const search_result refused = search(field_of("abcdef"), measure(), none);
    EXPECT_EQ(refused.best, 0U);
    EXPECT_EQ(refused.refusal, "one run takes 0.3 s, too long for a search of 1 s");
    EXPECT_EQ(none.samples(), 2);
}

} // namespace
} // namespace tenfold::contract_impl
