// Transfers of bulk data on all ranks: they are opened, and uploads are committed.
#include <numeric>

#include <tenfold/dist_operations.hpp>

#include "apps/server/bulk_desk.hpp"
#include "apps/server/execute.hpp"
#include "mpi/allocation_failure.hpp"
#include "mpi/ranks.hpp"
#include "server/bulk_secret.hpp"

namespace tenfold::server {
namespace {

using nlohmann::json;
using namespace tenfold::testing;

json open_work(bool is_upload, const extents_t &extents, const slice &box, bool is_fortran) {
    return {{"do", "open"},
            {"transfer", 7},
            {"secret", to_hex(hash_of(secret))},
            {"upload", is_upload},
            {"seconds", 100},
            {"fortran_order", is_fortran},
            {"box", {{"offsets", box.offsets}, {"extents", box.extents}}},
            {"inputs", {1}},
            {"input_type", "f64"},
            {"output", std::uint64_t{2}},
            {"type", "f64"},
            {"extents", extents}};
}

const execution_control never_stopped{};

/// Slices that arrive and leave piece by piece on the ranks that own them.
TEST(Bulk, MovesBoxes) {
    for (const int number : cases_per_rank(20)) {
        random_source random(seed(), number);
        SCOPED_TRACE(rerun_line(number));
        const extents_t extents = random_extents(random, static_cast<int>(random.integer(0, 3)));
        slice box{extents, extents};
        for (std::size_t mode = 0; mode < extents.size(); ++mode) {
            box.offsets[mode] = random.integer(0, extents[mode]);
            box.extents[mode] = random.integer(0, extents[mode] - box.offsets[mode]);
        }
        const slice all{extents_t(extents.size(), 0), box.extents};
        const bool in_place = random.chance(0.5), is_fortran = random.chance(0.5);
        const std::uint64_t output = in_place ? 1 : 3;
        const auto value_at = [](const extents_t &position) {
            double value = 1;
            for (const index_t one : position)
                value = 100 * value + static_cast<double>(one);
            return value;
        };
        tensor_store store;
        bulk_desk desk;
        const bodies mine{.desk = &desk};
        const auto run = [&](const json &work) {
            execute(ranks(), store, work, mine, never_stopped);
        };
        run({{"do", "create"},
             {"output", 1},
             {"type", "f64"},
             {"extents", extents},
             {"fill", {{"kind", "value"}, {"value", {-1.0, 0.0}}}}});
        const layout part_layout(box.extents);
        const distribution spread = distribution::block(box.extents, ranks().size());
        /// Calls `move` for each piece of this rank with its elements, and what they should be.
        const auto for_each_piece = [&](const slice &part, const extents_t &origin,
                                        const auto &move) {
            if (part.empty())
                return;
            const auto order = is_fortran ? memory_order::fortran : memory_order::c;
            const piece_grid grid = piece_grid::of(part.extents, data_type::f64, order);
            for (index_t piece = 0; piece < grid.count(part.extents); ++piece) {
                const slice at = grid.at(part.extents, piece);
                const layout there = dense(at.extents, order);
                std::vector<double> values(static_cast<std::size_t>(at.size()));
                for_each_position(
                    extents_t(at.extents.size(), 0), at.extents, [&](const extents_t &inside) {
                        extents_t position = inside;
                        for (std::size_t mode = 0; mode < inside.size(); ++mode)
                            position[mode] += at.offsets[mode] + part.offsets[mode] - origin[mode];
                        values[static_cast<std::size_t>(there.offset_of(inside))] =
                            value_at(position);
                    });
                move(static_cast<std::uint64_t>(piece), values);
            }
        };
        json commit = {
            {"do", "commit"},     {"transfer", 7},
            {"inputs", {1, 2}},   {"type", "f64"},
            {"output", output},   {"in_place", in_place},
            {"extents", extents}, {"box", {{"offsets", box.offsets}, {"extents", box.extents}}}};
        run(open_work(true, box.extents, all, is_fortran));
        if (box.size() > 0) { // some rank has pieces, which have not come
            EXPECT_EQ(failure_of([&] { run(commit); }).code, errc::invalid_argument);
            store.drop(2);
            EXPECT_EQ(desk.size(), 0U);
            run(open_work(true, box.extents, all, is_fortran));
        }
        const bulk_desk::ticket ticket = desk.admit(7, wire_form(secret));
        for_each_piece(
            spread.block_of(ranks().rank()), all.offsets,
            [&](std::uint64_t piece, const std::vector<double> &values) {
                EXPECT_EQ(desk.take(ticket, piece, {bytes_of(values.data()), 8 * values.size()}),
                          bulk_status::ok);
            });
        run(commit);
        EXPECT_EQ(desk.size(), 0U);
        tensor<double> expected(extents);
        std::fill_n(expected.data(), expected.size(), -1.0);
        for_each_position(all.offsets, box.extents, [&](const extents_t &inside) {
            extents_t position = inside;
            for (std::size_t mode = 0; mode < inside.size(); ++mode)
                position[mode] += box.offsets[mode];
            expected.data()[expected.shape().offset_of(position)] = value_at(inside);
        });
        EXPECT_TRUE(holds(store.get<double>(output), expected)) << box.describe();

        json reads = open_work(false, extents, box, is_fortran);
        reads["inputs"] = {output};
        reads.erase("output");
        run(reads);
        const bulk_desk::ticket reading = desk.admit(7, wire_form(secret));
        const slice mine_of_it = overlap_of(store.get<double>(output).local_slice(), box);
        for_each_piece(
            mine_of_it, box.offsets, [&](std::uint64_t piece, const std::vector<double> &values) {
                std::vector<double> got(values.size());
                EXPECT_EQ(
                    desk.give(reading, piece,
                              {reinterpret_cast<unsigned char *>(got.data()), 8 * got.size()}),
                    bulk_status::ok);
                EXPECT_EQ(got, values);
            });
        desk.close(7);
    }
}

TEST(Bulk, IsOpenOnAllRanksOrOnNone) {
    for (const bool is_upload : {true, false})
        fail_each({"", [&] {
                       const auto store = std::make_shared<tensor_store>();
                       const auto desk = std::make_shared<bulk_desk>();
                       execute(ranks(), *store,
                               {{"do", "create"},
                                {"output", 1},
                                {"type", "f64"},
                                {"extents", {4, 3}},
                                {"fill", {{"kind", "value"}, {"value", {1.0, 0.0}}}}},
                               {}, never_stopped);
                       const auto work = std::make_shared<json>(
                           open_work(is_upload, {4, 3}, {{0, 0}, {4, 3}}, true));
                       if (!is_upload)
                           work->erase("output");
                       return trial{[store, desk, work] {
                           try {
                               execute(ranks(), *store, *work, {.desk = desk.get()}, never_stopped);
                           } catch (const error &) {
                               EXPECT_EQ(desk->size(), 0U);
                               EXPECT_THROW(store->get<double>(2), std::logic_error);
                               throw;
                           }
                           EXPECT_EQ(desk->size(), 1U);
                       }};
                   }});
    tensor_store store;
    bulk_desk desk;
    json broken = open_work(true, {4, 3}, {{0, 0}, {4, 3}}, true);
    if (ranks().rank() == ranks().size() - 1)
        broken["secret"] = "none";
    EXPECT_EQ(
        failure_of([&] { execute(ranks(), store, broken, {.desk = &desk}, never_stopped); }).code,
        errc::invalid_argument);
    EXPECT_EQ(desk.size(), 0U);
}

} // namespace
} // namespace tenfold::server
