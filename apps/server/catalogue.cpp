#include "apps/server/catalogue.hpp"

#include <algorithm>

namespace tenfold::server {

index_t tensor_record::total_bytes() const { return storage_bytes(layout(extents()), type).value; }

nlohmann::json tensor_record::to_json() const {
    return {{"name", name},           {"time_to_live", time_to_live}, {"generation", id},
            {"owner", user},          {"type", tenfold::name(type)},  {"extents", extents()},
            {"bytes", total_bytes()}, {"bytes_per_rank", bytes},      {"grid", spread.grid()}};
}

bool is_tensor_name(std::string_view name) noexcept {
    return !name.empty() && name.size() <= 128 && name.front() != '.' &&
           std::all_of(name.begin(), name.end(), [](char letter) {
               return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                      (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' ||
                      letter == '.';
           });
}

tensor_pointer catalogue::find(const std::string &user, const std::string &name) const {
    const auto found = by_name_.find({user, name});
    return found == by_name_.end() ? nullptr : found->second;
}

std::vector<tensor_pointer> catalogue::of_user(const std::string &user) const {
    std::vector<tensor_pointer> found;
    for (auto at = by_name_.lower_bound({user, ""});
         at != by_name_.end() && at->first.first == user; ++at)
        found.push_back(at->second);
    return found;
}

std::vector<tensor_pointer> catalogue::all() const {
    std::vector<tensor_pointer> list;
    for (const auto &[key, tensor] : by_name_)
        list.push_back(tensor);
    return list;
}

std::size_t catalogue::count_of(const std::string &user) const {
    const auto found = counts_.find(user);
    return found == counts_.end() ? 0 : found->second;
}

void catalogue::forget_name(const tensor_pointer &tensor) {
    changed_.insert(tensor->user);
    counts_[tensor->user] -= by_name_.erase({tensor->user, tensor->name});
}

void catalogue::bind(const tensor_pointer &tensor) {
    const tensor_pointer former = find(tensor->user, tensor->name);
    by_name_[{tensor->user, tensor->name}] = tensor;
    changed_.insert(tensor->user);
    counts_[tensor->user] += former ? 0U : 1U;
    tensor->named = true;
    if (former && former != tensor) {
        former->named = false;
        look(former);
    }
}

void catalogue::unbind(const tensor_pointer &tensor) {
    if (!tensor->named)
        return;
    forget_name(tensor);
    tensor->named = false;
    look(tensor);
}

void catalogue::rename(const tensor_pointer &tensor, const std::string &name) {
    forget_name(tensor);
    tensor->name = name;
    bind(tensor);
}

void catalogue::unpin(const tensor_pointer &tensor) {
    --tensor->pins;
    look(tensor);
}

void catalogue::look(const tensor_pointer &tensor) {
    if (!tensor->named && tensor->pins == 0)
        unreachable_.push_back(tensor);
}

} // namespace tenfold::server
