#include "apps/server/catalogue.hpp"

#include <algorithm>

namespace tenfold::server {

index_t tensor_record::total_bytes() const { return storage_bytes(layout(extents()), type).value; }

std::string_view name(access_right right) noexcept {
    switch (right) {
    case access_right::read:
        return "read";
    case access_right::write:
        return "write";
    case access_right::own:
        return "own";
    default:
        return "none";
    }
}

std::optional<access_right> parse_shared_right(std::string_view text) noexcept {
    for (const access_right right : {access_right::read, access_right::write})
        if (text == name(right))
            return right;
    return std::nullopt;
}

nlohmann::json shares_json(const share_list &shares) {
    nlohmann::json value = nlohmann::json::object();
    for (const auto &[user, right] : shares)
        value[user] = name(right);
    return value;
}

tensor_address tensor_address::parse(const std::string &text, const std::string &user) {
    const std::size_t colon = text.find(':'); // in no name of a user or of a tensor
    if (colon == std::string::npos)
        return {user, text};
    return {text.substr(0, colon), text.substr(colon + 1)};
}

access_right tensor_record::right_of(const std::string &who) const {
    if (who == user)
        return access_right::own;
    const auto found = shares.find(who);
    return found == shares.end() ? access_right::none : found->second;
}

std::string tensor_record::name_for(const std::string &who) const {
    return who == user ? name : user + ":" + name;
}

nlohmann::json tensor_record::to_json(const std::string &who) const {
    nlohmann::json value = {{"name", name_for(who)},
                            {"time_to_live", time_to_live},
                            {"generation", id},
                            {"owner", user},
                            {"access", server::name(right_of(who))},
                            {"type", tenfold::name(type)},
                            {"extents", extents()},
                            {"bytes", total_bytes()},
                            {"bytes_per_rank", bytes},
                            {"grid", spread.grid()}};
    if (who == user)
        value["shares"] = shares_json(shares);
    return value;
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

std::vector<tensor_pointer> catalogue::visible_to(const std::string &user) const {
    std::vector<tensor_pointer> found = of_user(user);
    if (const auto shared = shared_.find(user); shared != shared_.end())
        for (const key &one : shared->second)
            found.push_back(by_name_.at(one));
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

void catalogue::show(const tensor_record &tensor) {
    changed_.insert(tensor.user);
    for (const auto &[user, right] : tensor.shares) {
        shared_[user].insert({tensor.user, tensor.name});
        changed_.insert(user);
    }
}

void catalogue::hide(const tensor_record &tensor) {
    changed_.insert(tensor.user);
    for (const auto &[user, right] : tensor.shares) {
        const auto list = shared_.find(user);
        list->second.erase({tensor.user, tensor.name});
        if (list->second.empty())
            shared_.erase(list);
        changed_.insert(user);
    }
}

void catalogue::forget_name(const tensor_pointer &tensor) {
    hide(*tensor);
    counts_[tensor->user] -= by_name_.erase({tensor->user, tensor->name});
}

void catalogue::bind(const tensor_pointer &tensor) {
    const tensor_pointer former = find(tensor->user, tensor->name);
    if (former)
        hide(*former);
    by_name_[{tensor->user, tensor->name}] = tensor;
    show(*tensor);
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

void catalogue::share(const tensor_pointer &tensor, const std::string &user, access_right right) {
    hide(*tensor);
    if (right == access_right::none)
        tensor->shares.erase(user);
    else
        tensor->shares.insert_or_assign(user, right);
    show(*tensor);
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
