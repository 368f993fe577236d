// What the service keeps, and for how long: bodies, slices, checkpoints, quotas.
#include <thread>

#include "server/service_fixture.hpp"

namespace tenfold::server {
namespace {

/// The body of a download that came too late was kept until 1000 other jobs had ended.
TEST_F(Service, GivesBackTheMemoryOfDownloadsThatNobodyWaitsFor) {
    start(byte_count{10000});
    create("A", {4});
    const auto bodies = [&] { return ask("GET", "/v1").body.at("memory").at("bodies"); };
    EXPECT_EQ((*send("GET", "/v1/tensors/A/data?wait=0"))->status, 400);
    const auto data = send("GET", "/v1/tensors/A/data?wait=0.001");
    const service::task reading = service_->next();
    ASSERT_TRUE(reading.job);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    service_->tick();
    ASSERT_TRUE(data->has_value());
    EXPECT_EQ((*data)->status, 504);
    EXPECT_TRUE(reading.job->stop.stop_requested());
    service_->finish(reading.job, json::object(), std::nullopt); // the stop came too late
    EXPECT_EQ(bodies(), 0);
    const auto waiting = send("GET", "/v1/tensors/A/data?wait=0.001");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    service_->tick();
    ASSERT_TRUE(waiting->has_value());
    EXPECT_EQ((*waiting)->status, 504);
    EXPECT_EQ(bodies(), 0);
}

/// What a JSON body becomes is up to 16 times as large, and waits with its job.
TEST_F(Service, CountsTheMemoryOfLargeJson) {
    start(byte_count{1000000});
    create("A", {30000});
    const json request = {{"function", "denominators"},
                          {"inputs", {"A"}},
                          {"output", "B"},
                          {"energies", {std::vector<int>(30000, 1)}}};
    EXPECT_EQ(ask("POST", "/v1/map", request).status, 507);
    start(byte_count{2000000});
    create("A", {30000});
    const auto answer = send("POST", "/v1/map", request.dump());
    const service::task now = service_->next();
    ASSERT_TRUE(now.job);
    EXPECT_FALSE(now.what.work.is_null());
    EXPECT_TRUE(now.job->plan.work.is_null()); // the job is remembered, but not this
    service_->finish(now.job, json::object(), std::nullopt);
    EXPECT_EQ(ask("GET", "/v1").body.at("memory").at("bodies"), 0);
}

/// A slice of a tensor that nobody else reads is written where it is: there is no memory for two.
TEST_F(Service, WritesSlicesInPlace) {
    start(byte_count{10000});
    create("A", {2, 1000}); // 8000 bytes on each of two ranks
    const auto generation = [&] {
        return ask("GET", "/v1/tensors/A").body.at("tensor").at("generation").get<std::uint64_t>();
    };
    const std::uint64_t storage = generation();
    const std::string path = "/v1/tensors/A/data?format=raw&slice=0:2,5:7";
    const auto first = send("PUT", path, std::string(32, '\0'));
    const service::task writing = service_->next();
    ASSERT_TRUE(writing.job) << *(*first)->body;
    EXPECT_EQ(writing.what.work.at("do"), "overwrite");
    EXPECT_EQ(writing.what.work.at("in_place"), true);
    EXPECT_EQ(writing.what.work.at("output"), storage);
    EXPECT_EQ(writing.what.work.at("box"), (json{{"offsets", {0, 5}}, {"extents", {2, 2}}}));
    // Who asks from now on gets the new tensor.
    EXPECT_NE(generation(), storage);
    const auto sum = send("POST", "/v1/reduce", R"({"function": "sum", "inputs": ["A"]})");
    service_->finish(writing.job, json::object(), std::nullopt);
    EXPECT_EQ((*first)->status, 200);
    const service::task reading = service_->next();
    EXPECT_TRUE(reading.what.drop.empty());
    EXPECT_EQ(reading.what.work.at("inputs"), json{storage});
    service_->finish(reading.job, {{"value", 1}}, std::nullopt);
    EXPECT_EQ(ask("GET", "/v1").body.at("memory").at("resident_per_rank"), 8000);

    // One that fails leaves the tensor as it was, also for its handles.
    const std::uint64_t before = generation();
    const auto second = send("PUT", path, std::string(32, '\0'));
    const service::task failing = service_->next();
    service_->finish(failing.job, nullptr, as_refusal(error(errc::stopped, "stopped")));
    EXPECT_EQ(generation(), before);
    EXPECT_EQ(ask("GET", "/v1").body.at("memory").at("resident_per_rank"), 8000);

    // One whose tensor is deleted meanwhile does not bring it back.
    const auto third = send("PUT", path, std::string(32, '\0'));
    const service::task late = service_->next();
    EXPECT_EQ(ask("DELETE", "/v1/tensors/A").status, 200);
    service_->finish(late.job, json::object(), std::nullopt);
    EXPECT_EQ(ask("GET", "/v1/tensors/A").status, 404);
    EXPECT_EQ(service_->next().what.drop, std::vector{storage});
    EXPECT_EQ(ask("GET", "/v1").body.at("memory").at("resident_per_rank"), 0);
}

TEST_F(Service, WritesSlicesOfWhatOthersReadIntoCopies) {
    start(byte_count{10000});
    const std::string sum = R"({"function": "sum", "inputs": ["A"]})";
    const auto write_while_read = [&] {
        const auto answer =
            send("PUT", "/v1/tensors/A/data?format=raw&slice=:,5:7", std::string(32, '\0'));
        const auto reads = send("POST", "/v1/reduce", sum); // the tensor as it is now
        const service::task now = service_->next();
        if (now.job) {
            EXPECT_EQ(now.what.work.at("in_place"), false);
            EXPECT_NE(now.what.work.at("output"), now.what.work.at("inputs").at(0));
            service_->finish(now.job, json::object(), std::nullopt);
        }
        work();
        EXPECT_EQ((*reads)->status, 200);
        return (*answer)->status;
    };
    create("A", {2, 400});
    EXPECT_EQ(write_while_read(), 200);
    EXPECT_EQ(ask("DELETE", "/v1/tensors/A").status, 200);
    create("A", {2, 1000});
    EXPECT_EQ(write_while_read(), 507); // there is no memory for a copy
    EXPECT_EQ(ask("GET", "/v1").body.at("memory").at("resident_per_rank"), 8000);
}

TEST_F(Service, RefusesSlicesThatDoNotFit) {
    create("A", {4, 3});
    for (const char *wrong : {"0:4", "0:4,0:3,0:1", "", "0:5,:", "3:2,:", "a:b,:", "0-4,:",
                              "0:4,:,", "1,2", "-1:2,:", "0:99999999999999999999,:", "0:4,0:3x"}) {
        const std::string path = "/v1/tensors/A/data?format=raw&slice=" + std::string(wrong);
        EXPECT_EQ((*send("GET", path))->status, 400) << wrong;
        EXPECT_EQ((*send("PUT", path, std::string(96, '\0')))->status, 400) << wrong;
    }
    const auto put = [&](const char *query, std::size_t size) {
        return (*send("PUT", std::string("/v1/tensors/A/data?") + query, std::string(size, '\0')))
            ->status;
    };
    EXPECT_EQ(put("format=raw&slice=:,1:2", 31), 400);
    EXPECT_EQ(put("format=raw&slice=:,1:2&type=f32", 16), 400);
    EXPECT_EQ(put("format=raw&slice=:,1:2&type=f64&extents=2,2", 32), 400);
    EXPECT_EQ(put("format=raw&type=f64&extents=2,2&generation=1", 32), 400);
    EXPECT_EQ((*send("PUT", "/v1/tensors/B/data?format=raw&slice=:", "12345678"))->status, 404);
    EXPECT_EQ((*send("PUT", "/v1/tensors/A/data?format=raw&slice=:,1:2&generation=7",
                     std::string(32, '\0')))
                  ->status,
              409);
    const auto answer = send("GET", "/v1/tensors/A/data?slice=1:3,:");
    EXPECT_EQ(service_->next().what.work.at("box"),
              (json{{"offsets", {1, 0}}, {"extents", {2, 3}}}));
}

/// The service of one start: first tensors and jobs of the former one, then what it lost.
TEST_F(Service, KnowsWhatCheckpointsHaveAndWhatIsLost) {
    const auto save = [&] {
        const auto answer = send("POST", "/v1/checkpoint");
        service::task now = service_->next();
        while (now.job && now.job->plan.kind != "save") {
            service_->finish(now.job, json::object(), std::nullopt);
            now = service_->next();
        }
        const manifest saved = manifest::parse(*now.job->plan.body);
        EXPECT_EQ(saved.text(), *now.job->plan.body);
        EXPECT_EQ(now.what.work.at("folder"), "/folder");
        EXPECT_EQ(now.what.work.at("all"), saved.tensors.size());
        return std::pair(now, saved);
    };
    EXPECT_EQ(ask("POST", "/v1/checkpoint").body.at("error").at("code"), "no_checkpoint");
    start_again(0);
    const auto number = [&](const char *tensor) {
        return ask("GET", std::string("/v1/tensors/") + tensor)
            .body.at("tensor")
            .at("generation")
            .get<std::uint64_t>();
    };
    key_ = "k";
    const json made = create("A", {2, 3}).body.at("job");
    key_.clear();
    create("B", {4});
    const std::uint64_t b = number("B");
    const auto [first, saved] = save();
    ASSERT_EQ(saved.tensors.size(), 2U);
    EXPECT_EQ(saved.tensors[0].extents, (extents_t{2, 3}));
    EXPECT_EQ(first.what.work.at("tensors").size(), 2U);
    // What is made while it is saved is not in it. One whose job waited is pending.
    send("POST", "/v1/tensors?wait=0", R"({"name": "C", "extents": [5]})");
    service_->finish(first.job, json::object(), std::nullopt);
    work();
    const std::uint64_t c = number("C");
    // What was saved is not written again; a save that fails changes nothing.
    const auto [second, more] = save();
    EXPECT_EQ(second.what.work.at("tensors").size(), 1U);
    service_->finish(second.job, nullptr, as_refusal(error(errc::io, "the disk is full")));
    EXPECT_EQ(ask("GET", "/v1/jobs/" + second.job->id()).body.at("job").at("error").at("status"),
              500);
    EXPECT_EQ(ask("GET", "/v1/checkpoint").body.at("tensors").size(), 2U);

    start_again(1000);
    service_->restore(saved);
    EXPECT_EQ(number("B"), b);
    EXPECT_EQ(ask("GET", "/v1").body.at("memory").at("resident_per_rank"), 24 + 16);
    EXPECT_EQ(ask("GET", "/v1/tensors/C").status, 404);
    const std::string lost = "/v1/tensors/C?generation=" + std::to_string(c);
    EXPECT_EQ(ask("GET", lost).body.at("error").at("code"), "lost");
    EXPECT_EQ(ask("GET", lost).status, 410);
    EXPECT_EQ(ask("GET", "/v1/jobs/" + second.job->id()).status, 410);
    EXPECT_EQ(ask("GET", "/v1/jobs/j1001").status, 404);
    key_ = "k"; // the request that was answered before is not run again
    EXPECT_EQ(create("A", {2, 3}).body.at("job").at("result"), made.at("result"));
    key_.clear();
    create("C", {5});
    EXPECT_GT(number("C"), 1000U);
    EXPECT_EQ(ask("GET", lost).status, 410);
    EXPECT_EQ(ask("GET", "/v1/tensors/A?generation=7").status, 410);
    EXPECT_EQ(ask("GET", "/v1/tensors/A?generation=1001").status, 409);
    const auto back = send("POST", "/v1/tensors/A/restore");
    const service::task loading = service_->next();
    EXPECT_EQ(loading.what.work.at("file"), "/folder/" + saved.tensors[0].file());
    service_->finish(loading.job, json::object(), std::nullopt);
    EXPECT_EQ((*back)->status, 200);
    EXPECT_EQ(ask("POST", "/v1/tensors/C/restore").status, 404);

    // The end: jobs that wait are refused, and all is saved.
    const auto waits = send("POST", "/v1/tensors", R"({"name": "D", "extents": [2]})");
    service_->stop();
    const service::task last = service_->next();
    EXPECT_EQ((*waits)->status, 503);
    ASSERT_TRUE(last.job);
    EXPECT_EQ(last.what.work.at("all"), 3);
    const manifest final = manifest::parse(*last.job->plan.body);
    service_->finish(last.job, json::object(), std::nullopt);
    EXPECT_TRUE(service_->next().what.stop);
    EXPECT_FALSE(service_->last_failure());
    start_again(2000);
    service_->restore(final);
    EXPECT_EQ(ask("GET", lost).status, 410); // still
    EXPECT_EQ(ask("GET", "/v1/tensors/A?generation=1500").status, 410);
}

/// Jobs that the end of the server stopped were remembered with their keys: who asked the next
/// server again was told for ever that it had not been done.
TEST_F(Service, DoesWhatTheEndOfAnotherServerStopped) {
    start_again(0);
    create("A", {2});
    const std::string fill = R"({"fill": {"value": 2}})";
    key_ = "runs";
    const auto runs = send("POST", "/v1/tensors/A/fill", fill);
    const service::task running = service_->next();
    key_ = "waits";
    const auto waits = send("POST", "/v1/tensors", R"({"name": "B", "extents": [2]})");
    service_->stop();
    EXPECT_TRUE(running.job->stop.stop_requested());
    service_->finish(running.job, nullptr, as_refusal(error(errc::stopped, "stopped")));
    const service::task last = service_->next();
    EXPECT_EQ((*runs)->status, 503);
    EXPECT_EQ((*waits)->status, 503);
    const manifest saved = manifest::parse(*last.job->plan.body);
    service_->finish(last.job, json::object(), std::nullopt);
    start_again(1000);
    service_->restore(saved);
    EXPECT_EQ(create("B", {2}).status, 200);
    key_ = "runs";
    EXPECT_EQ(ask("POST", "/v1/tensors/A/fill", json::parse(fill)).status, 200);
}

/// A launcher may leave a second for the end: what is half saved is saved, and not begun anew.
TEST_F(Service, EndsTheSaveThatRunsBeforeItStops) {
    start_again(0);
    create("A", {2});
    const auto asked = send("POST", "/v1/checkpoint");
    const service::task saving = service_->next();
    service_->stop();
    EXPECT_FALSE(saving.job->stop.stop_requested());
    service_->finish(saving.job, json::object(), std::nullopt);
    EXPECT_EQ((*asked)->status, 200);
    const service::task last = service_->next();
    EXPECT_EQ(last.what.work.at("all"), 1);
    EXPECT_EQ(last.what.work.at("tensors").size(), 0U);
    service_->finish(last.job, json::object(), std::nullopt);
    EXPECT_TRUE(service_->next().what.stop);
}

/// A save removed the file that a job, which waited behind it, was going to read: an error of 500.
TEST_F(Service, RestoresNothingThatTheCheckpointNoLongerHas) {
    start_again(0);
    create("A", {2});
    EXPECT_EQ(ask("POST", "/v1/checkpoint").status, 200);
    EXPECT_EQ(ask("DELETE", "/v1/tensors/A").status, 200);
    const auto saves = send("POST", "/v1/checkpoint");
    const auto restores = send("POST", "/v1/tensors/A/restore");
    work();
    EXPECT_EQ((*saves)->status, 200);
    EXPECT_EQ((*restores)->status, 404);
    EXPECT_EQ(ask("GET", "/v1").body.at("memory").at("resident_per_rank"), 0);
}

TEST_F(Service, SavesByIntervalWhatChanged) {
    start_again(0, std::chrono::seconds(1));
    create("A", {2});
    // What saving takes counts while it waits and runs: more than 0.5 MB of 100.
    const request_head large = head("PUT", "/v1/tensors/B/data", 99500000);
    EXPECT_NO_THROW(service_->accept(large));
    const auto waiting = [&] {
        service_->tick();
        return json::parse(*(*send("GET", "/v1"))->body).at("jobs_waiting").get<int>();
    };
    EXPECT_EQ(waiting(), 0); // not yet
    std::this_thread::sleep_for(std::chrono::milliseconds(1020));
    EXPECT_EQ(waiting(), 1);
    EXPECT_EQ(waiting(), 1);
    EXPECT_THROW(service_->accept(large), refusal);
    const service::task saving = service_->next();
    EXPECT_EQ(saving.what.work.at("all"), 1);
    EXPECT_THROW(service_->accept(large), refusal);
    service_->finish(saving.job, json::object(), std::nullopt);
    EXPECT_NO_THROW(service_->accept(large));
    EXPECT_EQ(ask("GET", "/v1/jobs").body.at("jobs").size(), 1U); // it is nobody's
    std::this_thread::sleep_for(std::chrono::milliseconds(1020));
    EXPECT_EQ(waiting(), 0); // nothing changed
}

TEST_F(Service, GivesEachUserAQuota) {
    service_options how;
    how.ranks = 2;
    how.memory_per_rank = byte_count{10000};
    how.quota = byte_count{1000};
    how.tokens.add("ada", hash_of(token_));
    how.tokens.add("bob", hash_of(other_token_));
    service_.emplace(std::move(how));
    EXPECT_EQ(create("A", {2, 100}).status, 200); // 800 bytes on each of two ranks
    const answered refused = create("B", {2, 30});
    EXPECT_EQ(refused.status, 507);
    EXPECT_EQ(refused.body.at("error").at("code"), "quota_exceeded");
    EXPECT_EQ(refused.body.at("error").at("least"), 1040);
    EXPECT_EQ(refused.body.at("error").at("tensors").at(0).at("name"), "A");
    const json memory = ask("GET", "/v1").body.at("memory");
    EXPECT_EQ(memory.at("own_per_rank"), 800);
    EXPECT_EQ(memory.at("quota_per_rank"), 1000);
    // Jobs that wait count; one that fails does not any more.
    send("POST", "/v1/tensors", R"({"name": "B", "extents": [2, 20]})");
    EXPECT_EQ((*send("POST", "/v1/tensors", R"({"name": "C", "extents": [2, 10]})"))->status, 507);
    const service::task failing = service_->next();
    service_->finish(failing.job, nullptr, as_refusal(error(errc::out_of_memory, "")));
    EXPECT_EQ(create("C", {2, 10}).status, 200);
    token_.swap(other_token_);
    EXPECT_EQ(create("A", {2, 100}).status, 200);
    token_.swap(other_token_);
    EXPECT_EQ(ask("DELETE", "/v1/tensors/A").status, 200);
    EXPECT_EQ(create("D", {2, 100}).status, 200);
}

TEST_F(Service, DeletesTensorsThatNobodyUses) {
    create("A", {2});
    create("B", {2});
    const answered told = ask("PATCH", "/v1/tensors/A", {{"time_to_live", 0.01}});
    EXPECT_EQ(told.body.at("tensor").at("time_to_live"), 0.01);
    EXPECT_EQ(ask("PATCH", "/v1/tensors/A", {{"time_to_live", -1}}).status, 400);
    EXPECT_EQ(ask("PATCH", "/v1/tensors/A", json::object()).status, 400);
    // A new tensor of the name has its time, and one that a job reads stays.
    EXPECT_EQ(ask("POST", "/v1/tensors/A/fill", {{"fill", {{"value", 2}}}}).status, 200);
    const auto sum = send("POST", "/v1/reduce", R"({"function": "sum", "inputs": ["A"]})");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    service_->tick();
    EXPECT_EQ(json::parse(*(*send("GET", "/v1/tensors"))->body).at("tensors").size(), 2U);
    work();
    EXPECT_EQ((*sum)->status, 200);
    std::this_thread::sleep_for(std::chrono::milliseconds(1020)); // it looks once a second
    service_->tick();
    const json left = ask("GET", "/v1/tensors").body.at("tensors");
    ASSERT_EQ(left.size(), 1U);
    EXPECT_EQ(left.at(0).at("name"), "B");
}

} // namespace
} // namespace tenfold::server
