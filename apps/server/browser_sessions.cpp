#include "apps/server/browser_sessions.hpp"

#include <algorithm>

#include <sodium.h>

namespace tenfold::server {
namespace {

/// Cookies know no ports: each server of a machine has its own name.
std::string cookie_name(const request_head &head) {
    const std::string &host = head.header("host");
    const std::string name = "tenfold";
    const std::size_t colon = host.rfind(':');
    if (colon == std::string::npos || colon + 1 == host.size() ||
        host.find_first_not_of("0123456789", colon + 1) != std::string::npos)
        return name;
    return name + "_" + host.substr(colon + 1);
}

std::string cookie(const request_head &head, const std::string &value, bool with_tls,
                   std::chrono::seconds life) {
    return cookie_name(head) + "=" + value + "; Path=/; Max-Age=" + std::to_string(life.count()) +
           "; HttpOnly; SameSite=Strict" + (with_tls ? "; Secure" : "");
}

bool is_only_read(const std::string &method) { return method == "GET" || method == "HEAD"; }

} // namespace

std::optional<token_hash> browser_sessions::named_by(const request_head &head) {
    const std::string &text = head.header("cookie");
    const std::string begin = cookie_name(head) + "=";
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(';', at), text.size());
        if (text.compare(at, begin.size(), begin) == 0)
            return hash_of(std::string_view(text).substr(at + begin.size(),
                                                         end - std::min(end, at + begin.size())));
        at = text.find_first_not_of("; ", end);
    }
    return std::nullopt;
}

browser_sessions::opened browser_sessions::open(const std::string &user, const request_head &head,
                                                bool with_tls, clock::time_point now) {
    const std::string value = new_token();
    opened result{cookie(head, value, with_tls, life), new_token()};
    const std::lock_guard lock(mutex_);
    const auto is_over = [&](const auto &one) { return one.second.until <= now; };
    std::erase_if(sessions_, is_over);
    auto oldest = sessions_.end();
    std::size_t count = 0;
    for (auto one = sessions_.begin(); one != sessions_.end(); ++one) {
        if (one->second.user != user)
            continue;
        ++count;
        if (oldest == sessions_.end() || one->second.until < oldest->second.until)
            oldest = one;
    }
    if (count >= most)
        sessions_.erase(oldest);
    sessions_.insert_or_assign(hash_of(value), session{user, hash_of(result.secret), now + life});
    return result;
}

std::optional<std::string> browser_sessions::user_of(const request_head &head,
                                                     clock::time_point now) const {
    const auto named = named_by(head);
    if (!named)
        return std::nullopt;
    const token_hash secret = hash_of(head.header("x-tenfold-session"));
    std::string user;
    {
        const std::lock_guard lock(mutex_);
        const auto found = sessions_.find(*named);
        if (found == sessions_.end() || found->second.until <= now ||
            sodium_memcmp(found->second.secret.data(), secret.data(), secret.size()) != 0)
            return std::nullopt;
        user = found->second.user;
    }
    if (!is_only_read(head.method) && head.header("origin").empty())
        throw refusal(403, "foreign_origin",
                      "a request of a page that changes something needs an Origin");
    return user;
}

std::string browser_sessions::close(const request_head &head, bool with_tls) {
    if (const auto named = named_by(head)) {
        const std::lock_guard lock(mutex_);
        sessions_.erase(*named);
    }
    return cookie(head, "", with_tls, std::chrono::seconds(0));
}

} // namespace tenfold::server
