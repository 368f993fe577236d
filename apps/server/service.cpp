#include "apps/server/service.hpp"

#include <algorithm>

namespace tenfold::server {
namespace {

using nlohmann::json;

constexpr std::size_t most_waiting_jobs = 256; ///< of a user
constexpr std::size_t most_ended_jobs = 1000;
/// Of one thread, before anything was measured.
constexpr double first_flops_per_second = 4e9;
/// What a job takes without its work, and what a byte takes: only the order matters.
constexpr double seconds_per_job = 1e-3;
constexpr double seconds_per_byte = 1e-9;
constexpr double shortest_measured = 1e-2; ///< seconds of a contraction that tells the speed

refusal shutting_down() { return {503, "stopping", "the server is ending; the job was not run"}; }

} // namespace

service::service(service_options options)
    : options_(std::move(options)), ledger_(options_.ranks, options_.memory_per_rank),
      flops_per_second_(first_flops_per_second * options_.ranks * options_.threads) {}

accepted_request service::accept(const request_head &head) {
    options_.hosts.check(head);
    accepted_request result;
    result.target = request_target::parse(head.target);
    const routed found = find_route(head.method, result.target.path);
    result.what = found.found;
    result.parameter = found.parameter;
    if (result.what->needs_token)
        result.user = authenticate(head, options_.tokens);
    result.idempotency_key = head.header("idempotency-key");
    if (result.idempotency_key.size() > 128)
        throw wrong_request("Idempotency-Key has more than 128 characters");
    result.body_bytes = head.content_length();
    if (result.what->body == body_kind::none && result.body_bytes != 0)
        throw wrong_request("this request has no body");
    if (result.what->body == body_kind::json) {
        if (result.body_bytes > most_json_bytes)
            throw refusal(413, "too_large",
                          "the body has more than " + std::to_string(most_json_bytes) + " bytes",
                          {{"most", most_json_bytes}});
        // A page from elsewhere can send forms and text, but not this type unless it may.
        if (head.header("content-type").rfind("application/json", 0) != 0)
            throw refusal(415, "unsupported_media_type", "expected Content-Type: application/json");
    }
    if (result.what->body == body_kind::data) {
        if (result.body_bytes > static_cast<std::uint64_t>(ledger_.limit().value))
            throw refusal(413, "too_large", "the body is larger than the memory of a rank",
                          {{"most", ledger_.limit().value}});
        const std::lock_guard lock(mutex_);
        collect();
        const auto bytes = static_cast<index_t>(result.body_bytes);
        const byte_count least = ledger_.least_for_staging(bytes);
        if (least > ledger_.limit())
            throw no_memory(result.user, least);
        result.staging = reserve_staging(bytes);
    }
    return result;
}

void service::tick() {
    outbox out;
    const std::lock_guard lock(mutex_);
    const auto now = job::clock::now();
    const auto has_time = [&](const waiter &one) { return one.until > now; };
    const auto due = std::stable_partition(waiters_.begin(), waiters_.end(), has_time);
    for (auto one = due; one != waiters_.end(); ++one) {
        response what = response_for(*one);
        out.add(std::move(one->answer), std::move(what));
    }
    waiters_.erase(due, waiters_.end());
}

service::task service::next() {
    outbox out;
    std::unique_lock lock(mutex_);
    for (;;) {
        if (stopping_) {
            while (const job_pointer waiting = queue_.pop())
                end(waiting, {job_state::failed, false, shutting_down()}, out);
            return {command{true}, nullptr};
        }
        collect();
        job_pointer taken = queue_.pop();
        if (taken && is_stale(*taken)) {
            end(taken,
                {job_state::failed, false,
                 refusal(409, "changed",
                         "another job changed '" + taken->plan.output->name +
                             "' before this one ran")},
                out);
            return {command{}, nullptr}; // so that `out` is sent
        }
        if (taken) {
            taken->state = job_state::running;
            taken->started = job::clock::now();
            running_ = taken;
        }
        if (taken || !drops_.empty()) {
            ledger_.dropped();
            json work = taken ? taken->plan.work : json();
            return {command{false, std::exchange(drops_, {}), std::move(work)}, std::move(taken)};
        }
        changed_.wait(lock);
    }
}

void service::finish(const job_pointer &what, json result, std::optional<refusal> failure) {
    outbox out;
    const std::lock_guard lock(mutex_);
    running_ = nullptr;
    const bool has_elements = !failure;
    if (!failure && is_stale(*what))
        failure.emplace(409, "changed",
                        "another job changed '" + what->plan.output->name + "' meanwhile");
    if (!failure && what->plan.flops > 0) {
        const double seconds =
            std::chrono::duration<double>(job::clock::now() - what->started).count();
        if (seconds >= shortest_measured)
            flops_per_second_ = 0.5 * (flops_per_second_ + what->plan.flops / seconds);
    }
    what->result = std::move(result);
    const bool was_cancelled = failure && failure->code() == name(errc::stopped);
    const job_state state = !failure        ? job_state::done
                            : was_cancelled ? job_state::cancelled
                                            : job_state::failed;
    end(what, {state, has_elements, std::move(failure)}, out);
}

void service::stop() {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (running_)
        running_->stop.request_stop();
    changed_.notify_all();
}

std::shared_ptr<void> service::reserve_staging(index_t bytes) {
    ledger_.add_staging(bytes);
    return {nullptr, [this, bytes](void *) { ledger_.add_staging(-bytes); }};
}

tensor_pointer service::resolve(const std::string &user, const operand &named) const {
    tensor_pointer found = tensors_.find(user, named.name);
    if (!found)
        throw refusal(404, "not_found", "there is no tensor '" + named.name + "'",
                      {{"name", named.name}});
    if (named.generation && found->id != *named.generation)
        throw refusal(409, "stale",
                      "'" + named.name + "' is another tensor now: its generation is " +
                          std::to_string(found->id) + ", not " + std::to_string(*named.generation),
                      {{"name", named.name}, {"generation", found->id}});
    return found;
}

byte_count service::headroom(const per_rank &own) {
    const std::lock_guard lock(mutex_);
    collect();
    return ledger_.headroom(own);
}

void service::collect() {
    for (const tensor_pointer &one : tensors_.take_unreachable()) {
        drops_.push_back(one->id);
        ledger_.release(one->bytes);
    }
}

job_pointer service::submit(const std::string &user, planned_job plan,
                            std::vector<tensor_pointer> inputs, std::shared_ptr<void> staging) {
    auto made = std::make_shared<job>();
    const std::lock_guard lock(mutex_);
    if (stopping_)
        throw shutting_down();
    if (queue_.size_of(user) >= most_waiting_jobs)
        throw refusal(429, "too_many_jobs",
                      std::to_string(most_waiting_jobs) + " of your jobs are waiting");
    collect();
    const byte_count least = ledger_.least_for(plan.memory);
    if (least > ledger_.limit())
        throw no_memory(user, least);
    if (plan.download_type) {
        const byte_count with_body = ledger_.least_for_staging(plan.bytes);
        if (with_body > ledger_.limit())
            throw no_memory(user, with_body);
        staging = reserve_staging(plan.bytes);
        made->download = std::make_shared<std::string>();
    }
    made->number = ++last_job_;
    made->user = user;
    made->seconds = seconds_per_job + plan.flops / flops_per_second_ +
                    static_cast<double>(plan.bytes) * seconds_per_byte;
    if (plan.output) {
        plan.output->id = ++last_tensor_;
        plan.work["output"] = plan.output->id;
        plan.work["type"] = tenfold::name(plan.output->type);
        plan.work["extents"] = plan.output->extents();
    }
    json ids = json::array();
    for (const tensor_pointer &one : inputs)
        ids.push_back(one->id);
    plan.work["inputs"] = std::move(ids);
    if (!inputs.empty())
        plan.work["input_type"] = tenfold::name(inputs.front()->type);
    ledger_.admit(made->number, plan.memory);
    made->plan = std::move(plan);
    made->inputs = std::move(inputs);
    made->staging = std::move(staging);
    jobs_.emplace(made->number, made);
    queue_.push(made);
    changed_.notify_all();
    return made;
}

refusal service::no_memory(const std::string &user, byte_count least) const {
    json free = json::array();
    for (const tensor_pointer &one : tensors_.of_user(user))
        free.push_back(
            {{"name", one->name},
             {"bytes_per_rank", *std::max_element(one->bytes.begin(), one->bytes.end())}});
    return {507,
            "insufficient_memory",
            "a rank would need " + std::to_string(least.value) + " bytes, the limit is " +
                std::to_string(ledger_.limit().value),
            {{"least", least.value}, {"limit", ledger_.limit().value}, {"tensors", free}}};
}

/// Whether the job reads a tensor that has lost its name since the job was planned.
bool service::is_stale(const job &what) const {
    if (what.plan.updates == 0)
        return false;
    const tensor_pointer now = tensors_.find(what.user, what.plan.output->name);
    return !now || now->id != what.plan.updates;
}

void service::end(const job_pointer &what, ending how, outbox &out) {
    const tensor_pointer &output = what->plan.output;
    const bool is_done = how.state == job_state::done;
    ledger_.end(what->number, how.has_elements);
    if (output && is_done)
        tensors_.bind(output);
    else if (output && how.has_elements)
        tensors_.abandon(output);
    for (const tensor_pointer &one : what->inputs)
        tensors_.unpin(one);
    what->inputs.clear();
    what->plan.body = nullptr;
    if (!is_done)
        what->download = nullptr;
    what->state = how.state;
    what->failure = std::move(how.failure);
    what->ended = job::clock::now();
    if (what->started == job::clock::time_point())
        what->started = what->ended;
    if (output && is_done)
        what->result["tensor"] = output->to_json();
    totals &sum = totals_[{what->plan.kind, name(how.state)}];
    ++sum.jobs;
    sum.seconds += std::chrono::duration<double>(what->ended - what->started).count();
    sum.bytes += static_cast<double>(what->plan.bytes);
    answer_waiters(what, out);
    if (!what->download)
        what->staging = nullptr;
    ended_.push_back(what->number);
    forget_old_jobs();
    changed_.notify_all();
}

void service::forget_old_jobs() {
    while (ended_.size() > most_ended_jobs) {
        jobs_.erase(ended_.front());
        ended_.pop_front();
    }
    for (auto one = keys_.begin(); one != keys_.end();)
        one = jobs_.count(one->second.job->number) == 0 ? keys_.erase(one) : std::next(one);
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
        response result = response::json(what.has_ended() || who.asks_for_job ? 200 : 202,
                                         {{"job", what.to_json()}});
        if (!what.has_ended())
            result.headers.emplace_back("Location", "/v1/jobs/" + what.id());
        return result;
    }
    const refusal problem =
        what.failure ? *what.failure : refusal(409, std::string(name(errc::stopped)), "cancelled");
    return response::json(problem.status(), {{"error", problem.to_json()}, {"job", what.id()}});
}

} // namespace tenfold::server
