// Tests traces: their file, their sums, and that recording changes nothing.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include <nlohmann/json.hpp>
#include <tenfold/dist_trace.hpp>

#include "distributed/comm/trace_recorder.hpp"
#include "mpi/files.hpp"

namespace {

/// Called once by the next poll of a wait.
void (*next_poll)() = nullptr;

} // namespace

// The linker takes this function before MPI's own.
extern "C" int MPI_Test(MPI_Request *request, int *done, MPI_Status *status) {
    if (next_poll != nullptr)
        std::exchange(next_poll, nullptr)();
    return PMPI_Test(request, done, status);
}

namespace tenfold::testing {
namespace {

using nlohmann::json;

struct interval {
    double begin, end;
    std::string name;
    std::string kind;
};

/// Returns the complete intervals of a rank, ordered by their beginnings.
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

/// A contraction that all-gathers, sums over pk if there are enough ranks, and redistributes.
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
    double clocks_differ = 0;                               // by so many microseconds at most
    for (int rank = 0; rank < ranks().size(); ++rank) {
        SCOPED_TRACE(rank);
        const json &told = trace["otherData"]["seconds_by_rank"][static_cast<std::size_t>(rank)];
        const double clock_error = told["clock_error"]; // in seconds
        EXPECT_EQ(clock_error == 0, rank == 0);
        clocks_differ = std::max(clocks_differ, clock_error * 1e6);
        const std::vector<interval> all = intervals_of(trace, rank);
        std::vector<interval> open;                         // calls
        std::map<std::string, std::set<std::string>> kinds; // by call
        std::map<std::string, double> sums;
        double last_end = -clock_error * 1e6 - 0.01;
        int found = 0;
        for (const interval &one : all) {
            EXPECT_LE(one.begin, one.end) << one.name;
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
                kinds[open.front().name].insert(one.kind);
            }
            sums[one.kind] += (one.end - one.begin) * 1e-6;
        }
        EXPECT_EQ(found, runs);
        // What share of a call the kinds cover depends on the machine, but none may be missing.
        for (const auto &[call, of_it] : kinds)
            for (const char *kind : {"compute", "pack", "plan", "communication"})
                EXPECT_TRUE(of_it.contains(kind) || ranks().size() == 1) << kind << " in " << call;
        EXPECT_EQ(kinds.size(), static_cast<std::size_t>(runs));
        // The file has the seconds of rank 0's clock, which is known up to the error of two
        // readings.
        const double difference = 1e-3 + 2 * clock_error;
        for (const char *kind : {"compute", "pack", "communication", "idle", "plan"})
            EXPECT_NEAR(sums[kind], told[kind].get<double>(), difference) << kind;
        EXPECT_NEAR(sums["call"], told["calls"].get<double>(), difference);
        EXPECT_EQ(told["dropped"], 0);
    }
    // Every call begins with an all-reduce, so that with aligned clocks all ranks are in it at some
    // time.
    EXPECT_EQ(calls.size(), static_cast<std::size_t>(runs));
    for (const auto &[name, span] : calls) {
        EXPECT_EQ(name.rfind("contract ab=axe*xeb #", 0), 0U) << name;
        EXPECT_LT(span.first, span.second + 2 * clocks_differ + 0.01) << name;
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

/// A clock with made-up times.
struct paper_clock {
    static inline dist_impl::nanoseconds time = 0, processor_time = 0;
    static inline long times_put_aside = 0;
    static constexpr dist_impl::wait_clock clock{[]() noexcept { return time; },
                                                 []() noexcept { return processor_time; },
                                                 []() noexcept { return times_put_aside; }};
};

TEST(TraceWait, TellsMovingBytesFromWaiting) {
    struct poll {
        dist_impl::nanoseconds time, processor_time;
        long times_put_aside;
    };
    constexpr poll in_vain{500, 400, 0};
    constexpr poll moving{5000, 4000, 0};
    constexpr poll others_run{5'000'000, 20'000, 1}; // changing over takes time, too
    struct wait {
        std::vector<poll> polls;
        double idle, communication; // seconds
    };
    const wait waits[] = {
        {{in_vain, in_vain, in_vain}, 1.5e-6, 0},
        {{others_run, in_vain, others_run}, 10.0005e-3, 0},
        {{in_vain, moving, moving}, 0.5e-6, 10e-6},
        // Pieces of one message; a poll long after the last piece counts as waiting again.
        {{moving, in_vain, moving, in_vain}, 0, 11e-6},
        {{moving, others_run, in_vain}, 5.0005e-3, 5e-6},
    };
    for (std::size_t i = 0; i < std::size(waits); ++i) {
        SCOPED_TRACE(i);
        dist_impl::trace_recorder recorder(paper_clock::clock);
        {
            dist_impl::timed_wait traced(&recorder, "wait");
            for (const poll &one : waits[i].polls)
                traced.poll([&one] {
                    paper_clock::time += one.time;
                    paper_clock::processor_time += one.processor_time;
                    paper_clock::times_put_aside += one.times_put_aside;
                    return false;
                });
        }
        EXPECT_NEAR(recorder.totals().idle, waits[i].idle, 1e-12);
        EXPECT_NEAR(recorder.totals().communication, waits[i].communication, 1e-12);
    }
}

/// The late rank sleeps after all others have begun to wait, so that each waits at least that long.
TEST(Trace, RankThatIsLateKeepsOthersWaiting) {
    const int size = ranks().size();
    if (size < 2)
        GTEST_SKIP() << "needs two ranks";
    constexpr int late = 1;
    constexpr int tag = 1; // of MPI_COMM_WORLD, which has no other messages at this time
    constexpr std::chrono::milliseconds lateness{50};
    workload work;
    work.run();
    const dist_trace trace(ranks());
    if (ranks().rank() == late) {
        for (int rank = 0; rank < size; ++rank)
            if (rank != late)
                PMPI_Recv(nullptr, 0, MPI_INT, rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        std::this_thread::sleep_for(lateness);
    } else {
        next_poll = [] { PMPI_Send(nullptr, 0, MPI_INT, late, tag, MPI_COMM_WORLD); };
    }
    work.run();
    const trace_totals totals = trace.totals();
    const double least = std::chrono::duration<double>(lateness).count();
    EXPECT_LT(totals.idle, totals.calls);
    if (ranks().rank() != late) {
        EXPECT_GE(totals.calls, least);
    }
    // The others wait for a rank that waits itself. Processor time decides which part of that was
    // moving bytes, as in TellsMovingBytesFromWaiting.
    if (ranks().rank() == (late + 1) % size) {
        EXPECT_GE(totals.idle + totals.communication, least);
    }
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
