#include "apps/server/http.hpp"

#include <algorithm>

#include "apps/server/parse_number.hpp"

namespace tenfold::server {
namespace {

constexpr std::string_view once_only[] = {
    "authorization",   "content-length", "content-type",      "cookie",           "host",
    "idempotency-key", "origin",         "transfer-encoding", "x-tenfold-session"};

constexpr int most_json_depth = 16;

int hex_digit(char letter) noexcept {
    if (letter >= '0' && letter <= '9')
        return letter - '0';
    if (letter >= 'a' && letter <= 'f')
        return letter - 'a' + 10;
    if (letter >= 'A' && letter <= 'F')
        return letter - 'A' + 10;
    return -1;
}

std::string decode(std::string_view text, bool plus_is_space) {
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char letter = text[i];
        if (letter == '%') {
            const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
            const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
            if (high < 0 || low < 0)
                throw wrong_request("the target has a % that no two hexadecimal digits follow");
            letter = static_cast<char>(16 * high + low);
            i += 2;
        } else if (letter == '+' && plus_is_space) {
            letter = ' ';
        }
        if (static_cast<unsigned char>(letter) < 32)
            throw wrong_request("the target contains a control character");
        decoded += letter;
    }
    return decoded;
}

/// Calls use(part) for the parts of `text` between `separator`s.
template <class Use> void split(std::string_view text, char separator, const Use &use) {
    for (;;) {
        const std::size_t end = text.find(separator);
        use(text.substr(0, end));
        if (end == std::string_view::npos)
            return;
        text.remove_prefix(end + 1);
    }
}

} // namespace

std::string to_lower(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    });
    return lower;
}

void request_head::add(std::string_view name, std::string_view value) {
    const std::string lower = to_lower(name);
    const auto [place, is_new] = headers.try_emplace(lower, value);
    if (is_new)
        return;
    if (std::find(std::begin(once_only), std::end(once_only), lower) != std::end(once_only))
        throw wrong_request("the header " + lower + " is there twice");
    place->second += ", " + std::string(value);
}

const std::string &request_head::header(const std::string &name) const {
    static const std::string none;
    const auto found = headers.find(name);
    return found == headers.end() ? none : found->second;
}

std::uint64_t request_head::content_length() const {
    if (!header("transfer-encoding").empty())
        throw refusal(411, "length_required",
                      "bodies need a Content-Length; chunked ones are not accepted");
    const auto found = headers.find("content-length");
    if (found == headers.end())
        return 0;
    const auto length = parse_number<std::uint64_t>(found->second);
    if (!length)
        throw wrong_request("Content-Length is not a number of bytes");
    return *length;
}

request_target request_target::parse(const std::string &target) {
    if (target.empty() || target.front() != '/')
        throw wrong_request("the target is not a path");
    request_target result;
    const std::string_view whole(target);
    const std::size_t question = whole.find('?');
    const std::string_view path =
        whole.substr(1, question == std::string_view::npos ? std::string_view::npos : question - 1);
    if (!path.empty())
        split(path, '/', [&](std::string_view part) {
            std::string decoded = decode(part, false);
            if (decoded.empty() || decoded == "." || decoded == "..")
                throw wrong_request("the path has an empty part, or '.' or '..'");
            result.path.push_back(std::move(decoded));
        });
    if (question != std::string_view::npos && question + 1 < whole.size())
        split(whole.substr(question + 1), '&', [&](std::string_view part) {
            const std::size_t equals = part.find('=');
            const std::string name = decode(part.substr(0, equals), true);
            const std::string value = equals == std::string_view::npos
                                          ? std::string()
                                          : decode(part.substr(equals + 1), true);
            if (!result.query.try_emplace(name, value).second)
                throw wrong_request("the parameter '" + name + "' is there twice");
        });
    return result;
}

std::optional<std::string> request_target::find(const std::string &name) const {
    const auto found = query.find(name);
    if (found == query.end())
        return std::nullopt;
    return found->second;
}

void request_target::check_query(std::initializer_list<std::string_view> known) const {
    for (const auto &[name, value] : query)
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw wrong_request("there is no parameter '" + name + "' here");
}

response response::json(int status, const nlohmann::json &value) {
    return text(status, "application/json", json_text(value) + "\n");
}

response response::text(int status, std::string content_type, std::string body) {
    response result;
    result.status = status;
    result.content_type = std::move(content_type);
    result.body = std::make_shared<const std::string>(std::move(body));
    return result;
}

response response::of(const refusal &problem) {
    response result = json(problem.status(), {{"error", problem.to_json()}});
    if (problem.status() == 401)
        result.headers.emplace_back("WWW-Authenticate", "Bearer");
    if (problem.status() == 405)
        result.headers.emplace_back("Allow", problem.to_json().value("allowed", ""));
    if (const nlohmann::json told = problem.to_json(); told.contains("retry_after"))
        result.headers.emplace_back(
            "Retry-After",
            std::to_string(1 + static_cast<int>(told.at("retry_after").get<double>())));
    return result;
}

nlohmann::json parse_object(const std::string &body) {
    // Copies of values are made by recursion: deep ones would take more than a thread's stack.
    const auto check_depth = [](int depth, nlohmann::json::parse_event_t, nlohmann::json &) {
        if (depth > most_json_depth)
            throw wrong_request("the body has lists or objects more than " +
                                std::to_string(most_json_depth) + " deep");
        return true;
    };
    nlohmann::json value;
    try {
        value = nlohmann::json::parse(body, check_depth);
    } catch (const nlohmann::json::parse_error &problem) {
        throw refusal(400, std::string(name(errc::syntax)), "the body is not JSON",
                      {{"position", problem.byte}});
    } catch (const nlohmann::json::exception &) { // a number that no type holds
        throw wrong_request("the body has a number that is too large");
    }
    if (!value.is_object())
        throw wrong_request("the body is not a JSON object");
    return value;
}

} // namespace tenfold::server
