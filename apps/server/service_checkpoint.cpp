// Checkpoints: what is saved, what comes back when a server starts again, and what it lost.
#include <charconv>

#include "apps/server/request_handler.hpp"

namespace tenfold::server {

using nlohmann::json;

namespace {

/// What a job that ended leaves behind: its result, and the request that it was.
json remembered(const job &what, const std::string &request) {
    json value = {{"number", what.number},    {"user", what.user},
                  {"kind", what.plan.kind},   {"key", what.key},
                  {"request", request},       {"state", name(what.state)},
                  {"result", what.result},    {"predicted", what.seconds},
                  {"about", what.plan.about}, {"submitted", what.submitted_time}};
    if (what.failure) {
        value["error"] = what.failure->to_json();
        value["status"] = what.failure->status();
    }
    return value;
}

refusal refusal_of(int status, json fields) {
    const std::string code = fields.value("code", ""), message = fields.value("message", "");
    fields.erase("code");
    fields.erase("message");
    return {status, code, message, std::move(fields)};
}

std::string time_text(double seconds) {
    const auto time = static_cast<std::time_t>(seconds);
    std::tm parts{};
    char text[32] = "";
    gmtime_r(&time, &parts);
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
    return text;
}

} // namespace

void service::restore(const manifest &saved) {
    saved_ = saved;
    saved_.add_lost(options_.first_id + 1);
    const planning_scene scene{"", options_.ranks, options_.threads, options_.ranks_per_node,
                               nullptr};
    for (const saved_tensor &one : saved.tensors) {
        const tensor_pointer record = new_record(scene, one.name, one.type, one.extents);
        record->user = one.user;
        record->id = record->storage = one.id;
        record->time_to_live = one.time_to_live;
        record->shares = one.shares;
        record->used = job::clock::now();
        ledger_.admit(one.id, one.user, {record->bytes, {}});
        ledger_.end(one.id, one.user, true);
        tensors_.bind(record);
    }
    for (const json &one : saved.jobs) {
        const auto made = std::make_shared<job>();
        made->number = one.at("number");
        made->user = one.at("user");
        made->key = one.at("key");
        made->plan.kind = one.at("kind");
        made->result = one.at("result");
        made->seconds = one.at("predicted");
        made->plan.about = one.value("about", json::object()); // older ones have neither
        made->submitted_time = one.value("submitted", 0.0);
        const std::string state = one.at("state");
        made->state = state == name(job_state::done)     ? job_state::done
                      : state == name(job_state::failed) ? job_state::failed
                                                         : job_state::cancelled;
        if (one.contains("error"))
            made->failure = refusal_of(one.at("status"), one.at("error"));
        made->started = made->ended = made->submitted;
        jobs_.emplace(made->number, made);
        ended_[made->user].push_back(made);
        if (const auto request = hash_from_hex(one.at("request").get<std::string>()))
            keys_.insert_or_assign({made->user, made->key}, kept_answer{*request, made});
    }
}

void service::check_lost(std::uint64_t generation) const {
    if (saved_.has_lost(generation))
        throw refusal(410, "lost",
                      "the tensor of generation " + std::to_string(generation) +
                          " is lost: the server was restarted, and has tensors as they were saved "
                          "before, lastly at " +
                          time_text(saved_.saved),
                      {{"generation", generation}, {"saved", saved_.saved}});
}

void service::check_checkpoint() const {
    if (options_.checkpoint.empty())
        throw refusal(409, "no_checkpoint", "the server was started without --checkpoint");
}

planned_job service::plan_save() const {
    check_checkpoint();
    planned_job result;
    result.kind = "save";
    index_t largest = 0;
    for (const tensor_pointer &one : tensors_.all()) {
        largest = std::max(largest, one->total_bytes());
        result.bytes += one->total_bytes();
    }
    result.memory.temporary = file_memory(options_.ranks, largest);
    return result;
}

void service::start_saving(job &what) {
    manifest now;
    now.saved = now_in_seconds();
    now.last_tensor = last_tensor_;
    now.lost = saved_.lost;
    std::map<std::uint64_t, std::string> requests;
    for (const auto &[key, answer] : keys_)
        requests[answer.job->number] = to_hex(answer.request);
    for (const auto &[number, one] : jobs_)
        if (one->has_ended())
            now.jobs.push_back(remembered(*one, requests[number]));
        else {
            if (one->plan.output)
                now.pending.push_back(one->plan.output->id);
            for (const tensor_pointer &output : one->plan.outputs)
                now.pending.push_back(output->id);
        }
    std::set<std::uint64_t> there;
    for (const saved_tensor &one : saved_.tensors)
        there.insert(one.id);
    json written = json::array();
    for (const tensor_pointer &one : tensors_.all()) {
        now.tensors.push_back({one->id, one->user, one->name, one->type, one->extents(),
                               one->time_to_live, one->shares});
        if (there.count(one->id) == 0)
            written.push_back({{"storage", one->storage},
                               {"type", tenfold::name(one->type)},
                               {"file", now.tensors.back().file()}});
    }
    what.plan.work = {{"do", "save"},
                      {"folder", options_.checkpoint},
                      {"tensors", std::move(written)},
                      {"all", now.tensors.size()}};
    what.plan.body = std::make_shared<std::string>(now.text());
    saving_ = std::move(now);
    unsaved_ = false;
}

void service::end_saving(bool succeeded) {
    if (succeeded)
        saved_ = std::move(saving_);
    else
        unsaved_ = true;
}

job_pointer service::system_save() {
    const auto made = std::make_shared<job>();
    made->number = ++last_job_;
    made->plan = plan_save();
    // It is not refused, whether it fits or not; but what comes beside it is.
    ledger_.admit(made->number, made->user, made->plan.memory);
    jobs_.emplace(made->number, made);
    return made;
}

/// When it is time, a job of nobody saves what changed.
void service::save_by_interval(job::clock::time_point now) {
    if (options_.save_interval <= std::chrono::seconds(0) || stopping_ || !unsaved_ ||
        now < next_save_)
        return;
    next_save_ = now + options_.save_interval;
    if (queue_.size_of("") > 0 || (running_ && running_->plan.kind == "save"))
        return;
    queue_.push(system_save());
    changed_.notify_all();
}

void request_handler::show_checkpoint() {
    of.check_checkpoint();
    json list = json::array();
    const guard lock(of.mutex_);
    for (const saved_tensor &one : of.saved_.tensors)
        if (one.user == request.user)
            list.push_back({{"name", one.name},
                            {"generation", one.id},
                            {"type", tenfold::name(one.type)},
                            {"extents", one.extents}});
    const json saved = of.saved_.saved == 0 ? json() : json(of.saved_.saved);
    respond({{"saved", saved}, {"tensors", std::move(list)}});
}

job_pointer request_handler::restore() {
    of.check_checkpoint();
    const tensor_address where = tensor_address::parse(request.parameter, request.user);
    std::optional<saved_tensor> found;
    {
        const guard lock(of.mutex_);
        if (where.owner != request.user) // throws
            of.resolve(request.user, {request.parameter}, access_right::own);
        for (const saved_tensor &one : of.saved_.tensors)
            if (one.user == where.owner && one.name == where.name)
                found = one;
    }
    if (!found)
        throw refusal(404, "not_found",
                      "the last checkpoint has no tensor '" + request.parameter + "'");
    return submit(plan_restore(scene(), *found, of.options_.checkpoint), nullptr);
}

} // namespace tenfold::server
