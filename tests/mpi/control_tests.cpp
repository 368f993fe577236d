// Tests execution_control across ranks: a stop on one rank stops all, and no rank hangs.
#include <algorithm>
#include <stdexcept>
#include <string>

#include <tenfold/dist_files.hpp>
#include <tenfold/tenfold.hpp>

#include "files.hpp"
#include "ranks.hpp"

namespace tenfold::testing {
namespace {

struct listener {
    std::vector<double> told;
    std::stop_source source;
    execution_control control{[this](double done) { told.push_back(done); }, source.get_token(),
                              std::chrono::milliseconds(0)};
};

/// Tensors that have to be redistributed, and a plan of several steps.
struct work {
    dist_tensor<double> a{
        ranks(), {24, 30, 20}, distribution::on_rank({24, 30, 20}, ranks().size(), 0)};
    dist_tensor<double> b{ranks(), {20, 26, 30}};
    dist_tensor<double> d{ranks(), {24, 26}};
    dist_options options{.step = step_size{.m = 7, .n = 5, .k = 100}};

    work() {
        fill_values(a, 1);
        fill_values(b, 2);
    }
    void run() { contract("mn=mij*jni", a, b, d, options); }
    tensor<double> result() { return d.gather_all(); }
};

tensor<double> expected_result() {
    work unwatched;
    unwatched.run();
    return unwatched.result();
}

/// The ranks that stop: each alone, and all.
std::vector<int> who_stops() {
    std::vector<int> who{-1, 0};
    if (ranks().size() > 1)
        who.push_back(ranks().size() - 1);
    return who;
}
bool is_me(int who) { return who < 0 || who == ranks().rank(); }

TEST(DistControl, ProgressRisesToOneAndChangesNothing) {
    work watched;
    listener heard;
    watched.options.control = &heard.control;
    watched.run();
    ASSERT_FALSE(heard.told.empty());
    EXPECT_TRUE(std::is_sorted(heard.told.begin(), heard.told.end()));
    EXPECT_EQ(heard.told.back(), 1);
    EXPECT_TRUE(equal(watched.result(), expected_result()));
}

TEST(DistControl, AStopOnOneRankEndsTheCallOnAll) {
    for (const int who : who_stops())
        for (const bool reproducible : {false, true}) {
            SCOPED_TRACE("rank " + std::to_string(who));
            work watched;
            listener heard;
            heard.control.progress = [&](double done) {
                heard.told.push_back(done);
                if (is_me(who))
                    heard.source.request_stop();
            };
            watched.options.control = &heard.control;
            watched.options.reproducible = reproducible;
            if (reproducible)
                watched.options.step.reset();
            const failure found = failure_of([&] { watched.run(); });
            const std::string code(name(found.code));
            EXPECT_TRUE(same_on_all_ranks(code));
            if (who < 0 || who == 0) { // rank 0 has work to do
                EXPECT_EQ(code, "stopped") << found.message;
            }

            watched.options.control = nullptr;
            watched.run();
            EXPECT_TRUE(equal(watched.result(), expected_result())) << "the same call afterwards";
        }
}

TEST(DistControl, AStopBeforeTheCallLeavesTheOutput) {
    for (const int who : who_stops()) {
        work watched;
        fill_values(watched.d, 3);
        const tensor<double> before = watched.result();
        listener heard;
        if (is_me(who))
            heard.source.request_stop();
        watched.options.control = &heard.control;
        EXPECT_EQ(failure_of([&] { watched.run(); }).code, errc::stopped);
        EXPECT_TRUE(equal(watched.result(), before));
    }
}

TEST(DistControl, SequencesStopBetweenSteps) {
    dist_tensor<double> a(ranks(), {20, 20}), d(ranks(), {20, 20});
    fill_values(a, 1);
    contract<double>("il=ij*jk*kl", {a, a, a}, d);
    const tensor<double> expected = d.gather_all();
    listener heard;
    contract<double>("il=ij*jk*kl", {a, a, a}, d, {.control = &heard.control});
    EXPECT_EQ(heard.told.back(), 1);
    EXPECT_TRUE(equal(d.gather_all(), expected));
    heard.source.request_stop();
    EXPECT_EQ(failure_of([&] {
                  contract<double>("il=ij*jk*kl", {a, a, a}, d, {.control = &heard.control});
              }).code,
              errc::stopped);
}

TEST(DistControl, AnExceptionOfProgressStopsTheOthers) {
    work watched;
    listener heard;
    const bool throws = ranks().rank() == 0;
    heard.control.progress = [&](double) {
        if (throws)
            throw std::domain_error("mine");
    };
    watched.options.control = &heard.control;
    bool mine = false;
    errc code = errc::ok;
    try {
        watched.run();
    } catch (const error &e) {
        code = e.code();
    } catch (const std::domain_error &) {
        mine = true;
    }
    EXPECT_EQ(mine, throws);
    EXPECT_EQ(code, throws ? errc::ok : errc::stopped);
}

TEST(DistControl, OnSomeRanksOnlyIsADisagreement) {
    if (ranks().size() == 1)
        GTEST_SKIP() << "needs two ranks";
    work watched;
    const execution_control control;
    if (ranks().rank() == 0)
        watched.options.control = &control;
    const failure found = failure_of([&] { watched.run(); });
    EXPECT_EQ(found.code, errc::disagreement);
    EXPECT_NE(found.message.find("control"), std::string::npos) << found.message;
}

TEST(DistControl, FilesThatWereStoppedAreWhatTheyWere) {
    const shared_folder folder;
    const std::string path = folder.file("a.npy");
    dist_tensor<double> a(ranks(), {12, 10}), back(ranks(), {12, 10});
    fill_values(a, 1);
    listener heard;
    save_npy(path, a, {.block = bytes(160), .control = &heard.control});
    EXPECT_TRUE(std::is_sorted(heard.told.begin(), heard.told.end()));
    EXPECT_EQ(heard.told.back(), 1);
    const tensor<double> saved = a.gather_all();

    for (const int who : who_stops()) {
        listener stopping;
        if (is_me(who))
            stopping.source.request_stop();
        fill_values(a, 2);
        const file_options options{.block = bytes(160), .control = &stopping.control};
        EXPECT_EQ(failure_of([&] { save_npy(path, a, options); }).code, errc::stopped);
        EXPECT_EQ(failure_of([&] { save(path, a, options); }).code, errc::stopped);
        EXPECT_EQ(failure_of([&] { load_npy(path, back, options); }).code, errc::stopped);
        load_npy(path, back);
        EXPECT_TRUE(equal(back.gather_all(), saved));
    }
    const std::string checkpoint = folder.file("a.checkpoint");
    save(checkpoint, a);
    listener loading;
    load(checkpoint, back, &loading.control);
    EXPECT_EQ(loading.told.back(), 1);
    loading.source.request_stop();
    EXPECT_EQ(failure_of([&] { load(checkpoint, back, &loading.control); }).code, errc::stopped);
}

} // namespace
} // namespace tenfold::testing
