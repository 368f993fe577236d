// Who may ask: tokens, and the Host and Origin of requests.
#pragma once

#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/server/http.hpp"

namespace tenfold::server {

/// BLAKE2b of a token. Tokens are 256 random bits, so that a fast hash is as good as a slow one.
using token_hash = std::array<unsigned char, 32>;

/// Throws std::runtime_error if libsodium cannot be used. Call it first.
void initialise_cryptography();
/// 32 random bytes in hexadecimal digits.
std::string new_token();
token_hash hash_of(std::string_view token);
std::string to_hex(const token_hash &hash);
/// Empty unless the text is what to_hex() returns, or that in capitals.
std::optional<token_hash> hash_from_hex(const std::string &text);

/// The users and the hashes of their tokens; no token is kept.
class token_list {
public:
    /// A user may have several tokens. Throws refusal for a name that is_user_name() refuses.
    void add(const std::string &user, const token_hash &hash);
    /// Reads lines of "name hash", as `tenfold-server --new-token NAME` prints them. Empty lines
    /// and those that begin with # are skipped. Throws std::runtime_error with the number of the
    /// line.
    void add_lines(const std::string &text);
    bool empty() const noexcept { return entries_.empty(); }
    bool has_user(const std::string &name) const noexcept;

    /// The user whose token it is. Compares with every entry, each in constant time.
    std::optional<std::string> user_of(std::string_view token) const;

private:
    struct entry {
        std::string user;
        token_hash hash;
    };
    std::vector<entry> entries_;
};

/// 1 to 64 letters, digits, '_', '-', '.', '@'.
bool is_user_name(std::string_view name) noexcept;

/// What browsers must not do for foreign pages.
class host_rules {
public:
    /// `names`: the host names under which the server is reached, beside localhost and addresses.
    host_rules(std::vector<std::string> names, bool with_tls);

    /// Throws refusal: 421 if Host is a name that this server does not have (a page whose name was
    /// rebound to this address sends its own), 403 if Origin is another one than Host.
    void check(const request_head &head) const;
    bool has_tls() const noexcept { return scheme_ == "https://"; }

private:
    std::vector<std::string> names_;
    std::string scheme_;
};

/// How many requests a user may send: so many a second on average, and that of two seconds at once.
/// For one thread.
class request_rates {
public:
    using clock = std::chrono::steady_clock;

    /// `per_second`: 0 for no bound.
    explicit request_rates(int per_second) : per_second_(per_second) {}

    /// Counts a request. Throws refusal (429), with the seconds after which there is room, and then
    /// does not count it.
    void check(const std::string &user, clock::time_point now);

private:
    struct share {
        double left;
        clock::time_point counted;
    };
    double per_second_;
    std::map<std::string, share> users_;
};

/// The user of a request. Throws refusal (401) without a valid token; the message does not quote
/// it.
std::string authenticate(const request_head &head, const token_list &tokens);

/// True for "127.0.0.0/8" and "::1".
bool is_loopback(const std::string &address);

} // namespace tenfold::server
