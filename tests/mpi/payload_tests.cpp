// Compares the library's count of bytes with what it passes to MPI, counted by the profiling
// interface.
//
// Payload has a tag of its own. Control messages are counted separately: each contraction makes
// three all-reduces, two of seven words for agreement (before the plan, before data moves) and one
// of five for the report's maxima, by MPI's function or by the library's own rounds, of which there
// are ceil(log2 P). Nothing else moves data.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "distributed/exchange/exchange.hpp"
#include "mpi/payload_counter.hpp"
#include "mpi/random_contraction.hpp"

namespace tenfold::testing {
namespace {

std::int64_t sum_over_ranks(std::int64_t mine) {
    std::int64_t all = 0;
    PMPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, ranks().comm());
    return all;
}

template <class T> std::int64_t run_case(int test_case) {
    random_source random(test_case);
    const random_contraction c = draw_contraction(random);
    const int size = ranks().size();
    const auto spread = [&](std::size_t operand) {
        return draw_distribution(random, c, operand, size);
    };
    dist_options options = draw_options(random, c, size);
    options.ranks_per_node = draw_ranks_per_node(random, size);
    options.alpha = random.chance(0.1) ? 0.0 : 1.0;
    options.beta = random.chance(0.5) ? 0.0 : 1.0;
    dist_tensor<T> a(ranks(), c.extents[0], spread(0));
    dist_tensor<T> b(ranks(), c.unary ? extents_t{} : c.extents[1],
                     c.unary ? distribution::block({}, size) : spread(1));
    dist_tensor<T> d(ranks(), c.extents.back(), spread(c.extents.size() - 1));
    fill_values(a, 1);
    fill_values(b, 2);
    SCOPED_TRACE(c.expression);

    const auto call = [&] {
        return c.unary ? contract(c.expression, a, d, options)
                       : contract(c.expression, a, b, d, options);
    };
    call(); // rank 0 tells its rates in the first one
    traffic() = {};
    const dist_report report = call();
    const mpi_traffic counted = traffic();

    EXPECT_EQ(counted.received, report.own_bytes_received.value + report.own_redistribution.value);
    // All that is received was sent. No message is longer than its receive, because MPI would fail.
    EXPECT_EQ(sum_over_ranks(counted.sent), sum_over_ranks(counted.received));
    EXPECT_LE(counted.received, report.bytes_received_max.value + report.redistribution_max.value);
    EXPECT_EQ(report.bytes_received_max.value, report.plan.summary().bytes_received.value);
    EXPECT_EQ(report.redistribution_max.value, report.plan.summary().redistribution.value);
    constexpr int bytes_of_words = (7 + 7 + 5) * 8;
    EXPECT_GE(counted.control, size > 1 ? bytes_of_words : 0);
    EXPECT_LE(counted.control,
              bytes_of_words *
                  std::max(1, static_cast<int>(std::bit_width(static_cast<unsigned>(size - 1)))));
    for (const auto &[name, calls] : counted.others)
        ADD_FAILURE() << name << " was called " << calls << " times";
    return counted.received;
}

TEST(Payload, CountedBytesAreThoseAskedOfMpi) {
    std::int64_t received = 0;
    for (const int test_case : cases_per_rank(400)) {
        SCOPED_TRACE(rerun_line(test_case));
        received += test_case % 2 == 0 ? run_case<double>(test_case) : run_case<c32>(test_case);
        if (HasFailure())
            break;
    }
    // The counter works if it counted anything at all.
    EXPECT_EQ(sum_over_ranks(received) > 0, ranks().size() > 1);
}

/// Returns the bytes of elements that this rank receives in a call.
template <class Call> std::int64_t received_by(const Call &call) {
    traffic() = {};
    call();
    return traffic().received;
}

TEST(Payload, CopiesThatARankHasAreNotMoved) {
    const int size = ranks().size();
    const extents_t extents{6, 5};
    const std::int64_t whole = 8 * 30;
    dist_tensor<double> once(ranks(), extents, distribution::on_rank(extents, size, 0));
    fill_values(once, 1);
    const auto everywhere = distribution::replicated(extents, size, size);
    const std::int64_t missing = ranks().rank() == 0 ? 0 : whole;
    std::optional<dist_tensor<double>> copies;
    EXPECT_EQ(received_by([&] { copies.emplace(once.redistribute(everywhere)); }), missing);
    EXPECT_EQ(received_by([&] { copies->gather_all(); }), 0);
    EXPECT_EQ(received_by([&] { copies->read({1, 2}, {3, 3}); }), 0);
    EXPECT_EQ(received_by([&] { copies->norm(); }), 0);
    EXPECT_EQ(received_by([&] { copies->redistribute(distribution::block(extents, size)); }), 0);
    EXPECT_EQ(received_by([&] { copies->fill(3.0); }), 0);
    EXPECT_EQ(received_by([&] { fill_values(*copies, 2); }), missing);
    EXPECT_EQ(received_by([&] { copies->refresh(); }), missing);
    EXPECT_EQ(received_by([&] { once.refresh(); }), 0);
}

/// The bytes that the ranks of a node received from other nodes: the most of any node.
std::int64_t most_between_nodes(int ranks_per_node) {
    std::vector<std::int64_t> of_nodes(static_cast<std::size_t>(ranks().size()), 0);
    const int here = ranks().rank() / ranks_per_node;
    for (const auto &[from, bytes] : traffic().received_from)
        if (from / ranks_per_node != here)
            of_nodes[static_cast<std::size_t>(here)] += bytes;
    PMPI_Allreduce(MPI_IN_PLACE, of_nodes.data(), ranks().size(), MPI_INT64_T, MPI_SUM,
                   ranks().comm());
    return *std::max_element(of_nodes.begin(), of_nodes.end());
}

TEST(Payload, BytesBetweenNodesAreThePlans) {
    const int size = ranks().size();
    int compared = 0;
    for (const int test_case : cases_per_rank(200)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const random_contraction c = draw_contraction(random);
        dist_options options = draw_options(random, c, size);
        options.ranks_per_node = static_cast<int>(random.integer(1, size));
        std::vector<int> orders;
        for (std::size_t i = 0; i + 1 < c.labels.size(); ++i)
            orders.push_back(static_cast<int>(c.labels[i].size()));
        const contraction_spec spec = parse(c.expression, orders);
        const dist_plan plan = make_dist_plan(spec, data_type::f64, c.extents, size, options);
        const auto spread = [&](std::size_t operand) { // the plan's, but of diagonals
            const distribution &planned = plan.layout_of(static_cast<int>(operand));
            return planned.extents() == c.extents[operand]
                       ? planned
                       : distribution::block(c.extents[operand], size);
        };
        dist_tensor<double> a(ranks(), c.extents[0], spread(0));
        dist_tensor<double> b(ranks(), c.unary ? extents_t{} : c.extents[1],
                              c.unary ? distribution::block({}, size) : spread(1));
        dist_tensor<double> d(ranks(), c.extents.back(), spread(c.extents.size() - 1));
        traffic() = {};
        const dist_report report = c.unary ? contract(c.expression, a, d, options)
                                           : contract(c.expression, a, b, d, options);
        if (report.redistribution_max.value > 0)
            continue; // what the plan does not count
        SCOPED_TRACE(report.plan.describe());
        const std::int64_t counted = most_between_nodes(options.ranks_per_node);
        EXPECT_EQ(counted, report.plan.summary().between_nodes.value);
        EXPECT_EQ(report.plan.summary().ranks_per_node,
                  options.ranks_per_node < size ? options.ranks_per_node : 0);
        compared += counted > 0 ? 1 : 0;
    }
    EXPECT_EQ(compared > 0, size > 1);
}

/// Two nodes of two ranks, all of which need the whole of A.
TEST(Payload, WhatRanksOfANodeNeedArrivesOnce) {
    if (ranks().size() != 4)
        return;
    const std::vector<extents_t> extents{{8, 6}, {6, 12}, {8, 12}};
    const dist_options options{.grid = processor_grid{.n = 4}, .ranks_per_node = 2};
    const dist_plan plan = make_dist_plan(parse("mn=mk*kn"), data_type::f64, extents, 4, options);
    constexpr std::int64_t half = 8 * 48 / 2;
    EXPECT_EQ(plan.summary().between_nodes, bytes(half));
    EXPECT_NE(plan.describe().find("  nodes of 2 ranks: each receives 192 bytes from others"),
              std::string::npos)
        << plan.describe();
    dist_tensor<double> a(ranks(), extents[0], plan.layout_of(0));
    dist_tensor<double> b(ranks(), extents[1], plan.layout_of(1));
    dist_tensor<double> d(ranks(), extents[2], plan.layout_of(2)), expected(ranks(), extents[2]);
    fill_values(a, 1);
    fill_values(b, 2);
    contract("mn=mk*kn", a, b, expected);
    traffic() = {};
    contract("mn=mk*kn", a, b, d, options);
    EXPECT_EQ(traffic().received, 8 * 48 * 3 / 4);
    EXPECT_EQ(most_between_nodes(2), half);
    EXPECT_TRUE(equal(d.gather_all(), expected.gather_all()));
}

bool is_mapped(const void *memory) {
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(memory) / page * page;
    unsigned char is_resident = 0;
    return mincore(reinterpret_cast<void *>(begin), 1, &is_resident) == 0;
}

/// MPI may write there when the peer, which is busy for longer than anybody waits, sends the rest.
TEST(Payload, MemoryOfMessagesThatAreLeftIsNotFreed) {
    if (ranks().size() == 1)
        return;
    const world here(MPI_COMM_WORLD);
    if (here.rank() != 0)
        return; // and frees it
    using namespace dist_impl;
    communicator &comm = internals::of(here);
    constexpr index_t large = 5 << 20; // the system gets such memory back at once
    const slice all{{0}, {large}}, nothing{{0}, {0}};
    std::vector<double> target(large);
    comm.begin_call("exchange"); // in which the others have no part
    {
        prepared_exchange<double> from_one(
            comm, [&](int rank) { return rank == 1 ? all : nothing; },
            [&](int rank) { return rank == 0 ? all : nothing; },
            placement<const double>(nullptr, nothing), placement<double>(target.data(), all));
        traffic().keeps_messages = true;
        EXPECT_EQ(failure_of([&] { from_one.run(); }).code, errc::communication);
        traffic().keeps_messages = false;
    }
    EXPECT_TRUE(comm.has_messages_left());
    EXPECT_TRUE(is_mapped(traffic().received_into));
}

TEST(Payload, LongMessagesTravelInPiecesOfTheLimit) {
    const byte_count before = set_message_limit(bytes(256));
    dist_tensor<double> a(ranks(), {24, 16});
    dist_tensor<double> b(ranks(), {16, 24});
    dist_tensor<double> d(ranks(), {24, 24});
    fill_values(a, 1);
    fill_values(b, 2);
    traffic() = {};
    const dist_report report = contract("ab=ac*cb", a, b, d);
    EXPECT_EQ(traffic().received,
              report.own_bytes_received.value + report.own_redistribution.value);
    EXPECT_LE(traffic().longest, 256);
    set_message_limit(before);
}

} // namespace
} // namespace tenfold::testing
