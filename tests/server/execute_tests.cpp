// The work of jobs on several ranks, of which one may fail by itself.
#include <numeric>

#include <tenfold/dist_operations.hpp>

#include <unistd.h>

#include "apps/server/access.hpp"
#include "apps/server/checkpoint_folder.hpp"
#include "apps/server/chunks.hpp"
#include "apps/server/execute.hpp"
#include "apps/server/manifest.hpp"
#include "mpi/allocation_failure.hpp"
#include "mpi/ranks.hpp"
#include "support/temporary_folder.hpp"

namespace tenfold::server {
namespace {

using nlohmann::json;
using namespace tenfold::testing;

const execution_control no_control{};

json create_work(std::uint64_t id, const extents_t &extents, double value) {
    return {{"do", "create"},
            {"output", id},
            {"type", "f64"},
            {"extents", extents},
            {"fill", {{"kind", "value"}, {"value", {value, 0.0}}}}};
}

/// Whatever a rank throws by itself, before, between or behind collective calls, all ranks have the
/// same error, the store is as before, and the next job runs.
TEST(Execute, SharesWhatOneRankThrows) {
    tensor_store store;
    execute(ranks(), store, create_work(1, {4, 3}, 2), {}, no_control);
    for (const char *broken : {"type", "extents", "fill", "output", "do"}) // in their order
        for (const int bad : {0, ranks().size() - 1}) {
            SCOPED_TRACE(std::string(broken) + " on rank " + std::to_string(bad));
            json work = create_work(2, {4, 3}, 1);
            if (ranks().rank() == bad)
                work[broken] = json::object();
            const auto failed = failure_of([&] { execute(ranks(), store, work, {}, no_control); });
            EXPECT_EQ(failed.code, errc::disagreement);
            EXPECT_NE(failed.message.find("a rank failed"), std::string::npos) << failed.message;
            EXPECT_TRUE(same_on_all_ranks(failed.message));
            EXPECT_THROW(store.get<double>(2), std::logic_error);
        }
    json unknown = create_work(2, {4, 3}, 1);
    unknown["do"] = "dance";
    EXPECT_EQ(failure_of([&] { execute(ranks(), store, unknown, {}, no_control); }).code,
              errc::disagreement);
    const json sum = {
        {"do", "reduce"}, {"function", "sum"}, {"input_type", "f64"}, {"inputs", {1}}};
    EXPECT_EQ(execute(ranks(), store, sum, {}, no_control).at("value"), 24);
    json missing = sum;
    if (ranks().rank() == ranks().size() - 1)
        missing["inputs"] = {7};
    EXPECT_EQ(failure_of([&] { execute(ranks(), store, missing, {}, no_control); }).code,
              errc::disagreement);
    EXPECT_EQ(execute(ranks(), store, sum, {}, no_control).at("value"), 24);
}

/// Whichever allocation of one rank fails, all ranks have the same error, and the next job runs.
TEST(Execute, FailsOnAllRanksWhereOneHasNoMemory) {
    const std::string bytes(6 * sizeof(double), '\0');
    const json box = {{"offsets", {1, 0}}, {"extents", {2, 3}}};
    const json from = {{"inputs", {1, 1}},
                       {"input_type", "f64"},
                       {"output", 2},
                       {"type", "f64"},
                       {"box", box},
                       {"element", "<f8"},
                       {"fortran_order", false},
                       {"offset", 0},
                       {"npy", true},
                       {"parameters", json::object()}};
    const auto work_of = [&](const char *what, const json &more) {
        json work = from;
        work["do"] = what;
        work.update(more);
        return work;
    };
    for (const json &work :
         {create_work(2, {4, 3}, 1), work_of("overwrite", {{"in_place", true}}),
          work_of("overwrite", {{"in_place", false}}), work_of("download", json::object()),
          work_of("map", {{"function", "add"}})}) {
        SCOPED_TRACE(work.dump());
        fail_each({"", [&] {
                       const auto store = std::make_shared<tensor_store>();
                       execute(ranks(), *store, create_work(1, {4, 3}, 2), {}, no_control);
                       const auto text = std::make_shared<std::string>();
                       return trial{[&work, &bytes, store, text] {
                           execute(ranks(), *store, work, {.upload = &bytes, .download = text},
                                   no_control);
                       }};
                   }});
    }
}

/// Boxes that arrive and leave in both orders, compared with a model on rank 0.
TEST(Execute, MovesBoxes) {
    for (const int number : cases_per_rank(20)) {
        random_source random(seed(), number);
        SCOPED_TRACE(rerun_line(number));
        const extents_t extents = random_extents(random, static_cast<int>(random.integer(0, 3)));
        slice box{extents, extents};
        for (std::size_t mode = 0; mode < extents.size(); ++mode) {
            box.offsets[mode] = random.integer(0, extents[mode]);
            box.extents[mode] = random.integer(0, extents[mode] - box.offsets[mode]);
        }
        const bool in_place = random.chance(0.5), is_fortran = random.chance(0.5);
        const std::uint64_t output = in_place ? 1 : 2;
        tensor_store store;
        execute(ranks(), store, create_work(1, extents, -1), {}, no_control);
        std::vector<double> body(static_cast<std::size_t>(box.size()));
        std::iota(body.begin(), body.end(), 1.0);
        const std::string bytes(reinterpret_cast<const char *>(body.data()),
                                body.size() * sizeof(double));
        const json where = {{"offsets", box.offsets}, {"extents", box.extents}};
        execute(ranks(), store,
                {{"do", "overwrite"},
                 {"inputs", {1}},
                 {"output", output},
                 {"in_place", in_place},
                 {"type", "f64"},
                 {"box", where},
                 {"element", "<f8"},
                 {"fortran_order", is_fortran},
                 {"offset", 0}},
                {.upload = &bytes}, no_control);

        tensor<double> expected(extents);
        std::fill_n(expected.data(), expected.size(), -1.0);
        const layout part =
            dense(box.extents, is_fortran ? memory_order::fortran : memory_order::c);
        for_each_position(box.offsets, box.extents, [&](const extents_t &position) {
            extents_t inside = position;
            for (std::size_t mode = 0; mode < inside.size(); ++mode)
                inside[mode] -= box.offsets[mode];
            expected.data()[expected.shape().offset_of(position)] =
                body[static_cast<std::size_t>(part.offset_of(inside))];
        });
        EXPECT_TRUE(holds(store.get<double>(output), expected)) << box.describe();

        const auto text = std::make_shared<std::string>();
        execute(ranks(), store,
                {{"do", "download"},
                 {"inputs", {output}},
                 {"input_type", "f64"},
                 {"npy", false},
                 {"fortran_order", is_fortran},
                 {"box", where}},
                {.download = text}, no_control);
        if (ranks().rank() == 0) {
            EXPECT_EQ(*text, bytes);
        }
    }
}

TEST(Execute, SavesAndLoadsCheckpoints) {
    std::optional<temporary_folder> place;
    std::optional<checkpoint_folder> folder;
    std::string path;
    agree(ranks(), [&] {
        if (ranks().rank() != 0)
            return;
        place.emplace();
        folder.emplace(place->file("checkpoint"));
        path = folder->path();
        EXPECT_EQ(folder->read_manifest(), std::nullopt);
        EXPECT_EQ(folder->count_start(), 0U);
        EXPECT_EQ(folder->count_start(), 1U);
        EXPECT_THROW(checkpoint_folder(place->file("checkpoint")), std::runtime_error);
        EXPECT_THROW(checkpoint_folder(place->file("none/checkpoint")), std::runtime_error);
        write_into(path + "/7.tensor", "old");
        write_into(path + "/8.tensor.saving", "old");
        write_into(path + "/7.tensor.mine", "a file that is not the server's");
    });
    broadcast(ranks(), path, 0);
    tensor_store store;
    execute(ranks(), store, create_work(3, {4, 5}, 2.5), {}, no_control);
    manifest saved{.saved = 1, .tensors = {{3, "ada", "A", data_type::f64, {4, 5}}}};
    saved.last_tensor = 3;
    const std::string text = saved.text();
    const json work = {{"do", "save"},
                       {"folder", path},
                       {"all", 1},
                       {"tensors", {{{"storage", 3}, {"type", "f64"}, {"file", "3.tensor"}}}}};
    execute(ranks(), store, work, {.upload = &text, .folder = folder ? &*folder : nullptr},
            no_control);
    agree(ranks(), [&] {
        if (!folder)
            return;
        EXPECT_EQ(folder->read_manifest(), text);
        EXPECT_EQ(access((path + "/7.tensor").c_str(), F_OK), -1);
        EXPECT_EQ(access((path + "/8.tensor.saving").c_str(), F_OK), -1);
        EXPECT_EQ(access((path + "/7.tensor.mine").c_str(), F_OK), 0);
    });
    tensor_store again;
    load_checkpoint(ranks(), again, path, saved);
    EXPECT_EQ(again.get<double>(3).norm(), store.get<double>(3).norm());
    execute(ranks(), again,
            {{"do", "load"},
             {"output", 4},
             {"type", "f64"},
             {"extents", {4, 5}},
             {"file", path + "/3.tensor"}},
            {}, no_control);
    EXPECT_EQ(again.get<double>(4).norm(), store.get<double>(3).norm());
    // A link in the place of the manifest leads nowhere.
    agree(ranks(), [&] {
        if (folder) {
            EXPECT_EQ(unlink((path + "/manifest.json").c_str()), 0);
            EXPECT_EQ(symlink("/etc/passwd", (path + "/manifest.json").c_str()), 0);
            EXPECT_THROW(folder->read_manifest(), std::runtime_error);
        }
    });
}

} // namespace
} // namespace tenfold::server
