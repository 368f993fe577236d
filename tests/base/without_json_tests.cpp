// Tests the library as it is built without nlohmann_json: this program contains the sources that
// such a build compiles instead, and the linker takes them before the library's own.
#include <array>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include <tenfold/dist_json.hpp>
#include <tenfold/tenfold.hpp>

#include "base/calibration.hpp"
#include "base/context_of.hpp"
#include "support/temporary_folder.hpp"

namespace tenfold::testing {
namespace {

settings one_thread() {
    settings chosen;
    chosen.threads = 1;
    return chosen;
}

bool says(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

TEST(WithoutJson, WisdomIsRefused) {
    settings chosen = one_thread();
    chosen.wisdom = "kept.json";
    try {
        const context ctx(chosen);
        FAIL() << "accepted";
    } catch (const error &refused) {
        EXPECT_EQ(refused.code(), errc::unsupported);
        EXPECT_TRUE(says(refused.what(), "wisdom file 'kept.json'")) << refused.what();
        EXPECT_TRUE(says(refused.what(), "nlohmann-json3-dev")) << refused.what();
    }
}

TEST(WithoutJson, RatesAreTypicalAndTheReasonIsTold) {
    const temporary_folder folder;
    const std::string file = folder.file("rates.json");
    settings chosen = one_thread();
    chosen.calibration = file;
    const context ctx(chosen);
    EXPECT_TRUE(says(ctx.rates_reason(), "typical of ")) << ctx.rates_reason();
    EXPECT_TRUE(says(ctx.rates_reason(), file)) << ctx.rates_reason();
    EXPECT_TRUE(says(ctx.rates_reason(), "nlohmann-json3-dev")) << ctx.rates_reason();
    EXPECT_TRUE(says(base::save_calibration(file, {}, base::rates_of(ctx)), "nlohmann-json3-dev"));
    EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(WithoutJson, PlansAreNotWritten) {
    const context ctx(one_thread());
    const tensor<double> a({8, 9}), b({9, 7});
    tensor<double> d({8, 7});
    const contraction_plan plan = make_plan("ab=ac*cb", a, b, d, {.ctx = &ctx});
    try {
        static_cast<void>(to_json(plan.summary()));
        FAIL() << "written";
    } catch (const error &refused) {
        EXPECT_EQ(refused.code(), errc::unsupported);
        EXPECT_TRUE(says(refused.what(), "nlohmann-json3-dev")) << refused.what();
    }
}

TEST(WithoutJson, DistributedPlansAreNotWritten) {
    const distribution spread = distribution::block({8}, 2);
    const std::array operands{spread, spread};
    const auto refusal = [](const auto &plan) {
        try {
            return "written: " + to_json(plan);
        } catch (const error &refused) {
            EXPECT_EQ(refused.code(), errc::unsupported);
            return std::string(refused.what());
        }
    };
    for (const std::string &text :
         {refusal(make_dist_plan(parse("a=a"), data_type::f64, operands)),
          refusal(make_dist_sequence(parse("a=a"), data_type::f64, operands))})
        EXPECT_TRUE(says(text, "nlohmann-json3-dev")) << text;
}

TEST(WithoutJson, PlansAreMadeAndTuned) {
    const context ctx(one_thread());
    tensor<double> a({8, 9}), b({9, 7}), d({8, 7});
    a(1, 2) = 3;
    b(2, 4) = 5;
    contract("ab=ac*cb", a, b, d, {.tuning = tuning::measure, .ctx = &ctx});
    EXPECT_EQ(d(1, 4), 15);
    tensor<double> turned({9, 8});
    transpose("ba=ab", a, turned, {.tuning = tuning::measure, .ctx = &ctx});
    EXPECT_EQ(turned(2, 1), 3);
}

} // namespace
} // namespace tenfold::testing
