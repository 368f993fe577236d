// Requests about tensors alone: which there are, their names, with whom they are shared; and the
// one place that decides who may use which.
#include <algorithm>
#include <tuple>

#include "apps/server/parse_number.hpp"
#include "apps/server/request_handler.hpp"

namespace tenfold::server {

using nlohmann::json;

tensor_pointer service::find(const std::string &user, const std::string &name) const {
    const tensor_address where = tensor_address::parse(name, user);
    const tensor_pointer found = tensors_.find(where.owner, where.name);
    return found && found->right_of(user) >= access_right::read ? found : nullptr;
}

tensor_pointer service::resolve(const std::string &user, const operand &named,
                                access_right needed) const {
    const tensor_pointer found = find(user, named.name);
    if (named.generation && (!found || found->id != *named.generation))
        check_lost(*named.generation);
    if (!found)
        throw refusal(404, "not_found", "there is no tensor '" + named.name + "'",
                      {{"name", named.name}});
    const access_right right = found->right_of(user);
    if (right < needed)
        throw refusal(403, "forbidden",
                      needed == access_right::own
                          ? "only the owner of '" + named.name + "' may do this"
                          : "'" + named.name + "' is shared with you for reading, not for writing",
                      {{"name", named.name}, {"access", name(right)}, {"needed", name(needed)}});
    if (named.generation && found->id != *named.generation)
        throw refusal(409, "stale",
                      "'" + named.name + "' is another tensor now: its generation is " +
                          std::to_string(found->id) + ", not " + std::to_string(*named.generation),
                      {{"name", named.name}, {"generation", found->id}});
    found->used = job::clock::now();
    return found;
}

void service::check_output(const std::string &user, const tensor_record &output) const {
    if (output.user != user)
        resolve(user, {output.name_for(user)}, access_right::write);
}

operand request_handler::target_operand() const {
    operand result{request.parameter};
    if (const auto text = request.target.find("generation")) {
        result.generation = parse_number<std::uint64_t>(*text);
        if (!result.generation)
            throw wrong_request("generation: expected a number");
    }
    return result;
}

tensor_pointer request_handler::named(access_right needed) const {
    request.target.check_query({"generation"});
    return of.resolve(request.user, target_operand(), needed);
}

refusal request_handler::exists(const std::string &name) {
    return {409, "exists", "there is a tensor '" + name + "' already"};
}

void request_handler::list_tensors() {
    request.target.check_query({"limit", "after"});
    const std::size_t limit = limit_of_query();
    const auto after = request.target.find("after");
    json list = json::array();
    json told;
    {
        const guard lock(of.mutex_);
        const std::vector<tensor_pointer> all = of.tensors_.visible_to(request.user);
        index_t bytes = 0;
        for (const tensor_pointer &one : all)
            bytes += one->total_bytes();
        told = {{"count", all.size()}, {"bytes", bytes}};
        auto at = all.begin();
        if (after) {
            const tensor_address last = tensor_address::parse(*after, request.user);
            const bool last_is_others = last.owner != request.user;
            at = std::partition_point(all.begin(), all.end(), [&](const tensor_pointer &one) {
                const bool is_others = one->user != request.user;
                return std::tie(is_others, one->user, one->name) <=
                       std::tie(last_is_others, last.owner, last.name);
            });
        }
        for (; at != all.end() && list.size() < limit; ++at)
            list.push_back((*at)->to_json(request.user));
        if (at != all.end())
            told["next"] = list.back().at("name");
    }
    told["tensors"] = std::move(list);
    respond(told);
}

void request_handler::show_tensor() {
    const guard lock(of.mutex_);
    respond({{"tensor", named()->to_json(request.user)}});
}

void request_handler::rename_tensor() {
    const json given = parse_object(body);
    fields read(given);
    const auto asked = read.find_text("name");
    const auto time_to_live = read.find_number("time_to_live");
    read.finish();
    if (!asked && !time_to_live)
        throw wrong_request("expected name, time_to_live, or both");
    if (asked && !is_tensor_name(*asked))
        throw wrong_request("name: not the name of a tensor");
    if (time_to_live && !(*time_to_live >= 0))
        throw wrong_request("time_to_live: expected seconds, or 0 for no end");
    const guard lock(of.mutex_);
    const tensor_pointer what = named(access_right::own);
    const std::string name = asked.value_or(what->name);
    if (name != what->name && of.tensors_.find(request.user, name))
        throw exists(name);
    if (name != what->name)
        of.tensors_.rename(what, name);
    what->time_to_live = time_to_live.value_or(what->time_to_live);
    of.unsaved_ = true;
    respond({{"tensor", what->to_json(request.user)}});
}

void request_handler::delete_tensor() {
    const guard lock(of.mutex_);
    const tensor_pointer what = named(access_right::own);
    of.tensors_.unbind(what);
    of.unsaved_ = true;
    of.changed_.notify_all();
    respond({{"deleted", what->name}});
}

void request_handler::set_shares(const tensor_pointer &what, const std::vector<std::string> &users,
                                 access_right right) {
    for (const std::string &user : users)
        of.tensors_.share(what, user, right);
    of.unsaved_ = true;
    response told = response::json(200, {{"tensor", what->to_json(request.user)}});
    told.audit = {{"users", users}, {"access", name(right)}};
    answer(std::move(told));
}

void request_handler::share_tensor() {
    const json given = parse_object(body);
    fields read(given);
    const std::string user = read.text("user");
    const auto right = parse_shared_right(read.text("access"));
    read.finish();
    if (!right)
        throw wrong_request("access: expected read or write");
    const guard lock(of.mutex_);
    const tensor_pointer what = named(access_right::own);
    if (user == what->user)
        throw wrong_request("user: the tensor is this user's own");
    if (!of.options_.tokens.has_user(user))
        throw refusal(404, "no_user", "this server has no user '" + user + "'", {{"user", user}});
    if (what->shares.size() >= most_shares && what->shares.count(user) == 0)
        throw refusal(429, "too_many_shares",
                      "a tensor may be shared with " + std::to_string(most_shares) + " users",
                      {{"most", most_shares}});
    set_shares(what, {user}, *right);
}

void request_handler::unshare_tensor() {
    request.target.check_query({"generation", "user"});
    const guard lock(of.mutex_);
    const tensor_pointer what = of.resolve(request.user, target_operand());
    const auto asked = request.target.find("user");
    std::vector<std::string> users{asked.value_or(request.user)};
    if (users.front() != request.user) // all but the owner may only decline for themselves
        of.resolve(request.user, target_operand(), access_right::own);
    if (!asked && what->user == request.user) {
        users.clear();
        for (const auto &[user, right] : what->shares)
            users.push_back(user);
    }
    set_shares(what, users, access_right::none);
}

} // namespace tenfold::server
