// How jobs end: who is answered, what is kept of them, and for how long.
#include <algorithm>

#include "apps/server/service.hpp"

namespace tenfold::server {

using nlohmann::json;

namespace {

constexpr std::size_t most_ended_jobs = 1000; ///< of a user

} // namespace

void service::end(const job_pointer &what, ending how, outbox &out) {
    const tensor_pointer &output = what->plan.output;
    const bool is_done = how.state == job_state::done;
    ledger_.end(what->number, what->plan.owner(what->user), how.has_elements);
    settle_transfer(*what, is_done);
    const bool has_name = output && !what->plan.opens;
    std::vector<tensor_pointer> outputs = what->plan.outputs;
    if (output && !what->in_place)
        outputs.push_back(output);
    for (const tensor_pointer &one : outputs) {
        one->used = job::clock::now();
        if (is_done && (one != output || has_name)) {
            const tensor_pointer former = tensors_.find(one->user, one->name);
            one->time_to_live = former ? former->time_to_live : options_.time_to_live;
            one->shares = former ? former->shares : share_list();
            tensors_.bind(one);
        } else if (how.has_elements) {
            tensors_.abandon(one);
        }
    }
    if (output)
        output->used = job::clock::now();
    for (const tensor_pointer &one : what->inputs) {
        one->used = job::clock::now();
        tensors_.unpin(one);
    }
    what->inputs.clear();
    what->plan.body = nullptr;
    what->plan.work = nullptr; // which may be large
    if (!is_done)
        what->download = nullptr;
    what->state = how.state;
    what->failure = std::move(how.failure);
    if (what->ended_with_server())
        forget_key(*what);
    what->ended = job::clock::now();
    if (what->started == job::clock::time_point())
        what->started = what->ended;
    if (has_name && is_done)
        what->result["tensor"] = output->to_json(what->user);
    if (is_done && what->plan.kind == "program") {
        json made = json::object();
        for (const tensor_pointer &one : what->plan.outputs)
            made[one->name] = one->to_json(what->user);
        what->result["tensors"] = std::move(made);
    }
    unsaved_ = unsaved_ || (is_done && (has_name || !what->plan.outputs.empty()));
    totals &sum = totals_[{what->plan.kind, name(how.state)}];
    ++sum.jobs;
    sum.seconds += std::chrono::duration<double>(what->ended - what->started).count();
    sum.waited += std::chrono::duration<double>(what->started - what->submitted).count();
    sum.bytes += static_cast<double>(what->plan.bytes);
    if (is_done && what->result.is_object())
        for (const char *field : {"bytes_received", "redistribution"})
            sum.received += what->result.value(field, 0.0);
    subscriptions_.tell(*what);
    answer_waiters(what, out);
    if (what->stop.stop_requested())
        what->download = nullptr; // nobody waits for it
    if (!what->download)
        what->staging = nullptr;
    std::deque<job_pointer> &ended = ended_[what->user];
    ended.push_back(what);
    if (ended.size() > most_ended_jobs) {
        forget(*ended.front());
        ended.pop_front();
    }
    changed_.notify_all();
}

void service::forget(const job &what) {
    jobs_.erase(what.number);
    forget_key(what);
}

void service::forget_key(const job &what) {
    const auto key = keys_.find({what.user, what.key});
    if (key != keys_.end() && key->second.job->number == what.number)
        keys_.erase(key);
}

void service::answer_waiters(const job_pointer &what, outbox &out) {
    const auto others = [&](const waiter &one) { return one.job != what; };
    const auto due = std::stable_partition(waiters_.begin(), waiters_.end(), others);
    for (auto one = due; one != waiters_.end(); ++one) {
        response made = response_for(*one);
        out.add(std::move(one->answer), std::move(made));
    }
    waiters_.erase(due, waiters_.end());
}

response service::response_for(const waiter &who) {
    job &what = *who.job;
    if (who.asks_for_job || what.state == job_state::done || !what.has_ended()) {
        if (what.download && !who.asks_for_job && what.has_ended()) {
            struct held {
                std::shared_ptr<std::string> text;
                std::shared_ptr<void> staging;
            };
            const auto both = std::make_shared<held>(
                held{std::exchange(what.download, nullptr), std::exchange(what.staging, nullptr)});
            response result;
            result.content_type = *what.plan.download_type;
            result.body = std::shared_ptr<const std::string>(both, both->text.get());
            return result;
        }
        if (what.plan.download_type && !who.asks_for_job && what.has_ended())
            return response::of({409, std::string(name(errc::stopped)), "the job was cancelled"});
        json told = {{"job", what.to_json(who.asks_for_job)}};
        if (what.plan.opens && !who.asks_for_job && what.plan.opens->state == transfer_state::open)
            told["transfer"] = what.plan.opens->ticket();
        response result = response::json(what.has_ended() || who.asks_for_job ? 200 : 202, told);
        if (!what.has_ended())
            result.headers.emplace_back("Location", "/v1/jobs/" + what.id());
        return result;
    }
    const refusal problem =
        what.failure ? *what.failure : refusal(409, std::string(name(errc::stopped)), "cancelled");
    return response::json(problem.status(), {{"error", problem.to_json()}, {"job", what.id()}});
}

} // namespace tenfold::server
