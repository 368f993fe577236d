// The tensors by user and name, as rank 0 knows them; the elements are in tensor_store, on all
// ranks.
//
// A tensor never changes: a job that "writes A" makes a new tensor and gives it the name when it
// has succeeded. So a job that fails or is cancelled changes nothing, and jobs may run in any
// order. A job that changes a part of a tensor that nobody else reads takes its memory over, too.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "apps/server/ledger.hpp"

namespace tenfold::server {

/// What a user may do with a tensor; each right includes those before it.
enum class access_right : std::uint8_t { none, read, write, own };
/// "none", "read", "write", "own".
std::string_view name(access_right right) noexcept;
/// A right that owners give to others: "read" or "write".
std::optional<access_right> parse_shared_right(std::string_view text) noexcept;

/// With whom a tensor is shared: read or write, by user.
using share_list = std::map<std::string, access_right>;
inline constexpr std::size_t most_shares = 100; ///< of a tensor
/// {"bob": "read"}
nlohmann::json shares_json(const share_list &shares);

/// How requests name a tensor: "A" is the user's own one, "ada:A" the one of the user ada.
struct tensor_address {
    std::string owner;
    std::string name;

    static tensor_address parse(const std::string &text, const std::string &user);
};

struct tensor_record {
    std::uint64_t id; ///< its generation: no other tensor of this server had or will have it
    /// Under which ranks keep the elements; 0: not, or no longer. It is the id, but for a tensor
    /// that was written over another one.
    std::uint64_t storage = 0;
    std::string user;
    std::string name;
    data_type type;
    distribution spread;
    per_rank bytes;

    share_list shares = {};  ///< who replaces the tensor keeps them
    double time_to_live = 0; ///< seconds without a use, after which it is deleted; 0: no end
    std::chrono::steady_clock::time_point used = {}; ///< the last time

    int pins = 0;       ///< jobs that read it
    bool named = false; ///< or only kept for jobs

    const extents_t &extents() const noexcept { return spread.extents(); }
    index_t total_bytes() const;
    access_right right_of(const std::string &who) const;
    /// The text of its tensor_address in requests of this user.
    std::string name_for(const std::string &who) const;
    /// What this user may know of it: only the owner is told with whom it is shared.
    nlohmann::json to_json(const std::string &who) const;
};
using tensor_pointer = std::shared_ptr<tensor_record>;

/// 1 to 128 letters, digits, '_', '-', '.'; not '.' at first.
bool is_tensor_name(std::string_view name) noexcept;

class catalogue {
public:
    /// Null if there is none.
    tensor_pointer find(const std::string &user, const std::string &name) const;
    /// In the order of names.
    std::vector<tensor_pointer> of_user(const std::string &user) const;
    /// The user's own, and behind them those that others share with the user, in the order of
    /// owners and names.
    std::vector<tensor_pointer> visible_to(const std::string &user) const;
    /// In the order of users and names.
    std::vector<tensor_pointer> all() const;
    std::size_t size() const noexcept { return by_name_.size(); }
    std::size_t count_of(const std::string &user) const;

    /// Names a tensor. One that had the name loses it.
    void bind(const tensor_pointer &tensor);
    /// Does nothing if the tensor has no name.
    void unbind(const tensor_pointer &tensor);
    void rename(const tensor_pointer &tensor, const std::string &name);
    /// Gives another user a right to a tensor that has a name; `none` takes it away.
    void share(const tensor_pointer &tensor, const std::string &user, access_right right);
    void pin(const tensor_pointer &tensor) { ++tensor->pins; }
    void unpin(const tensor_pointer &tensor);
    /// A new tensor gets no name.
    void abandon(const tensor_pointer &tensor) { look(tensor); }

    /// The users who see other tensors than at the last call, or other names.
    std::set<std::string> take_changed() { return std::exchange(changed_, {}); }

    /// Tensors that nobody can reach any more, each once: their elements can be freed.
    std::vector<tensor_pointer> take_unreachable() { return std::exchange(unreachable_, {}); }

private:
    void look(const tensor_pointer &tensor);
    void forget_name(const tensor_pointer &tensor);
    /// Enters a tensor that has a name into the lists of those who see it, and takes it out.
    void show(const tensor_record &tensor);
    void hide(const tensor_record &tensor);

    using key = std::pair<std::string, std::string>; ///< owner and name

    std::map<std::string, std::size_t> counts_; ///< of users
    std::map<key, tensor_pointer> by_name_;
    std::map<std::string, std::set<key>> shared_; ///< by the user with whom
    std::vector<tensor_pointer> unreachable_;
    std::set<std::string> changed_;
};

} // namespace tenfold::server
