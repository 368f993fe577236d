#include "apps/server/catalogue.hpp"

#include <algorithm>

namespace tenfold::server {

index_t tensor_record::total_bytes() const { return storage_bytes(layout(extents()), type).value; }

nlohmann::json tensor_record::to_json() const {
    return {{"name", name},
            {"generation", id},
            {"owner", user},
            {"type", tenfold::name(type)},
            {"extents", extents()},
            {"bytes", total_bytes()},
            {"bytes_per_rank", bytes},
            {"grid", spread.grid()}};
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

void catalogue::bind(const tensor_pointer &tensor) {
    const tensor_pointer former = find(tensor->user, tensor->name);
    by_name_[{tensor->user, tensor->name}] = tensor;
    tensor->named = true;
    if (former && former != tensor) {
        former->named = false;
        look(former);
    }
}

void catalogue::unbind(const tensor_pointer &tensor) {
    if (!tensor->named)
        return;
    by_name_.erase({tensor->user, tensor->name});
    tensor->named = false;
    look(tensor);
}

void catalogue::rename(const tensor_pointer &tensor, const std::string &name) {
    by_name_.erase({tensor->user, tensor->name});
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
