// Requests and responses of HTTP as values, without sockets.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "apps/server/refusal.hpp"

namespace tenfold::server {

class event_stream;

/// Of ASCII letters: names of headers and hosts.
std::string to_lower(std::string_view text);

/// What precedes a request's body.
struct request_head {
    std::string method;
    std::string target;                         ///< "/v1/tensors/A?wait=5"
    std::map<std::string, std::string> headers; ///< names in lower case

    /// Adds a header. Throws refusal (400) if one that must not be repeated is repeated: two
    /// readers of such a request could understand it differently.
    void add(std::string_view name, std::string_view value);
    /// Empty if there is none.
    const std::string &header(const std::string &name) const;
    /// Throws refusal: 400 for a malformed number, 411 for a body of unknown length.
    std::uint64_t content_length() const;
};

/// A request's target, taken apart and without percent-encoding.
struct request_target {
    std::vector<std::string> path; ///< {"v1", "tensors", "A"}
    std::map<std::string, std::string> query;

    /// Throws refusal (400) for targets that are not a path, are malformed or contain bytes below
    /// 32, and for empty or repeated parts, "." and "..".
    static request_target parse(const std::string &target);

    /// The value of a query parameter; empty if it is not there.
    std::optional<std::string> find(const std::string &name) const;
    /// Throws refusal (400) if the query has a parameter that is not among `known`.
    void check_query(std::initializer_list<std::string_view> known) const;
};

struct response {
    int status = 200;
    std::string content_type = "application/json";
    /// Shared, so that large bodies are not copied.
    std::shared_ptr<const std::string> body = std::make_shared<std::string>();
    std::vector<std::pair<std::string, std::string>> headers = {};
    bool close = false; ///< the connection is closed afterwards
    /// The body is these events, as they come; then `body` is not sent.
    std::shared_ptr<event_stream> events = nullptr;
    nlohmann::json audit = nullptr; ///< further fields of the audit's line; null: none

    static response json(int status, const nlohmann::json &value);
    static response text(int status, std::string content_type, std::string body);
    /// {"error": {...}}
    static response of(const refusal &problem);
};

/// Reads a body as a JSON object. Throws refusal (400), with the position of the first wrong byte.
nlohmann::json parse_object(const std::string &body);

} // namespace tenfold::server
