// Tokens, hosts, routes, and the description of the interface.
#include <fstream>

#include <gtest/gtest.h>

#include "apps/server/access.hpp"
#include "apps/server/routes.hpp"

namespace tenfold::server {
namespace {

using nlohmann::json;

request_head head_of(std::initializer_list<std::pair<const char *, std::string>> headers) {
    request_head head{"GET", "/v1", {}};
    for (const auto &[name, value] : headers)
        head.add(name, value);
    return head;
}

/// The status with which `call` refuses; 0 if it does not.
template <class Call> int status_of(const Call &call) {
    try {
        call();
    } catch (const refusal &problem) {
        return problem.status();
    }
    return 0;
}

class Access : public ::testing::Test {
protected:
    void SetUp() override { initialise_cryptography(); }
};

TEST_F(Access, KnowsUsersByTheirTokens) {
    const std::string one = new_token(), other = new_token();
    EXPECT_EQ(one.size(), 64U);
    EXPECT_NE(one, other);
    token_list tokens;
    tokens.add("ada", hash_of(one));
    tokens.add_lines("# users\n\nbob " + to_hex(hash_of(other)) + "\n");
    EXPECT_EQ(tokens.user_of(one), "ada");
    EXPECT_EQ(tokens.user_of(other), "bob");
    EXPECT_EQ(tokens.user_of(""), std::nullopt);
    EXPECT_EQ(tokens.user_of(one.substr(1)), std::nullopt);
    EXPECT_EQ(tokens.user_of(to_hex(hash_of(one))), std::nullopt); // the hash is no token
    EXPECT_EQ(authenticate(head_of({{"Authorization", "Bearer " + one}}), tokens), "ada");
    for (const std::string &wrong : {"Bearer " + one + "0", "bearer" + one, one, std::string()})
        EXPECT_EQ(status_of([&] {
                      authenticate(head_of({{"Authorization", wrong}}), tokens);
                  }),
                  401);
    try {
        authenticate(head_of({{"Authorization", "Bearer secret"}}), tokens);
        FAIL();
    } catch (const refusal &problem) {
        EXPECT_EQ(problem.to_json().dump().find("secret"), std::string::npos);
    }
}

TEST_F(Access, NamesTheLineOfUsersThatIsWrong) {
    const std::string hash(64, 'a');
    for (const std::string &wrong :
         {std::string("ada"), "ada " + hash + "0", "ada " + hash + " more", "a/b " + hash,
          "ada " + hash.substr(2)}) {
        token_list tokens;
        try {
            tokens.add_lines("\n" + wrong + "\n");
            FAIL() << wrong;
        } catch (const std::runtime_error &problem) {
            EXPECT_EQ(std::string(problem.what()).rfind("line 2", 0), 0U);
        }
    }
}

TEST_F(Access, RefusesForeignHostsAndOrigins) {
    const host_rules rules({"Cluster.example"}, false);
    for (const char *host : {"127.0.0.1:80", "localhost:80", "[::1]:80", "192.168.0.1",
                             "cluster.example:7", "LOCALHOST", "Cluster.Example:7"})
        EXPECT_EQ(status_of([&] { rules.check(head_of({{"Host", host}})); }), 0) << host;
    for (const char *host : {"", "evil.example:80", "127.0.0.1.evil.example", "localhost.example",
                             "cluster.example.evil"})
        EXPECT_EQ(status_of([&] { rules.check(head_of({{"Host", host}})); }), 421) << host;
    const auto with_origin = [&](const char *origin) {
        return status_of([&] {
            rules.check(head_of({{"Host", "localhost:80"}, {"Origin", origin}}));
        });
    };
    EXPECT_EQ(with_origin("http://localhost:80"), 0);
    for (const char *origin :
         {"null", "", "http://localhost", "https://localhost:80", "http://evil.example"})
        EXPECT_EQ(with_origin(origin), 403) << origin;
}

TEST_F(Access, KnowsLoopbackAddresses) {
    for (const char *inside : {"127.0.0.1", "127.1.2.3", "::1"})
        EXPECT_TRUE(is_loopback(inside)) << inside;
    for (const char *outside : {"0.0.0.0", "10.0.0.1", "::", "fe80::1", "localhost", ""})
        EXPECT_FALSE(is_loopback(outside)) << outside;
}

TEST(Rates, AreThoseOfEachUser) {
    using namespace std::chrono_literals;
    const request_rates::clock::time_point start{};
    request_rates rates(5);
    const auto count_at = [&](const char *user, std::chrono::milliseconds when) {
        int count = 0;
        while (status_of([&] { rates.check(user, start + when); }) == 0)
            ++count;
        return count;
    };
    EXPECT_EQ(count_at("ada", 0ms), 10); // of two seconds
    EXPECT_EQ(count_at("ada", 100ms), 0);
    EXPECT_EQ(count_at("bob", 100ms), 10);
    EXPECT_EQ(count_at("ada", 450ms), 2);
    EXPECT_EQ(count_at("ada", 1h), 10);
    try {
        rates.check("ada", start + 1h);
        FAIL();
    } catch (const refusal &problem) {
        EXPECT_EQ(problem.status(), 429);
        EXPECT_DOUBLE_EQ(problem.to_json().at("retry_after").get<double>(), 0.2);
        EXPECT_EQ(response::of(problem).headers.at(0),
                  (std::pair<std::string, std::string>("Retry-After", "1")));
    }
    request_rates none(0);
    for (int i = 0; i < 100; ++i)
        none.check("ada", start);
}

TEST(Routes, AreFound) {
    const routed found = find_route("PUT", {"v1", "tensors", "A", "data"});
    EXPECT_EQ(found.found->what, operation::upload);
    EXPECT_EQ(found.parameter, "A");
    EXPECT_EQ(find_route("GET", {"v1"}).found->what, operation::about);
    EXPECT_EQ(find_route("GET", {}).found->what, operation::page);
    EXPECT_EQ(status_of([] { find_route("GET", {"page"}); }), 404);
    EXPECT_EQ(status_of([] { find_route("GET", {"v1", "tensors", "A", "other"}); }), 404);
    EXPECT_EQ(status_of([] { find_route("GET", {"v1", "tensors", "A", "data", "x"}); }), 404);
    EXPECT_EQ(status_of([] { find_route("DELETE", {"v1", "tensors"}); }), 405);
}

TEST(Routes, AreDescribed) {
    std::ifstream file(TENFOLD_OPENAPI);
    const json described = json::parse(file);
    std::size_t operations = 0;
    for (const auto &[path, methods] : described.at("paths").items())
        operations += methods.size();
    EXPECT_EQ(operations, all_routes().size());
    for (const route &one : all_routes()) {
        const std::string pattern(one.pattern);
        SCOPED_TRACE(std::string(one.method) + " " + pattern);
        std::string method;
        for (const char letter : one.method)
            method += static_cast<char>(letter - 'A' + 'a');
        ASSERT_TRUE(described.at("paths").contains(pattern));
        ASSERT_TRUE(described.at("paths").at(pattern).contains(method));
        const json &told = described.at("paths").at(pattern).at(method);
        EXPECT_EQ(told.at("operationId"), one.name);
        EXPECT_EQ(told.contains("requestBody"), one.body != body_kind::none);
        EXPECT_EQ(told.contains("security"), !one.needs_token);
        if (told.contains("requestBody")) {
            EXPECT_EQ(told.at("requestBody").at("content").contains("application/json"),
                      one.body == body_kind::json);
        }
    }
}

} // namespace
} // namespace tenfold::server
