// Browsers that logged in with a token: a cookie and a second secret in its place.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "apps/server/access.hpp"

namespace tenfold::server {

/// A session is known by two secrets of 256 random bits, of which hashes are kept. The cookie is
/// HttpOnly: scripts cannot read it. But browsers send cookies to all ports of a host, so that a
/// server of somebody else on this machine could receive it; and pages from elsewhere could have it
/// sent. So each request needs the second one, too, in a header that the page's own script adds.
///
/// Thread-safe.
class browser_sessions {
public:
    using clock = std::chrono::steady_clock;
    static constexpr std::chrono::hours life{12};
    static constexpr std::size_t most = 16; ///< of a user; one more ends the oldest

    struct opened {
        std::string cookie; ///< the value of Set-Cookie
        std::string secret; ///< that requests name in the header X-Tenfold-Session
    };
    opened open(const std::string &user, const request_head &head, bool with_tls,
                clock::time_point now = clock::now());
    /// The user of a request by a session; empty if the request names none, or one that is not
    /// there. Throws refusal (403) for a request that changes something and has no Origin, which
    /// browsers add; host_rules has compared the one that is there.
    std::optional<std::string> user_of(const request_head &head,
                                       clock::time_point now = clock::now()) const;
    /// Ends the session of a request. Returns the value of Set-Cookie that makes the browser forget
    /// it.
    std::string close(const request_head &head, bool with_tls);

private:
    struct session {
        std::string user;
        token_hash secret;
        clock::time_point until;
    };
    static std::optional<token_hash> named_by(const request_head &head);

    mutable std::mutex mutex_;
    std::map<token_hash, session> sessions_; ///< by the hash of the cookie's secret
};

} // namespace tenfold::server
