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
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "apps/server/ledger.hpp"

namespace tenfold::server {

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

    double time_to_live = 0; ///< seconds without a use, after which it is deleted; 0: no end
    std::chrono::steady_clock::time_point used = {}; ///< the last time

    int pins = 0;       ///< jobs that read it
    bool named = false; ///< or only kept for jobs

    const extents_t &extents() const noexcept { return spread.extents(); }
    index_t total_bytes() const;
    nlohmann::json to_json() const;
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
    /// In the order of users and names.
    std::vector<tensor_pointer> all() const;
    std::size_t size() const noexcept { return by_name_.size(); }
    std::size_t count_of(const std::string &user) const;

    /// Names a tensor. One that had the name loses it.
    void bind(const tensor_pointer &tensor);
    /// Does nothing if the tensor has no name.
    void unbind(const tensor_pointer &tensor);
    void rename(const tensor_pointer &tensor, const std::string &name);
    void pin(const tensor_pointer &tensor) { ++tensor->pins; }
    void unpin(const tensor_pointer &tensor);
    /// A new tensor gets no name.
    void abandon(const tensor_pointer &tensor) { look(tensor); }

    /// The users whose tensors are others since the last call, or have other names.
    std::set<std::string> take_changed() { return std::exchange(changed_, {}); }

    /// Tensors that nobody can reach any more, each once: their elements can be freed.
    std::vector<tensor_pointer> take_unreachable() { return std::exchange(unreachable_, {}); }

private:
    void look(const tensor_pointer &tensor);
    void forget_name(const tensor_pointer &tensor);

    std::map<std::string, std::size_t> counts_; ///< of users
    std::map<std::pair<std::string, std::string>, tensor_pointer> by_name_;
    std::vector<tensor_pointer> unreachable_;
    std::set<std::string> changed_;
};

} // namespace tenfold::server
