// Tensors that users share: who may do what with them, what remains of shares, and whose quota
// counts.
#include <algorithm>

#include "server/service_fixture.hpp"

namespace tenfold::server {
namespace {

/// ada shares, bob uses.
class Sharing : public Service {
protected:
    static std::string code(const answered &got) {
        return got.body.contains("error") ? got.body.at("error").at("code").get<std::string>() : "";
    }
    /// Requests of bob about ada's tensor, which has the extents 4, 3.
    struct attempt {
        std::string method, target, body;
    };
    static std::vector<attempt> reads(const std::string &name) {
        const std::string path = "/v1/tensors/" + name, quoted = "\"" + name + "\"";
        return {
            {"GET", path, ""},
            {"GET", path + "/data?format=raw", ""},
            {"GET", path + "/data?slice=0:1,:", ""},
            {"POST", "/v1/reduce", R"({"function": "sum", "inputs": [)" + quoted + "]}"},
            {"POST", "/v1/map",
             R"({"function": "exp", "inputs": [)" + quoted + R"(], "output": "mine"})"},
            {"POST", "/v1/contract",
             R"({"expression": "i=ij", "inputs": [)" + quoted + R"(], "output": "mine"})"},
            {"POST", "/v1/explain",
             R"({"expression": "i=ij", "inputs": [{"name": )" + quoted + "}]}"},
            {"POST", "/v1/programs",
             R"({"program": "index i: r\nindex a: c\ninput A[i,a]\noutput n\nn = A[i,a]*A[i,a]\n",)"
             R"( "inputs": {"A": )" +
                 quoted + "}}"}};
    }
    static std::vector<attempt> writes(const std::string &name) {
        const std::string path = "/v1/tensors/" + name, quoted = "\"" + name + "\"";
        return {{"POST", path + "/fill", R"({"fill": {"value": 2}})"},
                {"PUT", path + "/data?format=raw&type=f64&extents=4,3", std::string(96, '\0')},
                {"PUT", path + "/data?format=raw&slice=0:1,:", std::string(24, '\0')},
                {"POST", "/v1/map",
                 R"({"function": "exp", "inputs": ["own"], "output": )" + quoted + "}"},
                {"POST", "/v1/contract",
                 R"({"expression": "ij+=ij", "inputs": ["own"], "output": )" + quoted + "}"},
                {"POST", "/v1/contract",
                 R"({"expression": "ij=ij", "inputs": ["own"], "output": )" + quoted + "}"}};
    }
    static std::vector<attempt> owns(const std::string &name) {
        const std::string path = "/v1/tensors/" + name;
        return {{"PATCH", path, R"({"name": "taken"})"},
                {"PATCH", path, R"({"time_to_live": 1})"},
                {"POST", path + "/shares", R"({"user": "bob", "access": "write"})"},
                {"DELETE", path + "/shares?user=ada", ""},
                {"DELETE", path, ""}};
    }
    void expect(const std::vector<attempt> &all, int status) {
        for (const attempt &one : all)
            EXPECT_EQ(status_for_bob(one.method, one.target, one.body), status)
                << one.method << " " << one.target << " " << one.body;
    }
};

TEST_F(Sharing, EveryRequestAsksForTheRight) {
    start(byte_count{100000000});
    create("A", {4, 3});
    as_bob("POST", "/v1/tensors", {{"name", "own"}, {"extents", {4, 3}}});
    // As if it were not there: the answers for a name that nobody has are the same, but for it.
    for (const auto &[real, none] :
         {std::pair(reads("ada:A"), reads("ada:N")), std::pair(writes("ada:A"), writes("ada:N")),
          std::pair(owns("ada:A"), owns("ada:N"))})
        for (std::size_t i = 0; i < real.size(); ++i) {
            const auto one = send_as_bob(real[i].method, real[i].target, real[i].body);
            const auto other = send_as_bob(none[i].method, none[i].target, none[i].body);
            ASSERT_TRUE(one->has_value() && other->has_value()) << real[i].target;
            EXPECT_EQ((*one)->status, 404) << real[i].method << " " << real[i].target;
            std::string text = *(*one)->body;
            for (std::size_t at = text.find("ada:A"); at != std::string::npos;
                 at = text.find("ada:A"))
                text.replace(at, 5, "ada:N");
            EXPECT_EQ(text, *(*other)->body);
        }
    EXPECT_EQ(as_bob("POST", "/v1/tensors", {{"name", "ada:A"}, {"extents", {1}}}).status, 404);
    EXPECT_EQ(as_bob("POST", "/v1/tensors", {{"name", "ada:N"}, {"extents", {1}}}).status, 404);

    share("A", "read");
    expect(reads("ada:A"), 200);
    expect(writes("ada:A"), 403);
    expect(owns("ada:A"), 403);
    const answered refused = as_bob("POST", "/v1/tensors/ada:A/fill", {{"fill", {{"value", 1}}}});
    EXPECT_EQ(code(refused), "forbidden");
    EXPECT_EQ(refused.body.at("error").at("name"), "ada:A");
    EXPECT_EQ(refused.body.at("error").at("access"), "read");
    EXPECT_EQ(refused.body.at("error").at("needed"), "write");
    EXPECT_EQ(as_bob("POST", "/v1/tensors", {{"name", "ada:A"}, {"extents", {1}}}).status, 403);

    share("A", "write");
    expect(reads("ada:A"), 200);
    expect(writes("ada:A"), 200);
    expect(owns("ada:A"), 403);
    EXPECT_EQ(code(as_bob("POST", "/v1/tensors", {{"name", "ada:A"}, {"extents", {1}}})), "exists");
    EXPECT_EQ(as_bob("POST", "/v1/tensors", {{"name", "ada:N"}, {"extents", {1}}}).status, 404);
    // The owner may name her tensor in full, too.
    EXPECT_EQ(ask("GET", "/v1/tensors/ada:A").body, ask("GET", "/v1/tensors/A").body);
    EXPECT_EQ(ask("GET", "/v1/tensors").body.at("tensors").size(), 1U);
    EXPECT_EQ(as_bob("GET", "/v1/tensors").body.at("tensors").size(), 3U); // own, mine, ada:A
}

TEST_F(Sharing, IsToldToThoseConcerned) {
    create("A", {4});
    EXPECT_EQ(ask("GET", "/v1/tensors/A").body.at("tensor").at("shares"), json::object());
    share("A", "read");
    const json own = ask("GET", "/v1/tensors/A").body.at("tensor");
    EXPECT_EQ(own.at("name"), "A");
    EXPECT_EQ(own.at("access"), "own");
    EXPECT_EQ(own.at("shares"), (json{{"bob", "read"}}));
    const json seen = as_bob("GET", "/v1/tensors").body.at("tensors").at(0);
    EXPECT_EQ(seen.at("name"), "ada:A");
    EXPECT_EQ(seen.at("owner"), "ada");
    EXPECT_EQ(seen.at("access"), "read");
    EXPECT_FALSE(seen.contains("shares"));
    const std::string path = "/v1/tensors/ada:A?generation=";
    EXPECT_EQ(as_bob("GET", path + seen.at("generation").dump()).status, 200);
    EXPECT_EQ(code(as_bob("GET", path + "99")), "stale");
    // Jobs, and what they say is wrong, name tensors as who asks does.
    as_bob("POST", "/v1/tensors", {{"name", "A"}, {"extents", {3}}});
    const answered both = as_bob(
        "POST", "/v1/map", {{"function", "add"}, {"inputs", {"A", "ada:A"}}, {"output", "B"}});
    EXPECT_EQ(both.body.at("error").at("message"), "'A' and 'ada:A' have different extents");
    const json job =
        as_bob("POST", "/v1/reduce", {{"function", "sum"}, {"inputs", {"ada:A"}}}).body.at("job");
    EXPECT_EQ(job.at("inputs"), json{"ada:A"});
    EXPECT_EQ(ask("GET", "/v1/jobs/" + job.at("id").get<std::string>()).status, 404);
    // The audit's line says with whom.
    const auto answer =
        send("POST", "/v1/tensors/A/shares", R"({"user": "bob", "access": "write"})");
    EXPECT_EQ((*answer)->audit, (json{{"users", {"bob"}}, {"access", "write"}}));
}

TEST_F(Sharing, IsRefused) {
    create("A", {4});
    const auto post = [&](const json &body) { return ask("POST", "/v1/tensors/A/shares", body); };
    EXPECT_EQ(code(post({{"user", "carol"}, {"access", "read"}})), "no_user");
    for (const json &wrong :
         {json{{"user", "bob"}, {"access", "own"}}, json{{"user", "bob"}, {"access", "none"}},
          json{{"user", "ada"}, {"access", "read"}}, json{{"user", "bob"}},
          json{{"user", "bob"}, {"access", "read"}, {"more", 1}}})
        EXPECT_EQ(post(wrong).status, 400) << wrong;
    EXPECT_EQ(ask("POST", "/v1/tensors/N/shares", {{"user", "bob"}, {"access", "read"}}).status,
              404);
    EXPECT_EQ(
        ask("POST", "/v1/tensors/A/shares?generation=99", {{"user", "bob"}, {"access", "read"}})
            .status,
        409);
    EXPECT_EQ(ask("DELETE", "/v1/tensors/A/shares?users=bob").status, 400);
    EXPECT_EQ(ask("PATCH", "/v1/tensors/A", {{"name", "bob:A"}}).status, 400);
    EXPECT_EQ(as_bob("GET", "/v1/tensors/ada:A").status, 404);
    // A program's outputs are one's own.
    start(byte_count{100000000});
    create("A", {4});
    share("A", "write");
    const json program = {{"program", "index i: r\noutput V[i]\nV[i] = 0\n"},
                          {"sizes", {{"r", 4}}},
                          {"outputs", {{"V", "ada:A"}}}};
    EXPECT_EQ(as_bob("POST", "/v1/programs", program).status, 400);
}

TEST_F(Sharing, EndsWhenItIsTakenBackOrDeclined) {
    create("A", {4});
    share("A", "write");
    EXPECT_EQ(ask("DELETE", "/v1/tensors/A/shares?user=bob").body.at("tensor").at("shares"),
              json::object());
    EXPECT_EQ(as_bob("GET", "/v1/tensors/ada:A").status, 404);
    EXPECT_EQ(as_bob("GET", "/v1/tensors").body.at("tensors").size(), 0U);
    EXPECT_EQ(ask("DELETE", "/v1/tensors/A/shares?user=bob").status, 200); // again
    share("A", "read");
    EXPECT_EQ(ask("DELETE", "/v1/tensors/A/shares").status, 200); // all
    EXPECT_EQ(as_bob("GET", "/v1/tensors/ada:A").status, 404);
    share("A", "read");
    EXPECT_EQ(as_bob("DELETE", "/v1/tensors/ada:A/shares").body.at("tensor").at("access"), "none");
    EXPECT_EQ(as_bob("DELETE", "/v1/tensors/ada:A/shares").status, 404);
    EXPECT_EQ(ask("GET", "/v1/tensors/A").body.at("tensor").at("shares"), json::object());
}

TEST_F(Sharing, StaysWithTheNameUntilItIsDeleted) {
    create("A", {4});
    share("A", "write");
    ask("POST", "/v1/tensors/A/fill", {{"fill", {{"value", 2}}}});
    const json tensor = as_bob("POST", "/v1/tensors/ada:A/fill", {{"fill", {{"value", 3}}}})
                            .body.at("job")
                            .at("result")
                            .at("tensor");
    EXPECT_EQ(tensor.at("name"), "ada:A");
    EXPECT_EQ(tensor.at("access"), "write");
    EXPECT_EQ(
        status_for_bob("PUT", "/v1/tensors/ada:A/data?format=raw&slice=0:1", std::string(8, '\0')),
        200);
    const json own = ask("GET", "/v1/tensors/A").body.at("tensor");
    EXPECT_GT(own.at("generation"), tensor.at("generation"));
    EXPECT_EQ(own.at("owner"), "ada");
    EXPECT_EQ(own.at("shares"), (json{{"bob", "write"}}));
    ask("PATCH", "/v1/tensors/A", {{"name", "B"}});
    EXPECT_EQ(as_bob("GET", "/v1/tensors/ada:A").status, 404);
    EXPECT_EQ(as_bob("GET", "/v1/tensors/ada:B").status, 200);
    ask("DELETE", "/v1/tensors/B");
    create("B", {4});
    EXPECT_EQ(as_bob("GET", "/v1/tensors/ada:B").status, 404);
}

/// What the owner takes back or away while a job of another user's waits or runs.
TEST_F(Sharing, IsAskedForAgainBeforeAResultTakesTheName) {
    create("A", {4});
    const std::string fill = R"({"fill": {"value": 2}})";
    const auto generation = [&] {
        return ask("GET", "/v1/tensors/A").body.at("tensor").at("generation");
    };
    const json before = generation();
    for (const bool runs : {false, true}) {
        share("A", "write");
        const auto writes = send_as_bob("POST", "/v1/tensors/ada:A/fill", fill);
        const auto reads =
            send_as_bob("POST", "/v1/reduce", R"({"function": "sum", "inputs": ["ada:A"]})");
        const service::task now = runs ? service_->next() : service::task{};
        send("DELETE", "/v1/tensors/A/shares?user=bob");
        if (now.job)
            service_->finish(now.job, json::object(), std::nullopt);
        work();
        EXPECT_EQ((*writes)->status, 404) << runs;
        EXPECT_EQ((*reads)->status, 200) << runs;
        EXPECT_EQ(generation(), before) << runs;
    }
    // A job does not bring a tensor back that was deleted, nor replace another one of its name.
    share("A", "write");
    const auto late = send_as_bob("PUT", "/v1/tensors/ada:A/data?format=raw&type=f64&extents=2",
                                  std::string(16, '\0'));
    const service::task now = service_->next();
    ASSERT_TRUE(now.job);
    EXPECT_EQ((*send("DELETE", "/v1/tensors/A"))->status, 200);
    service_->finish(now.job, json::object(), std::nullopt);
    EXPECT_EQ((*late)->status, 404);
    EXPECT_EQ(ask("GET", "/v1/tensors").body.at("tensors").size(), 0U);
    service_->next(); // drops them
    EXPECT_EQ(ask("GET", "/v1").body.at("memory").at("resident_per_rank"), 0);
}

TEST_F(Sharing, CountsForTheOwnersQuota) {
    start(byte_count{1000000}, 100, byte_count{1000});
    const auto used = [](const answered &about) {
        return about.body.at("memory").at("own_per_rank");
    };
    create("A", {2, 50}); // 400 bytes on each of two ranks
    create("secret", {2, 50});
    share("A", "write");
    EXPECT_EQ(used(as_bob("GET", "/v1")), 0);
    EXPECT_EQ(status_for_bob("PUT", "/v1/tensors/ada:A/data?format=raw&type=f64&extents=2,25",
                             std::string(400, '\0')),
              200);
    service_->next(); // drops the former one
    EXPECT_EQ(used(ask("GET", "/v1")), 600);
    EXPECT_EQ(used(as_bob("GET", "/v1")), 0);
    const auto answer = send_as_bob(
        "PUT", "/v1/tensors/ada:A/data?format=raw&type=f64&extents=2,60", std::string(960, '\0'));
    ASSERT_TRUE(answer->has_value());
    EXPECT_EQ((*answer)->status, 507);
    const json told = json::parse(*(*answer)->body).at("error");
    EXPECT_EQ(told.at("code"), "quota_exceeded");
    EXPECT_EQ(told.at("least"), 600 + 480);
    EXPECT_FALSE(told.contains("tensors"));
    // A slice is written in place, and one that fails gives back what it took.
    EXPECT_EQ(status_for_bob("PUT", "/v1/tensors/ada:A/data?format=raw&slice=:,0:1",
                             std::string(16, '\0')),
              200);
    EXPECT_EQ(used(ask("GET", "/v1")), 600);
    send_as_bob("POST", "/v1/tensors/ada:A/fill", R"({"fill": {"value": 2}})");
    const service::task now = service_->next();
    ASSERT_TRUE(now.job);
    service_->finish(now.job, nullptr, as_refusal(error(errc::out_of_memory, "no")));
    EXPECT_EQ(used(ask("GET", "/v1")), 600);
}

TEST_F(Sharing, IsSavedWithCheckpoints) {
    start_again(0);
    create("A", {4});
    share("A", "write");
    create("B", {4});
    service_->stop();
    const service::task last = service_->next();
    ASSERT_TRUE(last.job);
    const manifest saved = manifest::parse(*last.job->plan.body);
    service_->finish(last.job, json::object(), std::nullopt);
    start_again(1000);
    service_->restore(saved);
    EXPECT_EQ(ask("GET", "/v1/tensors/A").body.at("tensor").at("shares"), (json{{"bob", "write"}}));
    EXPECT_EQ(as_bob("GET", "/v1/tensors/ada:A").body.at("tensor").at("access"), "write");
    EXPECT_EQ(as_bob("GET", "/v1/tensors/ada:B").status, 404);
    EXPECT_EQ(as_bob("GET", "/v1/tensors").body.at("tensors").size(), 1U);
    // Only the owner brings it back.
    EXPECT_EQ(as_bob("POST", "/v1/tensors/ada:A/restore").status, 403);
    EXPECT_EQ(as_bob("POST", "/v1/tensors/ada:B/restore").status, 404);
    EXPECT_EQ(as_bob("GET", "/v1/checkpoint").body.at("tensors").size(), 0U);
    EXPECT_EQ(ask("POST", "/v1/tensors/ada:A/restore").status, 200);
    EXPECT_EQ(as_bob("GET", "/v1/tensors/ada:A").status, 200);
}

/// Names or ids, page by page.
TEST_F(Sharing, ListsComeInPages) {
    start(byte_count{100000000});
    for (const char *name : {"d", "a", "c", "b"})
        create(name, {2, 3});
    share("c", "read");
    share("a", "write");
    for (const char *name : {"z", "b"})
        as_bob("POST", "/v1/tensors", {{"name", name}, {"extents", {1}}});
    const auto walk = [&](const std::string &what, const std::string &how, const char *field) {
        std::vector<std::string> found;
        for (std::string after;;) {
            const answered got = as_bob("GET", "/v1/" + what + "?limit=2" + how + after);
            EXPECT_EQ(got.status, 200) << got.body;
            EXPECT_LE(got.body.at(what).size(), 2U);
            for (const json &one : got.body.at(what))
                found.push_back(one.at(field).get<std::string>());
            if (!got.body.contains("next"))
                return found;
            EXPECT_EQ(got.body.at("next"), found.back());
            after = "&after=" + found.back();
        }
    };
    EXPECT_EQ(walk("tensors", "", "name"), (std::vector<std::string>{"b", "z", "ada:a", "ada:c"}));
    const json whole = as_bob("GET", "/v1/tensors").body;
    EXPECT_EQ(whole.at("count"), 4);
    EXPECT_EQ(whole.at("bytes"), 2 * 8 + 2 * 6 * 8);
    EXPECT_FALSE(whole.contains("next"));
    // What was there need not be there any more.
    EXPECT_EQ(as_bob("GET", "/v1/tensors?after=c").body.at("tensors").at(0).at("name"), "z");
    EXPECT_EQ(as_bob("GET", "/v1/tensors?after=ada:b").body.at("tensors").size(), 1U);
    for (int i = 0; i < 3; ++i)
        as_bob("POST", "/v1/reduce", {{"function", "sum"}, {"inputs", {"z"}}});
    std::vector<std::string> jobs = walk("jobs", "", "id");
    EXPECT_EQ(jobs.size(), 5U);
    std::reverse(jobs.begin(), jobs.end());
    EXPECT_EQ(walk("jobs", "&order=newest", "id"), jobs);
    for (const char *wrong : {"tensors?limit=0", "tensors?limit=1001", "tensors?limit=x",
                              "tensors?order=newest", "jobs?after=1", "jobs?order=up"})
        EXPECT_EQ(status_for_bob("GET", std::string("/v1/") + wrong), 400) << wrong;
}

/// A client sends no body that is refused anyway.
TEST_F(Sharing, UploadsAreRefusedBeforeTheirBody) {
    start(byte_count{100000000});
    create("A", {4, 3});
    create("B", {4, 3});
    share("A", "read");
    const std::string raw = "/data?format=raw&type=f64&extents=4,3";
    const auto refused = [&](const std::string &target) {
        token_.swap(other_token_);
        const request_head asked = head("PUT", "/v1/tensors/" + target, 96);
        token_.swap(other_token_);
        try {
            service_->accept(asked);
        } catch (const refusal &problem) {
            return problem.status();
        }
        return 0;
    };
    EXPECT_EQ(refused("ada:A" + raw), 403);
    EXPECT_EQ(refused("ada:A/data?format=raw&slice=0:1,:"), 403);
    EXPECT_EQ(refused("ada:B" + raw), 404);
    EXPECT_EQ(refused("ada:B/data?slice=0:1,:"), 404);
    EXPECT_EQ(refused("C/data?slice=0:1,:"), 404);
    EXPECT_EQ(refused("C" + raw + "&generation=1"), 400);
    EXPECT_EQ(refused(".C" + raw), 400);
    EXPECT_EQ(refused("C/data?format=raw"), 400);
    EXPECT_EQ(refused("C" + raw + "&colour=1"), 400);
    EXPECT_EQ(refused("C" + raw), 0);
    share("A", "write");
    EXPECT_EQ(refused("ada:A" + raw), 0);
    EXPECT_EQ(refused("ada:A/data?slice=0:1,:&generation=99"), 409);
}

} // namespace
} // namespace tenfold::server
