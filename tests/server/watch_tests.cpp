// What people who watch see: events, memory, the page, and browsers that are logged in.
#include "apps/server/page/page_file.hpp"
#include "server/service_fixture.hpp"

namespace tenfold::server {
namespace {

TEST(Events, AreSentInTheirOrder) {
    event_stream events;
    int woken = 0;
    events.listen([&] { ++woken; });
    EXPECT_EQ(events.take().text, "");
    events.add("job", {{"id", "j1"}});
    events.keep_alive();
    events.finish();
    events.add("job", {{"id", "j2"}});
    EXPECT_EQ(woken, 1); // nobody waited for the others
    const event_stream::piece all = events.take();
    EXPECT_EQ(all.text, "event: job\ndata: {\"id\":\"j1\"}\n\n:\n\n");
    EXPECT_TRUE(all.is_last);
    EXPECT_FALSE(all.is_dropped);
}

TEST(Events, AreNotKeptForSlowReaders) {
    event_stream events;
    int woken = 0;
    events.listen([&] { ++woken; });
    events.take();
    for (int i = 0; i < 1000; ++i)
        events.add("job", std::string(1000, 'x'));
    EXPECT_EQ(woken, 2); // for the first one, and to be cut off
    EXPECT_TRUE(events.is_over());
    const event_stream::piece what = events.take();
    EXPECT_TRUE(what.is_dropped);
    EXPECT_TRUE(what.text.empty());

    event_stream left;
    left.listen([&] { ++woken; });
    left.take();
    left.abandon();
    left.add("job", 1);
    EXPECT_EQ(woken, 2);
}

class Watched : public Service {
protected:
    std::shared_ptr<event_stream> watch(const std::string &target) {
        const auto answer = send("GET", target);
        EXPECT_EQ((*answer)->status, 200) << *(*answer)->body;
        return (*answer)->events;
    }
    /// The jobs' states in what waits.
    static std::string states(event_stream &events) {
        std::string found, text = events.take().text;
        const std::string begin = "data: ";
        for (std::size_t at = text.find(begin); at != std::string::npos;
             at = text.find(begin, at + 1)) {
            const json data = json::parse(text.substr(at + 6, text.find('\n', at) - at - 6));
            if (data.contains("state"))
                found += data.at("state").get<std::string>() + " ";
        }
        return found;
    }
};

TEST_F(Watched, JobsTellWhatTheyDo) {
    const auto all = watch("/v1/events");
    const auto made = send("POST", "/v1/tensors?wait=0", R"({"name": "A", "extents": [2]})");
    const auto one = watch("/v1/jobs/j1/events");
    work();
    EXPECT_EQ(states(*all), "queued running done ");
    EXPECT_EQ(states(*one), "queued running done ");
    EXPECT_TRUE(one->is_over());
    EXPECT_FALSE(all->is_over());
    EXPECT_EQ(states(*watch("/v1/jobs/j1/events")), "done ");

    send("POST", "/v1/reduce?wait=0", R"({"function": "sum", "inputs": ["A"]})");
    const service::task now = service_->next();
    service_->tick();
    EXPECT_EQ(states(*all), "queued running ");
    now.job->done = 0.5;
    service_->tick();
    service_->tick();
    EXPECT_EQ(states(*all), "running ");
    EXPECT_EQ(states(*watch("/v1/events")), "running ");
    service_->finish(now.job, {}, std::nullopt);
    EXPECT_EQ(states(*all), "done ");
}

TEST_F(Watched, UsersSeeTheirOwnAlone) {
    const auto mine = watch("/v1/events");
    token_.swap(other_token_);
    const auto others = watch("/v1/events");
    create("B", {2});
    EXPECT_EQ((*send("GET", "/v1/jobs/j9/events"))->status, 404);
    service_->tick();
    EXPECT_EQ(states(*mine), "");
    const std::string text = others->take().text;
    EXPECT_NE(text.find("event: tensors"), std::string::npos);
    EXPECT_NE(text.find("event: memory"), std::string::npos);
    for (int i = 0; i < 31; ++i)
        watch("/v1/events");
    EXPECT_EQ((*send("GET", "/v1/events"))->status, 429);
    others->abandon();
    EXPECT_EQ((*send("GET", "/v1/events"))->status, 200);
    token_.swap(other_token_);
    EXPECT_EQ((*send("GET", "/v1/events"))->status, 200);
}

TEST_F(Watched, StreamsEndWithTheServer) {
    const auto all = watch("/v1/events");
    service_->stop();
    EXPECT_TRUE(service_->next().what.stop);
    EXPECT_TRUE(all->take().is_last);
    EXPECT_EQ((*send("GET", "/v1/events"))->status, 503);
}

TEST_F(Watched, MemoryIsSampled) {
    create("A", {1000});
    service_->tick();
    const json told = ask("GET", "/v1/memory").body;
    EXPECT_EQ(told.at("limit_per_rank"), 1000000);
    ASSERT_EQ(told.at("samples").size(), 1U);
    EXPECT_EQ(told.at("samples")[0].at("resident_per_rank"), (json{4000, 4000}));
    EXPECT_EQ(told.at("samples")[0].at("job_per_rank"), (json{0, 0}));
}

TEST_F(Watched, JobsSayWhatTheyWereAskedFor) {
    create("A", {4, 3});
    ask("POST", "/v1/contract", {{"expression", "i=ij"}, {"inputs", {"A"}}, {"output", "C"}});
    const json one = ask("GET", "/v1/jobs/j2").body.at("job");
    EXPECT_EQ(one.at("expression"), "i=ij");
    EXPECT_EQ(one.at("inputs"), json{"A"});
    EXPECT_EQ(one.at("output"), "C");
    EXPECT_FALSE(one.at("plan").get<std::string>().empty());
    EXPECT_FALSE(ask("GET", "/v1/jobs").body.at("jobs")[1].contains("plan"));
}

/// A browser at a service.
class Browser : public Service {
protected:
    struct visit {
        std::string method = "GET", target = "/v1", body = {}, origin = "http://localhost:1",
                    host = "localhost:1";
    };
    response go(const visit &what) {
        request_head sent{what.method, what.target, {}};
        sent.add("Host", what.host);
        if (!what.origin.empty())
            sent.add("Origin", what.origin);
        if (!cookie_.empty())
            sent.add("Cookie", "other=1; " + cookie_ + "; more=2");
        if (!secret_.empty())
            sent.add("X-Tenfold-Session", secret_);
        if (!what.body.empty()) {
            sent.add("Content-Length", std::to_string(what.body.size()));
            sent.add("Content-Type", "application/json");
        }
        std::optional<response> answer;
        try {
            service_->handle(service_->accept(sent), what.body,
                             [&](response made) { answer = std::move(made); });
        } catch (const refusal &problem) {
            answer = response::of(problem);
        }
        EXPECT_TRUE(answer.has_value());
        return answer.value_or(response{});
    }
    static std::string set_cookie(const response &answer) {
        for (const auto &[name, value] : answer.headers)
            if (name == "Set-Cookie")
                return value;
        return {};
    }
    void log_in() {
        const response answer =
            go({.method = "POST", .target = "/v1/session", .body = json{{"token", token_}}.dump()});
        ASSERT_EQ(answer.status, 200);
        const json told = json::parse(*answer.body);
        EXPECT_EQ(told.at("user"), "ada");
        secret_ = told.at("secret");
        const std::string set = set_cookie(answer);
        for (const char *part : {"HttpOnly", "SameSite=Strict", "Path=/"})
            EXPECT_NE(set.find(part), std::string::npos) << part;
        EXPECT_EQ(set.find(token_), std::string::npos);
        EXPECT_EQ(set.find(secret_), std::string::npos);
        cookie_ = set.substr(0, set.find(';'));
        EXPECT_EQ(cookie_.substr(0, 10), "tenfold_1=");
    }
    static constexpr const char *made = R"({"name": "A", "extents": [2]})";

