// Traces: their file, their sums, and that recording changes nothing.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <optional>
#include <thread>

#include <nlohmann/json.hpp>
#include <tenfold/dist_trace.hpp>

#include "mpi/files.hpp"

namespace tenfold::testing {
namespace {

using nlohmann::json;

struct interval {
    double begin, end;
    std::string name;
    std::string kind;
};

/// Complete intervals of a rank, in the order of their beginnings.
std::vector<interval> intervals_of(const json &trace, int rank) {
    std::vector<interval> found;
    for (const json &event : trace["traceEvents"])
        if (event["ph"] == "X" && event["pid"] == rank)
            found.push_back({event["ts"], event["ts"].get<double>() + event["dur"].get<double>(),
                             event["name"], event["cat"]});
    std::sort(found.begin(), found.end(),
              [](const interval &a, const interval &b) { return a.begin < b.begin; });
    return found;
}

/// A contraction that all-gathers, sums over pk where there are ranks for it, and redistributes.
class workload {
public:
    workload()
        : a_(ranks(), {size, 40, size}), b_(ranks(), {40, size, size}), d_(ranks(), {size, size}) {
        fill_values(a_, 1);
        fill_values(b_, 2);
    }
    void run() {
        dist_options options;
        if (ranks().size() % 2 == 0)
            options.grid = processor_grid{1, ranks().size() / 2, 1, 2};
        contract("ab=axe*xeb", a_, b_, d_, options);
    }
    tensor<double> result() const { return d_.gather_all(); }

private:
    static constexpr index_t size = 160;
    dist_tensor<double> a_, b_, d_;
};

json read_on_root(const std::string &file) {
    std::ifstream in(file);
    return json::parse(in); // throws where it is none
}

TEST(Trace, IntervalsTellOneStory) {
    const shared_folder folder;
    const std::string file = folder.path() + "/trace.json";
    constexpr int runs = 6;
    trace_totals totals;
    {
        workload work;
        dist_trace trace(ranks());
        for (int i = 0; i < runs; ++i)
            work.run();
        totals = trace.totals();
        trace.write(file);
    }
    const double known =
        totals.compute + totals.pack + totals.communication + totals.idle + totals.plan;
    EXPECT_LE(known, totals.calls * 1.001);
    EXPECT_LE(totals.exposed, totals.under_way * 1.001);
    // Ranks that share cores are put aside anywhere, so that only some can be told apart.
    EXPECT_GE(known, totals.calls * (ranks().size() <= 2 ? 0.95 : 0.5));
    EXPECT_GT(totals.compute, 0);
    if (ranks().size() > 1) {
        EXPECT_GT(totals.under_way, 0);
        EXPECT_GT(totals.pack, 0);
    }
    if (ranks().rank() != 0)
        return;

    const json trace = read_on_root(file);
    ASSERT_EQ(trace["otherData"]["seconds_by_rank"].size(),
              static_cast<std::size_t>(ranks().size()));
    std::map<std::string, std::pair<double, double>> calls; // latest begin, earliest end
    for (int rank = 0; rank < ranks().size(); ++rank) {
        SCOPED_TRACE(rank);
        const std::vector<interval> all = intervals_of(trace, rank);
        std::vector<interval> open; // calls
        std::map<std::string, double> sums;
        double last_end = 0;
        int found = 0;
        for (const interval &one : all) {
            EXPECT_LE(one.begin, one.end) << one.name;
            EXPECT_GT(one.begin, 0) << one.name;
            constexpr double rounding = 0.002; // of microseconds with three digits
            if (one.kind == "call") {
                EXPECT_GE(one.begin, last_end - rounding) << one.name;
                open = {one};
                ++found;
                auto [at, first] = calls.emplace(one.name, std::pair(one.begin, one.end));
                at->second.first = std::max(at->second.first, one.begin);
                at->second.second = std::min(at->second.second, one.end);
            } else {
                EXPECT_GE(one.begin, last_end - rounding) << one.name;
                last_end = one.end;
                ASSERT_FALSE(open.empty()) << one.name << " is outside of any call";
                EXPECT_GE(one.begin, open.front().begin - rounding);
                EXPECT_LE(one.end, open.front().end + rounding);
                EXPECT_EQ(one.name.rfind(open.front().name + ": ", 0), 0U)
                    << one.name << " in " << open.front().name;
            }
            sums[one.kind] += (one.end - one.begin) * 1e-6;
        }
        EXPECT_EQ(found, runs);
        const json &told = trace["otherData"]["seconds_by_rank"][static_cast<std::size_t>(rank)];
        for (const char *kind : {"compute", "pack", "communication", "idle", "plan"})
            EXPECT_NEAR(sums[kind], told[kind].get<double>(), 1e-3) << kind;
        EXPECT_NEAR(sums["call"], told["calls"].get<double>(), 1e-3);
        EXPECT_EQ(told["dropped"], 0);
    }
    // Every call begins with an all-reduce, so that on aligned clocks all are in it at some time.
    EXPECT_EQ(calls.size(), static_cast<std::size_t>(runs));
    for (const auto &[name, span] : calls) {
        EXPECT_EQ(name.rfind("contract ab=axe*xeb #", 0), 0U) << name;
        EXPECT_LT(span.first, span.second + 50) << name; // microseconds
    }
}

TEST(Trace, MessagesBeginBeforeTheyEnd) {
    const shared_folder folder;
    const std::string file = folder.path() + "/trace.json";
    {
        workload work;
        dist_trace trace(ranks());
        work.run();
        trace.write(file);
    }
    if (ranks().rank() != 0)
        return;
    std::map<std::string, double> open;
    int closed = 0;
    const json trace = read_on_root(file);
    for (const json &event : trace["traceEvents"]) {
        if (event["ph"] == "b") {
            EXPECT_TRUE(open.emplace(event["id"], event["ts"]).second);
        } else if (event["ph"] == "e") {
            ASSERT_EQ(open.count(event["id"]), 1U);
            EXPECT_LE(open[event["id"]], event["ts"]);
            open.erase(event["id"]);
            ++closed;
        }
    }
    EXPECT_TRUE(open.empty());
    EXPECT_EQ(closed > 0, ranks().size() > 1);
}

TEST(Trace, ChangesNoResult) {
    workload work;
    work.run();
    const tensor<double> before = work.result();
    const dist_trace trace(ranks());
    work.run();
    EXPECT_TRUE(equal(before, work.result()));
}

TEST(Trace, RankThatIsLateKeepsOthersIdle) {
    if (ranks().size() < 2)
        GTEST_SKIP() << "needs two ranks";
    workload work;
    work.run();
    const dist_trace trace(ranks());
    if (ranks().rank() == 1)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    work.run();
    if (ranks().rank() == 1)
        EXPECT_LT(trace.totals().idle, trace.totals().calls);
    else
        EXPECT_GT(trace.totals().idle, 0.08);
}

TEST(Trace, OnlyOneAtATime) {
    std::optional<dist_trace> first(std::in_place, ranks());
    EXPECT_EQ(failure_of([] { const dist_trace second(ranks()); }).code, errc::invalid_argument);
    first.reset();
    EXPECT_EQ(failure_of([] { const dist_trace second(ranks()); }).code, errc::ok);
}

TEST(Trace, FileThatCannotBeWrittenIsAnErrorOnAllRanks) {
    workload work;
    dist_trace trace(ranks());
    work.run();
    const failure found = failure_of([&] { trace.write("/nowhere/to/be/found.json"); });
    EXPECT_EQ(found.code, errc::io);
    EXPECT_NE(found.message.find("/nowhere/to/be/found.json"), std::string::npos) << found.message;
    EXPECT_TRUE(same_on_all_ranks(found.message));
    work.run(); // goes on as before
}

} // namespace
} // namespace tenfold::testing
