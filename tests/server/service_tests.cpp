// The service without sockets and ranks: requests in, commands and responses out.
#include <thread>

#include "server/service_fixture.hpp"

namespace tenfold::server {
namespace {

TEST_F(Service, TellsRanksWhatRequestsAskFor) {
    const answered made = create("A", {4, 3});
    EXPECT_EQ(made.status, 200) << made.body;
    EXPECT_EQ(made.body.at("job").at("state"), "done");
    const json tensor = made.body.at("job").at("result").at("tensor");
    EXPECT_EQ(tensor.at("extents"), (json{4, 3}));
    EXPECT_EQ(tensor.at("owner"), "ada");
    ASSERT_EQ(commands_.size(), 1U);
    EXPECT_EQ(commands_[0].work.at("do"), "create");
    EXPECT_EQ(commands_[0].work.at("output"), tensor.at("generation"));

    create("B", {3, 5});
    const answered product =
        ask("POST", "/v1/contract",
            {{"expression", "ik=ij*jk"}, {"inputs", {"A", "B"}}, {"output", "C"}, {"alpha", 2}});
    EXPECT_EQ(product.status, 200) << product.body;
    EXPECT_EQ(product.body.at("job").at("result").at("tensor").at("extents"), (json{4, 5}));
    EXPECT_EQ(commands_.back().work.at("alpha"), (json{2.0, 0.0}));
    EXPECT_EQ(commands_.back().work.at("inputs").size(), 2U);
    EXPECT_FALSE(commands_.back().work.contains("base"));

    const answered sum =
        ask("POST", "/v1/contract",
            {{"expression", "ik+=ij*jk"}, {"inputs", {"A", "B"}}, {"output", "C"}});
    EXPECT_EQ(sum.status, 200) << sum.body;
    EXPECT_EQ(commands_.back().work.at("base"),
              product.body.at("job").at("result").at("tensor").at("generation"));
}

TEST_F(Service, FreesWhatLosesItsName) {
    create("A", {4});
    const json id = ask("GET", "/v1/tensors/A").body.at("tensor").at("generation");
    EXPECT_EQ(ask("POST", "/v1/tensors/A/fill", {{"fill", {{"value", 2}}}}).status, 200);
    const json now = ask("GET", "/v1/tensors/A").body.at("tensor").at("generation");
    EXPECT_NE(now, id);
    EXPECT_EQ(service_->next().what.drop, (std::vector<std::uint64_t>{id.get<std::uint64_t>()}));
    EXPECT_EQ(ask("DELETE", "/v1/tensors/A").status, 200);
    EXPECT_EQ(service_->next().what.drop, (std::vector<std::uint64_t>{now.get<std::uint64_t>()}));
    EXPECT_EQ(ask("GET", "/v1/tensors/A").status, 404);
    EXPECT_EQ(ask("GET", "/v1").body.at("memory").at("resident_per_rank"), 0);
}

TEST_F(Service, RefusesWhatIsWrongAndChangesNothing) {
    create("A", {4, 3});
    create("B", {2, 2});
    commands_.clear();
    const auto contract = [&](const char *expression, const json &inputs) {
        return ask("POST", "/v1/contract",
                   {{"expression", expression}, {"inputs", inputs}, {"output", "C"}});
    };
    const answered extents = contract("ik=ij*jk", {"A", "B"});
    EXPECT_EQ(extents.status, 400);
    EXPECT_EQ(extents.body.at("error").at("code"), "extent_mismatch");
    EXPECT_EQ(extents.body.at("error").at("label"), "j");
    EXPECT_EQ(contract("ik=ij*jk", {"A", "none"}).status, 404);
    EXPECT_EQ(contract("ik=ij*", {"A", "B"}).body.at("error").at("code"), "syntax");
    EXPECT_EQ(contract("ij=ij", {"A", "B"}).status, 400);
    EXPECT_EQ(contract("ijk=ijk", {"A"}).body.at("error").at("code"), "order_mismatch");
    EXPECT_EQ(contract("ij+=ij", {"A"}).status, 404); // there is no C to add to
    EXPECT_EQ(create("A", {1}).status, 409);
    EXPECT_EQ(create("../A", {1}).status, 400);
    EXPECT_EQ(create("D", {-1}).status, 400);
    EXPECT_EQ(ask("POST", "/v1/tensors", {{"name", "D"}, {"extents", {4611686018427387904, 4}}})
                  .body.at("error")
                  .at("code"),
              "overflow");
    EXPECT_EQ(ask("POST", "/v1/map", {{"function", "add"}, {"inputs", {"A", "B"}}, {"output", "C"}})
                  .body.at("error")
                  .at("code"),
              "extent_mismatch");
    EXPECT_EQ(
        ask("POST", "/v1/map", {{"function", "sine"}, {"inputs", {"A"}}, {"output", "C"}}).status,
        400);
    EXPECT_EQ(ask("POST", "/v1/reduce", {{"function", "dot"}, {"inputs", {"A"}}}).status, 400);
    EXPECT_EQ(ask("GET", "/v1/tensors/A?colour=1").status, 400);
    const auto method = send("PUT", "/v1/tensors");
    EXPECT_EQ((*method)->status, 405);
    EXPECT_EQ((*method)->headers.at(0),
              (std::pair<std::string, std::string>("Allow", "GET, POST")));
    EXPECT_TRUE(commands_.empty());
    EXPECT_EQ(ask("GET", "/v1/tensors").body.at("tensors").size(), 2U);
}

TEST_F(Service, RunsProgramsOfEquations) {
    start(byte_count{100000000});
    create("A", {6, 4});
    create("small", {5});
    const json asked = {{"program", "index i: row\nindex a: column\ninput A[i,a], s\n"
                                    "output R[i], n\nR[i] = s*A[i,a]*A[i,a]\nn = R[i]*R[i]\n"},
                        {"inputs", {{"s", 2}}},
                        {"outputs", {{"R", "B"}}}};
    commands_.clear();
    const answered told = ask("POST", "/v1/programs/explain", asked);
    EXPECT_EQ(told.status, 200) << told.body;
    EXPECT_EQ(told.body.at("lines").size(), 2U);
    EXPECT_GT(told.body.at("peak_bytes_per_rank"), 0);
    EXPECT_TRUE(commands_.empty());
    const answered made = ask("POST", "/v1/programs", asked);
    EXPECT_EQ(made.status, 200) << made.body;
    const json tensor = made.body.at("job").at("result").at("tensors").at("B");
    EXPECT_EQ(tensor.at("extents"), json{6});
    const json &work = commands_.back().work;
    EXPECT_EQ(work.at("sizes"), (json{{"row", 6}, {"column", 4}}));
    EXPECT_EQ(work.at("outputs")[0].at("id"), tensor.at("generation"));
    EXPECT_EQ(ask("GET", "/v1/tensors/B").status, 200);
    json wrong = asked;
    wrong["inputs"]["s"] = nullptr;
    EXPECT_EQ(ask("POST", "/v1/programs", wrong).status, 400);
    wrong["inputs"] = {{"s", 2}, {"A", "small"}};
    EXPECT_EQ(ask("POST", "/v1/programs", wrong).body.at("error").at("code"), "order_mismatch");
    wrong = asked;
    wrong["sizes"] = {{"row", 7}};
    EXPECT_EQ(ask("POST", "/v1/programs", wrong).body.at("error").at("label"), "row");
    wrong = asked;
    wrong["program"] = "index i: row\noutput V[i]\nV[i] = 0\n";
    wrong["outputs"] = {{"V", "B"}};
    wrong.erase("inputs");
    EXPECT_EQ(ask("POST", "/v1/programs", wrong).body.at("error").at("code"), "invalid_argument");
    wrong["sizes"] = {{"row", 1000000000}};
    const answered large = ask("POST", "/v1/programs", wrong);
    EXPECT_EQ(large.status, 507);
    EXPECT_GT(large.body.at("error").at("least"), 1000000000);
    EXPECT_EQ(ask("GET", "/v1/tensors/B").body.at("tensor"), tensor);
    EXPECT_EQ(ask("GET", "/v1").body.at("memory").at("resident_per_rank"),
              (3 * 4 + 3 + 3) * 8); // the largest blocks of A, small and B
}

/// Such a value was copied by recursion, which took more than the thread's stack.
TEST_F(Service, RefusesBodiesThatAreNestedDeeply) {
    start(byte_count{100000000});
    create("A", {4});
    const std::string open(200000, '['), close(200000, ']');
    const auto answer =
        send("POST", "/v1/map",
             R"({"function": "denominators", "inputs": ["A"], "output": "B", "energies": )" + open +
                 close + "}");
    ASSERT_TRUE(answer->has_value());
    EXPECT_EQ((*answer)->status, 400);
}

TEST_F(Service, RefusesToDropPartsOfComplexNumbers) {
    create("A", {4});
    const json complex = {1, 2};
    EXPECT_EQ(ask("POST", "/v1/tensors/A/fill", {{"fill", {{"value", complex}}}})
                  .body.at("error")
                  .at("code"),
              "type_mismatch");
    const auto scale = [&](const json &input, const json &factor) {
        return ask("POST", "/v1/map",
                   {{"function", "scale"},
                    {"inputs", json::array({input})},
                    {"output", "B"},
                    {"factor", factor}});
    };
    EXPECT_EQ(scale("A", complex).body.at("error").at("code"), "type_mismatch");
    EXPECT_EQ(scale("A", {2, 0}).status, 200);
    EXPECT_EQ(scale({{"name", "A"}, {"conj", true}}, 2).status, 400);
    EXPECT_EQ(ask("POST", "/v1/contract",
                  {{"expression", "i=i"}, {"inputs", {"A"}}, {"output", "B"}, {"alpha", complex}})
                  .status,
              400);
}

TEST_F(Service, KeepsUsersApart) {
    create("A", {2});
    token_.swap(other_token_);
    EXPECT_EQ(ask("GET", "/v1/tensors/A").status, 404);
    EXPECT_EQ(ask("DELETE", "/v1/tensors/A").status, 404);
    EXPECT_EQ(ask("GET", "/v1/jobs/j1").status, 404);
    EXPECT_EQ(ask("DELETE", "/v1/jobs/j1").status, 404);
    EXPECT_EQ(ask("GET", "/v1/jobs").body.at("jobs").size(), 0U);
    token_ = "wrong";
    for (const char *path : {"/v1", "/v1/tensors", "/metrics", "/v1/jobs/j1"})
        EXPECT_EQ((*send("GET", path))->status, 401) << path;
    EXPECT_EQ((*send("GET", "/healthz"))->status, 200);
    // Strangers are not told which paths there are, either.
    EXPECT_EQ((*send("GET", "/v1/none"))->status, 401);
    EXPECT_EQ((*send("PUT", "/v1/tensors"))->status, 401);
}

/// Another user's jobs do not make the server forget this one's, nor their keys.
TEST_F(Service, RemembersJobsOfEachUser) {
    key_ = "k";
    create("A", {2});
    key_.clear();
    token_.swap(other_token_);
    create("B", {2});
    for (int i = 0; i < 1000; ++i)
        ask("POST", "/v1/reduce", {{"function", "sum"}, {"inputs", {"B"}}});
    EXPECT_EQ(ask("GET", "/v1/jobs").body.at("jobs").size(), 1000U);
    for (const char *wrong : {"j2", "j01", "j", "1", "j-1", "j99999999999999999999999"})
        EXPECT_EQ(ask("GET", "/v1/jobs/" + std::string(wrong)).status, 404) << wrong;
    token_.swap(other_token_);
    EXPECT_EQ(ask("GET", "/v1/jobs/j1").status, 200);
    key_ = "k";
    EXPECT_EQ(create("A", {2}).body.at("job").at("id"), "j1");
}

/// Two clients make a tensor of one name, and neither job has run yet.
TEST_F(Service, ReplacesNoTensorThatWasMadeMeanwhile) {
    const auto first = send("POST", "/v1/tensors", R"({"name": "A", "extents": [2]})");
    const auto second = send("POST", "/v1/tensors", R"({"name": "A", "extents": [3]})");
    work();
    EXPECT_EQ((*first)->status, 200);
    EXPECT_EQ((*second)->status, 409);
    EXPECT_EQ(ask("GET", "/v1/tensors/A").body.at("tensor").at("extents"), json{2});
}

TEST_F(Service, LimitsTheTensorsOfAUser) {
    start(byte_count{1000000}, 2);
    create("A", {0});
    create("B", {0});
    const answered refused = create("C", {0});
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(refused.body.at("error").at("code"), "too_many_tensors");
    EXPECT_EQ(ask("POST", "/v1/tensors/A/fill", {{"fill", {{"value", 1}}}}).status, 200);
    EXPECT_EQ(ask("DELETE", "/v1/tensors/B").status, 200);
    EXPECT_EQ(create("C", {0}).status, 200);
}

TEST_F(Service, RefusesStaleGenerations) {
    const json id = create("A", {2}).body.at("job").at("result").at("tensor").at("generation");
    const std::string path = "/v1/tensors/A?generation=" + id.dump();
    EXPECT_EQ(ask("GET", path).status, 200);
    ask("POST", "/v1/tensors/A/fill", {{"fill", {{"value", 1}}}});
    EXPECT_EQ(ask("GET", path).status, 409);
    EXPECT_EQ(ask("DELETE", path).status, 409);
    const json stale = {{"name", "A"}, {"generation", id}};
    EXPECT_EQ(ask("POST", "/v1/reduce", {{"function", "sum"}, {"inputs", json::array({stale})}})
                  .body.at("error")
                  .at("code"),
              "stale");
}

TEST_F(Service, AdmitsWhatFitsAndSaysWhatWouldDo) {
    start(byte_count{10000});
    EXPECT_EQ(create("A", {2, 1000}).status, 200); // 8000 bytes on each of two ranks
    const answered refused = create("B", {2, 300});
    EXPECT_EQ(refused.status, 507);
    const json error = refused.body.at("error");
    EXPECT_EQ(error.at("least"), 8000 + 2400);
    EXPECT_EQ(error.at("limit"), 10000);
    EXPECT_EQ(error.at("tensors").at(0).at("name"), "A");
    EXPECT_EQ(create("B", {2, 250}).status, 200);
    EXPECT_EQ(ask("DELETE", "/v1/tensors/A").status, 200);
    service_->next(); // drops it
    EXPECT_EQ(create("C", {2, 300}).status, 200);

    // A contraction's intermediates and buffers count: /v1/explain says how much.
    const json request = {{"expression", "ab=ai*bi"}, {"inputs", {"C", "C"}}, {"output", "D"}};
    const answered plan = ask("POST", "/v1/explain", request);
    ASSERT_EQ(plan.status, 200) << plan.body;
    const index_t peak = plan.body.at("peak_bytes_per_rank");
    const index_t others = 2000 + 2400; // B and C
    EXPECT_EQ(plan.body.at("available_bytes_per_rank"), 10000 - others + 2400);
    EXPECT_EQ(ask("POST", "/v1/contract", request).status, peak <= 10000 - 2000 ? 200 : 507);
}

TEST_F(Service, AnswersBeforeTheEndAndLater) {
    const auto answer = send("POST", "/v1/tensors?wait=0", R"({"name": "A", "extents": [2]})");
    ASSERT_TRUE(answer->has_value());
    EXPECT_EQ((*answer)->status, 202);
    const auto waits = send("GET", "/v1/jobs/j1?wait=60");
    EXPECT_FALSE(waits->has_value());
    service_->tick();
    EXPECT_FALSE(waits->has_value());
    work();
    ASSERT_TRUE(waits->has_value());
    EXPECT_EQ(json::parse(*(*waits)->body).at("job").at("state"), "done");

    const auto brief = send("POST", "/v1/tensors/A/fill?wait=0.001", R"({"fill": {"value": 1}})");
    EXPECT_FALSE(brief->has_value());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    service_->tick();
    ASSERT_TRUE(brief->has_value());
    EXPECT_EQ((*brief)->status, 202);
}

TEST_F(Service, RunsNothingTwiceForOneKey) {
    key_ = "k1";
    const json request = {{"name", "A"}, {"extents", {2}}};
    const auto first = send("POST", "/v1/tensors?wait=0", request.dump());
    const auto again = send("POST", "/v1/tensors?wait=0", request.dump());
    EXPECT_EQ(json::parse(*(*first)->body).at("job").at("id"),
              json::parse(*(*again)->body).at("job").at("id"));
    const auto other = send("POST", "/v1/tensors?wait=0", R"({"name": "B", "extents": [2]})");
    EXPECT_EQ((*other)->status, 422);
    key_.clear();
    work();
    EXPECT_EQ(commands_.size(), 1U);
}

TEST_F(Service, CancelsJobsThatWaitAndThatRun) {
    send("POST", "/v1/tensors?wait=0", R"({"name": "A", "extents": [2]})");
    send("POST", "/v1/tensors?wait=0", R"({"name": "B", "extents": [2]})");
    const service::task running = service_->next();
    const auto waits = send("GET", "/v1/jobs/j2?wait=60");
    EXPECT_EQ((*send("DELETE", "/v1/jobs/j2"))->status, 200);
    ASSERT_TRUE(waits->has_value());
    EXPECT_EQ(json::parse(*(*waits)->body).at("job").at("state"), "cancelled");
    EXPECT_EQ((*send("DELETE", "/v1/jobs/j1"))->status, 200);
    EXPECT_TRUE(running.job->stop.stop_requested());
    service_->finish(running.job, nullptr, as_refusal(error(errc::stopped, "stopped")));
    EXPECT_EQ(json::parse(*(*send("GET", "/v1/jobs/j1"))->body).at("job").at("state"), "cancelled");
    EXPECT_EQ(json::parse(*(*send("GET", "/v1/tensors"))->body).at("tensors").size(), 0U);
}

/// Two jobs add to one tensor: the second one, which was planned with the same C, is not run.
TEST_F(Service, LosesNoUpdate) {
    create("A", {2});
    create("C", {2});
    const std::string request = R"({"expression": "i+=i", "inputs": ["A"], "output": "C"})";
    const auto first = send("POST", "/v1/contract", request);
    const auto second = send("POST", "/v1/contract", request);
    commands_.clear();
    work();
    EXPECT_EQ((*first)->status, 200);
    EXPECT_EQ((*second)->status, 409);
    int contractions = 0;
    for (const command &one : commands_)
        contractions += one.work.is_null() ? 0 : 1;
    EXPECT_EQ(contractions, 1);
}

TEST_F(Service, ChecksUploadsBeforeRanksHearOfThem) {
    start(byte_count{10000});
    request_head large = head("PUT", "/v1/tensors/A/data", 20000);
    EXPECT_THROW(service_->accept(large), refusal);
    const auto wrong_size =
        send("PUT", "/v1/tensors/A/data?format=raw&type=f64&extents=2,2", std::string(31, '\0'));
    EXPECT_EQ((*wrong_size)->status, 400);
    for (const char *query :
         {"format=raw", "format=raw&type=f64&extents=2,", "format=raw&type=f64&extents=-1",
          "format=raw&type=i8&extents=1", "format=xml", "format=npy&extents=1", ""})
        EXPECT_EQ((*send("PUT", std::string("/v1/tensors/A/data?") + query, "12345678"))->status,
                  400)
            << query;
    EXPECT_EQ((*send("GET", "/v1"))->body->find("\"bodies\":0") == std::string::npos, false);
    const auto fine =
        send("PUT", "/v1/tensors/A/data?format=raw&type=f64&extents=2,2", std::string(32, '\0'));
    const service::task now = service_->next();
    EXPECT_EQ(now.job->plan.body->size(), 32U);
    EXPECT_NE((*send("GET", "/v1"))->body->find("\"bodies\":32"), std::string::npos);
    service_->finish(now.job, json::object(), std::nullopt);
    EXPECT_EQ((*fine)->status, 200);
    EXPECT_NE((*send("GET", "/v1"))->body->find("\"bodies\":0"), std::string::npos);

    const auto data = send("GET", "/v1/tensors/A/data?format=raw");
    const service::task reading = service_->next();
    *reading.job->download = std::string(32, 'x');
    service_->finish(reading.job, json::object(), std::nullopt);
    ASSERT_TRUE(data->has_value());
    EXPECT_EQ(*(*data)->body, std::string(32, 'x'));
    EXPECT_NE((*send("GET", "/v1"))->body->find("\"bodies\":32"), std::string::npos);
    data->reset(); // written
    EXPECT_NE((*send("GET", "/v1"))->body->find("\"bodies\":0"), std::string::npos);
}

TEST_F(Service, LimitsWhatAUserMayQueue) {
    int status = 0;
    start(byte_count{1000000}, 1000);
    for (int i = 0; i < 300 && status != 429; ++i)
        status = (*send("POST", "/v1/tensors?wait=0",
                        json{{"name", "t" + std::to_string(i)}, {"extents", {1}}}.dump()))
                     ->status;
    EXPECT_EQ(status, 429);
    EXPECT_EQ(json::parse(*(*send("GET", "/v1"))->body).at("jobs_waiting"), 256);
}

TEST_F(Service, EndsJobsWhenItStops) {
    send("POST", "/v1/tensors?wait=0", R"({"name": "A", "extents": [2]})");
    const auto waits = send("POST", "/v1/tensors", R"({"name": "B", "extents": [2]})");
    service_->stop();
    EXPECT_TRUE(service_->next().what.stop);
    ASSERT_TRUE(waits->has_value());
    EXPECT_EQ((*waits)->status, 503);
    EXPECT_EQ((*send("POST", "/v1/tensors", R"({"name": "C", "extents": [2]})"))->status, 503);
}

TEST_F(Service, CountsJobsForPrometheus) {
    create("A", {2});
    const std::string text = *(*send("GET", "/metrics"))->body;
    for (const char *line :
         {"tenfold_jobs_total{kind=\"create\",result=\"done\"} 1\n",
          "tenfold_memory_resident_bytes{rank=\"1\"} 8\n", "# TYPE tenfold_jobs_waiting gauge\n",
          "tenfold_job_queue_seconds_total{kind=\"create\",result=\"done\"} ",
          "tenfold_job_received_bytes_total{kind=\"create\",result=\"done\"} 0\n"})
        EXPECT_NE(text.find(line), std::string::npos) << line;
}

} // namespace
} // namespace tenfold::server
