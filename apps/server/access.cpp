#include "apps/server/access.hpp"

#include <algorithm>
#include <sstream>

#include <arpa/inet.h>
#include <sodium.h>

namespace tenfold::server {
namespace {

constexpr std::string_view bearer = "Bearer ";

bool is_address(const std::string &text) {
    in_addr v4{};
    in6_addr v6{};
    if (text.size() > 2 && text.front() == '[' && text.back() == ']')
        return inet_pton(AF_INET6, text.substr(1, text.size() - 2).c_str(), &v6) == 1;
    return inet_pton(AF_INET, text.c_str(), &v4) == 1;
}

/// Of "name:port", "1.2.3.4:port" and "[::1]:port".
std::string without_port(const std::string &host) {
    const std::size_t colon = host.rfind(':');
    const std::size_t bracket = host.rfind(']');
    if (colon == std::string::npos || (bracket != std::string::npos && colon < bracket))
        return host;
    return host.substr(0, colon);
}

} // namespace

void initialise_cryptography() {
    if (sodium_init() < 0)
        throw std::runtime_error("libsodium cannot be initialised");
}

std::string new_token() {
    token_hash random{};
    randombytes_buf(random.data(), random.size());
    return to_hex(random);
}

token_hash hash_of(std::string_view token) {
    token_hash hash{};
    crypto_generichash(hash.data(), hash.size(),
                       reinterpret_cast<const unsigned char *>(token.data()), token.size(), nullptr,
                       0);
    return hash;
}

std::string to_hex(const token_hash &hash) {
    std::string text(2 * hash.size() + 1, '\0');
    sodium_bin2hex(text.data(), text.size(), hash.data(), hash.size());
    text.pop_back(); // the 0 behind the digits
    return text;
}

std::optional<token_hash> hash_from_hex(const std::string &text) {
    token_hash hash{};
    std::size_t size = 0;
    const char *end = nullptr;
    if (text.size() != 2 * hash.size() ||
        sodium_hex2bin(hash.data(), hash.size(), text.data(), text.size(), nullptr, &size, &end) !=
            0 ||
        size != hash.size() || end != text.data() + text.size())
        return std::nullopt;
    return hash;
}

void token_list::add(const std::string &user, const token_hash &hash) {
    if (!is_user_name(user))
        throw wrong_request("a user's name has 1 to 64 letters, digits, '_', '-', '.' and '@'");
    entries_.push_back({user, hash});
}

void token_list::add_lines(const std::string &text) {
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        std::istringstream words(line);
        std::string user, digits, rest;
        words >> user >> digits >> rest;
        if (user.empty() || user.front() == '#')
            continue;
        const auto hash = hash_from_hex(digits);
        if (!hash || !rest.empty() || !is_user_name(user))
            throw std::runtime_error("line " + std::to_string(number) +
                                     ": expected a user's name and 64 hexadecimal digits");
        add(user, *hash);
    }
}

bool token_list::has_user(const std::string &name) const noexcept {
    return std::any_of(entries_.begin(), entries_.end(),
                       [&](const entry &one) { return one.user == name; });
}

std::optional<std::string> token_list::user_of(std::string_view token) const {
    const token_hash hash = hash_of(token);
    std::size_t found = entries_.size();
    for (std::size_t i = 0; i < entries_.size(); ++i)
        if (sodium_memcmp(entries_[i].hash.data(), hash.data(), hash.size()) == 0)
            found = i;
    if (found == entries_.size())
        return std::nullopt;
    return entries_[found].user;
}

bool is_user_name(std::string_view name) noexcept {
    return !name.empty() && name.size() <= 64 &&
           std::all_of(name.begin(), name.end(), [](char letter) {
               return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                      (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' ||
                      letter == '.' || letter == '@';
           });
}

host_rules::host_rules(std::vector<std::string> names, bool with_tls)
    : names_(std::move(names)), scheme_(with_tls ? "https://" : "http://") {
    for (std::string &name : names_)
        name = to_lower(name);
}

void host_rules::check(const request_head &head) const {
    const std::string host = to_lower(head.header("host"));
    const std::string name = without_port(host);
    if (name != "localhost" && !is_address(name) &&
        std::find(names_.begin(), names_.end(), name) == names_.end())
        throw refusal(421, "misdirected",
                      "Host is not a name of this server; --host-name adds names");
    const auto origin = head.headers.find("origin");
    if (origin != head.headers.end() && origin->second != scheme_ + host)
        throw refusal(403, "foreign_origin", "requests of pages from elsewhere are refused");
}

void request_rates::check(const std::string &user, clock::time_point now) {
    if (per_second_ == 0)
        return;
    const double most = 2 * per_second_;
    share &own = users_.try_emplace(user, share{most, now}).first->second;
    own.left = std::min(
        most, own.left + per_second_ * std::chrono::duration<double>(now - own.counted).count());
    own.counted = now;
    if (own.left < 1)
        throw refusal(429, "too_many_requests",
                      "a user may send " + std::to_string(static_cast<int>(per_second_)) +
                          " requests a second",
                      {{"retry_after", (1 - own.left) / per_second_}});
    own.left -= 1;
}

std::string authenticate(const request_head &head, const token_list &tokens) {
    const std::string &value = head.header("authorization");
    const auto user = value.rfind(bearer, 0) == 0
                          ? tokens.user_of(std::string_view(value).substr(bearer.size()))
                          : std::nullopt;
    if (!user)
        throw refusal(401, "unauthorized", "the request has no valid token");
    return *user;
}

bool is_loopback(const std::string &address) {
    in_addr v4{};
    if (inet_pton(AF_INET, address.c_str(), &v4) == 1)
        return ntohl(v4.s_addr) >> 24 == 127;
    in6_addr v6{};
    return inet_pton(AF_INET6, address.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

} // namespace tenfold::server
