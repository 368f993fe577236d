// Transfers of bulk data as the service keeps them: tickets, memory, ends.
#include <thread>

#include "apps/server/bulk_frame.hpp"
#include "server/service_fixture.hpp"

namespace tenfold::server {
namespace {

class Transfers : public Service {
protected:
    void SetUp() override { start_with({{"", 1001}, {"node2", 1002}}); }

    void start_with(std::vector<bulk_endpoint> bulk) {
        initialise_cryptography();
        token_ = new_token();
        other_token_ = new_token();
        service_options how;
        how.ranks = 2;
        how.memory_per_rank = byte_count{100000};
        how.tokens.add("ada", hash_of(token_));
        how.tokens.add("bob", hash_of(other_token_));
        how.bulk = std::move(bulk);
        service_.emplace(std::move(how));
        commands_.clear();
    }
    json open(const std::string &path, const json &request) {
        const answered got = ask("POST", path, request);
        EXPECT_EQ(got.status, 200) << got.body;
        return got.body.value("transfer", json::object());
    }
    json open_upload(const std::string &name, const std::vector<int> &extents) {
        return open("/v1/tensors/" + name + "/upload", {{"type", "f64"}, {"extents", extents}});
    }
    json commit(const json &ticket) {
        const answered got = ask("POST", path_of(ticket) + "/commit");
        EXPECT_EQ(got.status, 200) << got.body;
        return got.body.at("job").at("result").at("tensor");
    }
    static std::string path_of(const json &ticket) {
        return "/v1/transfers/" + ticket.at("id").get<std::string>();
    }
    json resident() { return ask("GET", "/v1").body.at("memory").at("resident_per_rank"); }
    /// What ranks are told when no job waits.
    command told() { return service_->next().what; }
};

TEST_F(Transfers, UploadsGetANameWhenTheyAreCommitted) {
    const json ticket = open_upload("A", {2, 1000});
    EXPECT_EQ(ticket.at("secret").get<std::string>().size(), secret_bytes);
    EXPECT_EQ(ticket.at("extents"), (json{2, 1000}));
    EXPECT_EQ(ticket.at("order"), "C");
    EXPECT_GT(ticket.at("expires_in"), 590);
    const json &boxes = ticket.at("boxes");
    ASSERT_EQ(boxes.size(), 2U);
    EXPECT_EQ(boxes[0].at("host"), nullptr);
    EXPECT_EQ(boxes[1].at("host"), "node2");
    EXPECT_EQ(boxes[1].at("port"), 1002);
    EXPECT_EQ(boxes[0].at("offsets"), (json{0, 0}));
    EXPECT_EQ(boxes[1].at("offsets"), (json{0, 500}));
    EXPECT_EQ(boxes[1].at("extents"), (json{2, 500}));
    EXPECT_EQ(boxes[1].at("pieces"), 1);
    // Ranks are told a hash of the secret, and jobs do not remember it.
    const json work = commands_.back().work;
    EXPECT_EQ(work.at("do"), "open");
    EXPECT_EQ(work.at("secret"), to_hex(hash_of(ticket.at("secret").get<std::string>())));
    EXPECT_EQ(ask("GET", "/v1/jobs").body.dump().find(ticket.at("secret")), std::string::npos);
    // It takes memory and has no name.
    EXPECT_EQ(resident(), 8000);
    EXPECT_EQ(ask("GET", "/v1/tensors/A").status, 404);
    EXPECT_EQ(ask("GET", path_of(ticket)).body.at("transfer").at("secret"), ticket.at("secret"));

    const json tensor = commit(ticket);
    EXPECT_EQ(tensor.at("name"), "A");
    EXPECT_GT(tensor.at("generation"), work.at("output"));
    EXPECT_EQ(resident(), 8000);
    EXPECT_EQ(told().close, std::vector{ticket.at("number").get<std::uint64_t>()});
    EXPECT_EQ(ask("GET", path_of(ticket)).body.at("error").at("code"), "no_transfer");
    EXPECT_EQ(ask("POST", path_of(ticket) + "/commit").status, 404);
    // Its elements are where they came to, and are freed once.
    ask("POST", "/v1/reduce", {{"function", "sum"}, {"inputs", {"A"}}});
    EXPECT_EQ(commands_.back().work.at("inputs"), json{work.at("output")});
    ask("DELETE", "/v1/tensors/A");
    EXPECT_EQ(told().drop, std::vector{work.at("output").get<std::uint64_t>()});
    EXPECT_EQ(resident(), 0);
}

TEST_F(Transfers, EndWithoutATrace) {
    create("A", {4});
    for (const bool by_time : {false, true}) {
        const json ticket =
            open("/v1/tensors/A/upload", {{"type", "f64"}, {"extents", {2, 1000}}, {"seconds", 1}});
        EXPECT_EQ(resident(), 8016);
        if (by_time)
            while (ask("GET", path_of(ticket)).status == 200) {
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
                service_->tick();
            }
        else
            EXPECT_EQ(ask("DELETE", path_of(ticket)).status, 200);
        const std::uint64_t storage = commands_.back().work.at("output");
        const command end = told();
        EXPECT_EQ(end.close, std::vector{ticket.at("number").get<std::uint64_t>()});
        EXPECT_EQ(end.drop, std::vector{storage});
        EXPECT_EQ(resident(), 16);
        EXPECT_EQ(ask("DELETE", path_of(ticket)).status, 404);
        EXPECT_EQ(ask("GET", "/v1/tensors/A").body.at("tensor").at("extents"), json{4});
    }
    // One that ranks could not open, or found incomplete.
    const auto opening =
        send("POST", "/v1/tensors/B/upload", R"({"type": "f64", "extents": [1000]})");
    service_->finish(service_->next().job, nullptr, as_refusal(error(errc::out_of_memory, "no")));
    EXPECT_EQ((*opening)->status, 507);
    EXPECT_EQ(resident(), 16);
    const json ticket = open_upload("B", {1000});
    const auto committing = send("POST", path_of(ticket) + "/commit");
    const service::task now = service_->next();
    EXPECT_EQ(ask("DELETE", path_of(ticket)).body.at("error").at("code"), "committing");
    service_->finish(now.job, nullptr, as_refusal(error(errc::invalid_argument, "incomplete")));
    EXPECT_EQ((*committing)->status, 400);
    EXPECT_EQ(ask("GET", "/v1/tensors/B").status, 404);
    EXPECT_EQ(ask("GET", path_of(ticket)).status, 404);
    EXPECT_FALSE(told().close.empty());
    EXPECT_EQ(resident(), 16);
}

TEST_F(Transfers, UploadsOfSlicesChangeTheTensorThatTheyWereFor) {
    create("A", {2, 1000});
    const json request = {{"slice", ":,400:700"}, {"order", "F"}};
    const json ticket = open("/v1/tensors/A/upload", request);
    EXPECT_EQ(ticket.at("extents"), (json{2, 300}));
    EXPECT_EQ(ticket.at("order"), "F");
    EXPECT_EQ(resident(), 8000 + 2400);
    const std::uint64_t before = ask("GET", "/v1/tensors/A").body.at("tensor").at("generation");
    EXPECT_NE(commit(ticket).at("generation"), before);
    const json work = commands_.back().work;
    EXPECT_EQ(work.at("in_place"), true);
    EXPECT_EQ(work.at("box"), (json{{"offsets", {0, 400}}, {"extents", {2, 300}}}));
    EXPECT_EQ(work.at("inputs").size(), 2U);
    EXPECT_EQ(told().drop.size(), 1U);
    EXPECT_EQ(resident(), 8000);
    // Another tensor of the name is not changed.
    const json late = open("/v1/tensors/A/upload", request);
    ask("POST", "/v1/tensors/A/fill", {{"fill", {{"value", 1}}}});
    EXPECT_EQ(ask("POST", path_of(late) + "/commit").body.at("error").at("code"), "stale");
    EXPECT_EQ(ask("DELETE", path_of(late)).status, 200);
    EXPECT_EQ(resident(), 8000);
}

TEST_F(Transfers, DownloadsReadTheTensorThatWasThere) {
    create("A", {2, 1000});
    const json ticket = open("/v1/tensors/A/download", {{"slice", "1:2,400:1000"}});
    ASSERT_EQ(ticket.at("boxes").size(), 2U);
    EXPECT_EQ(ticket.at("boxes")[0].at("offsets"), (json{0, 0}));
    EXPECT_EQ(ticket.at("boxes")[0].at("extents"), (json{1, 100}));
    EXPECT_EQ(ticket.at("boxes")[1].at("offsets"), (json{0, 100}));
    EXPECT_EQ(ticket.at("order"), "F");
    EXPECT_EQ(ask("POST", path_of(ticket) + "/commit").status, 400);
    EXPECT_EQ(resident(), 8000);
    // A slice is written into a copy meanwhile, and the tensor stays though its name is gone.
    const auto write = send("PUT", "/v1/tensors/A/data?format=raw&slice=:,0:1", std::string(16, 0));
    work();
    EXPECT_EQ((*write)->status, 200);
    EXPECT_EQ(commands_.back().work.at("in_place"), false);
    EXPECT_EQ(ask("DELETE", "/v1/tensors/A").status, 200);
    EXPECT_EQ(resident(), 8000);
    EXPECT_EQ(ask("DELETE", path_of(ticket)).status, 200);
    EXPECT_EQ(resident(), 0);
}

TEST_F(Transfers, OfOthersTensorsNeedTheRight) {
    create("A", {2, 1000});
    const auto share = [&](const json &access) {
        return ask("POST", "/v1/tensors/A/shares", {{"user", "bob"}, {"access", access}}).status;
    };
    const auto unshare = [&] { return ask("DELETE", "/v1/tensors/A/shares?user=bob").status; };
    const auto as_bob = [&](const std::string &path, const json &body = nullptr) {
        std::swap(token_, other_token_);
        const answered got = ask("POST", path, body);
        std::swap(token_, other_token_);
        return got;
    };
    const std::string path = "/v1/tensors/ada:A";
    const json whole = {{"type", "f64"}, {"extents", {2, 500}}}, part = {{"slice", ":,0:10"}};
    const auto attempts = [&] {
        return std::vector{as_bob(path + "/download", json::object()).status,
                           as_bob(path + "/upload", part).status,
                           as_bob(path + "/upload", whole).status};
    };
    EXPECT_EQ(attempts(), (std::vector{404, 404, 404}));
    EXPECT_EQ(share("read"), 200);
    EXPECT_EQ(attempts(), (std::vector{200, 403, 403}));
    EXPECT_EQ(share("write"), 200);
    for (const json &request : {part, whole}) {
        const json ticket = as_bob(path + "/upload", request).body.at("transfer");
        // The ticket is bob's, and the right is asked for again.
        EXPECT_EQ(ask("POST", path_of(ticket) + "/commit").status, 404);
        EXPECT_EQ(unshare(), 200);
        EXPECT_EQ(as_bob(path_of(ticket) + "/commit").status, 404);
        EXPECT_EQ(share("read"), 200);
        EXPECT_EQ(as_bob(path_of(ticket) + "/commit").status, 403);
        EXPECT_EQ(share("write"), 200);
        const answered done = as_bob(path_of(ticket) + "/commit");
        EXPECT_EQ(done.status, 200) << done.body;
        EXPECT_EQ(done.body.at("job").at("result").at("tensor").at("name"), "ada:A");
    }
    const json own = ask("GET", "/v1/tensors/A").body.at("tensor");
    EXPECT_EQ(own.at("extents"), (json{2, 500}));
    EXPECT_EQ(own.at("shares"), (json{{"bob", "write"}}));
    EXPECT_EQ(ask("GET", "/v1").body.at("memory").at("own_per_rank"), 8000 + 4000);
}

TEST_F(Transfers, AreRefused) {
    const std::string up = "/v1/tensors/A/upload", down = "/v1/tensors/A/download";
    const json good = {{"type", "f64"}, {"extents", {2}}};
    const auto with = [&](const json &more) {
        json request = good;
        request.update(more);
        return ask("POST", up, request).status;
    };
    EXPECT_EQ(with({{"order", "G"}}), 400);
    EXPECT_EQ(with({{"seconds", 0}}), 400);
    EXPECT_EQ(with({{"seconds", 3601}}), 400);
    EXPECT_EQ(with({{"type", "f16"}}), 400);
    EXPECT_EQ(with({{"extents", {-1}}}), 400);
    EXPECT_EQ(with({{"generation", 1}}), 400);
    EXPECT_EQ(with({{"slice", ":"}}), 400); // beside type and extents
    EXPECT_EQ(with({{"extents", {100000}}}), 507);
    EXPECT_EQ(ask("POST", up, {{"slice", ":"}}).status, 404);
    EXPECT_EQ(ask("POST", down, json::object()).status, 404);
    create("A", {2, 3});
    EXPECT_EQ(ask("POST", down, {{"slice", "0:3,:"}}).status, 400);
    EXPECT_EQ(ask("POST", down, {{"generation", 99}}).status, 409);
    for (const char *path : {"/v1/transfers/x1", "/v1/transfers/1", "/v1/transfers/x"})
        EXPECT_EQ(ask("GET", path).status, 404) << path;

    std::vector<json> tickets;
    for (std::size_t i = 0; i < most_transfers; ++i)
        tickets.push_back(open(down, json::object()));
    EXPECT_EQ(ask("POST", down, json::object()).status, 429);
    EXPECT_NE(tickets[0].at("secret"), tickets[1].at("secret"));
    std::swap(token_, other_token_);
    EXPECT_EQ(ask("GET", path_of(tickets[0])).status, 404);
    EXPECT_EQ(ask("DELETE", path_of(tickets[0])).status, 404);
    std::swap(token_, other_token_);
    EXPECT_EQ(ask("DELETE", path_of(tickets[0])).status, 200);
    open(down, json::object());

    start_with({});
    create("A", {2, 3});
    EXPECT_EQ(ask("GET", "/v1").body.at("bulk"), false);
    EXPECT_EQ(ask("POST", up, good).body.at("error").at("code"), "no_bulk");
    EXPECT_EQ(ask("POST", down, json::object()).body.at("error").at("code"), "no_bulk");
}

} // namespace
} // namespace tenfold::server
