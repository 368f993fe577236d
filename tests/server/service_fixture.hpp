// A service without sockets and ranks: requests in, commands and responses out.
#pragma once

#include <gtest/gtest.h>

#include "apps/server/service.hpp"

namespace tenfold::server {

using nlohmann::json;

class Service : public ::testing::Test {
protected:
    void SetUp() override { start(byte_count{1000000}); }

    void start(byte_count memory, std::size_t most_tensors = 100, byte_count quota = {}) {
        initialise_cryptography();
        token_ = new_token();
        other_token_ = new_token();
        service_options how;
        how.ranks = 2;
        how.memory_per_rank = memory;
        how.most_tensors = most_tensors;
        how.quota = quota;
        how.tokens.add("ada", hash_of(token_));
        how.tokens.add("bob", hash_of(other_token_));
        service_.emplace(std::move(how));
    }

    /// A start of a server with a checkpoint.
    void start_again(std::uint64_t first_id, std::chrono::seconds save_interval = {}) {
        service_options how;
        how.ranks = 2;
        how.memory_per_rank = byte_count{100000000};
        how.tokens.add("ada", hash_of(token_));
        how.tokens.add("bob", hash_of(other_token_));
        how.checkpoint = "/folder";
        how.first_id = first_id;
        how.save_interval = save_interval;
        service_.emplace(std::move(how));
    }

    request_head head(const std::string &method, const std::string &target,
                      std::size_t body) const {
        request_head result{method, target, {}};
        result.add("Host", "localhost:1");
        result.add("Authorization", "Bearer " + token_);
        if (body > 0) {
            result.add("Content-Length", std::to_string(body));
            result.add("Content-Type", "application/json");
        }
        if (!key_.empty())
            result.add("Idempotency-Key", key_);
        return result;
    }

    /// The place of the response, which may come later.
    std::shared_ptr<std::optional<response>>
    send(const std::string &method, const std::string &target, const std::string &body = "") {
        const auto answer = std::make_shared<std::optional<response>>();
        try {
            service_->handle(service_->accept(head(method, target, body.size())), body,
                             [answer](response what) {
                                 EXPECT_FALSE(answer->has_value());
                                 *answer = std::move(what);
                             });
        } catch (const refusal &problem) {
            *answer = response::of(problem);
        }
        return answer;
    }
    /// Does all that waits, without computing anything.
    void work() {
        while (json::parse(*(*send("GET", "/v1"))->body).at("jobs_waiting") != 0) {
            const service::task now = service_->next();
            commands_.push_back(now.what);
            if (now.job)
                service_->finish(now.job, {{"value", 1}}, std::nullopt);
        }
    }
    struct answered {
        int status;
        json body;
    };
    answered ask(const std::string &method, const std::string &target, const json &body = nullptr) {
        const auto answer = send(method, target, body.is_null() ? "" : body.dump());
        work();
        EXPECT_TRUE(answer->has_value()) << method << " " << target;
        return {(*answer)->status, json::parse(*(*answer)->body)};
    }
    answered create(const std::string &name, const std::vector<int> &extents) {
        return ask("POST", "/v1/tensors", {{"name", name}, {"extents", extents}});
    }

    // Requests of bob's; ask() and send() are ada's.
    answered as_bob(const std::string &method, const std::string &target,
                    const json &body = nullptr) {
        token_.swap(other_token_);
        const answered got = ask(method, target, body);
        token_.swap(other_token_);
        return got;
    }
    std::shared_ptr<std::optional<response>>
    send_as_bob(const std::string &method, const std::string &target, const std::string &body) {
        token_.swap(other_token_);
        const auto answer = send(method, target, body);
        token_.swap(other_token_);
        return answer;
    }
    /// Any body, and no JSON in the answer.
    int status_for_bob(const std::string &method, const std::string &target,
                       const std::string &body = "") {
        const auto answer = send_as_bob(method, target, body);
        while (!answer->has_value()) {
            const service::task now = service_->next();
            if (now.job)
                service_->finish(now.job, json::object(), std::nullopt);
        }
        return (*answer)->status;
    }
    void share(const std::string &name, const std::string &access) {
        const answered got =
            ask("POST", "/v1/tensors/" + name + "/shares", {{"user", "bob"}, {"access", access}});
        EXPECT_EQ(got.status, 200) << got.body;
    }

    std::string token_, other_token_, key_;
    std::optional<service> service_;
    std::vector<command> commands_;
};

} // namespace tenfold::server