    std::string cookie_, secret_;
};

TEST_F(Browser, LogsInAndOut) {
    EXPECT_EQ(go({}).status, 401);
    log_in();
    EXPECT_EQ(json::parse(*go({}).body).at("user"), "ada");
    EXPECT_EQ(go({.method = "POST", .target = "/v1/tensors?wait=0", .body = made}).status, 202);
    const response out = go({.method = "DELETE", .target = "/v1/session"});
    EXPECT_EQ(out.status, 200);
    EXPECT_NE(set_cookie(out).find("Max-Age=0"), std::string::npos);
    EXPECT_EQ(go({}).status, 401);
}

TEST_F(Browser, NeedsCookieSecretAndOrigin) {
    log_in();
    const std::string secret = std::exchange(secret_, "");
    EXPECT_EQ(go({}).status, 401);
    secret_ = std::string(64, '0');
    EXPECT_EQ(go({}).status, 401);
    secret_ = secret;
    const std::string cookie = std::exchange(cookie_, "tenfold_1=" + std::string(64, '0'));
    EXPECT_EQ(go({}).status, 401);
    cookie_.clear();
    EXPECT_EQ(go({}).status, 401);
    cookie_ = cookie;
    EXPECT_EQ(go({.origin = ""}).status, 200); // browsers send none with GET
    const visit change{.method = "POST", .target = "/v1/tensors?wait=0", .body = made};
    visit foreign = change;
    foreign.origin = "http://evil.example";
    EXPECT_EQ(go(foreign).status, 403);
    foreign.origin = "http://localhost:2"; // another server of this machine
    EXPECT_EQ(go(foreign).status, 403);
    foreign.origin = "";
    EXPECT_EQ(go(foreign).status, 403);
    foreign.origin = "http://evil.example";
    foreign.host = "evil.example"; // a name that was rebound
    EXPECT_EQ(go(foreign).status, 421);
    EXPECT_EQ(go(change).status, 202);
    // A token does without.
    EXPECT_EQ((*send("POST", "/v1/tensors?wait=0", R"({"name": "B", "extents": [2]})"))->status,
              202);
}

TEST_F(Browser, RefusesWrongTokens) {
    for (const std::string &wrong : {std::string(64, '0'), std::string(), token_ + " "}) {
        const response answer =
            go({.method = "POST", .target = "/v1/session", .body = json{{"token", wrong}}.dump()});
        EXPECT_EQ(answer.status, 401);
        EXPECT_EQ(set_cookie(answer), "");
        EXPECT_TRUE(wrong.empty() || answer.body->find(wrong) == std::string::npos);
    }
    EXPECT_EQ(
        go({.method = "POST", .target = "/v1/session", .body = std::string(5000, ' ')}).status,
        413);
}

TEST_F(Browser, SessionsEnd) {
    browser_sessions sessions;
    request_head first{"GET", "/v1", {}};
    first.add("Host", "cluster.example:7777");
    request_head visitor = first;
    const auto opened = sessions.open("ada", first, true);
    EXPECT_NE(opened.cookie.find("; Secure"), std::string::npos);
    visitor.add("Cookie", opened.cookie.substr(0, opened.cookie.find(';')));
    visitor.add("X-Tenfold-Session", opened.secret);
    const auto now = browser_sessions::clock::now();
    EXPECT_EQ(sessions.user_of(visitor, now), "ada");
    EXPECT_EQ(sessions.user_of(visitor, now + browser_sessions::life + std::chrono::seconds(1)),
              std::nullopt);
    for (std::size_t i = 0; i + 1 < browser_sessions::most; ++i)
        sessions.open("ada", first, true);
    sessions.open("bob", first, true);
    EXPECT_EQ(sessions.user_of(visitor, now), "ada");
    sessions.open("ada", first, true);
    EXPECT_EQ(sessions.user_of(visitor, now), std::nullopt);
}

TEST_F(Browser, GetsThePage) {
    const response page = go({.target = "/"});
    EXPECT_EQ(page.status, 200);
    EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
    std::string policy;
    for (const auto &[name, value] : page.headers)
        if (name == "Content-Security-Policy")
            policy = value;
    EXPECT_NE(policy.find("default-src 'none'"), std::string::npos);
    EXPECT_EQ(policy.find("unsafe"), std::string::npos);
    // Whatever the page names is there, and nothing is from elsewhere.
    for (const char *attribute : {"src=\"", "href=\""})
        for (std::size_t at = page.body->find(attribute); at != std::string::npos;
             at = page.body->find(attribute, at + 1)) {
            const std::size_t begin = page.body->find('"', at) + 1;
            const std::string target =
                page.body->substr(begin, page.body->find('"', begin) - begin);
            if (target.front() != '#') {
                EXPECT_EQ(go({.target = target}).status, 200) << target;
            }
        }
    EXPECT_EQ(page.body->find("style="), std::string::npos);
    EXPECT_EQ(page.body->find("<script>"), std::string::npos);
    EXPECT_EQ(go({.target = "/page/none.js"}).status, 404);
}

} // namespace
} // namespace tenfold::server
