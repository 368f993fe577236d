#include <algorithm>

#include "apps/server/request_handler.hpp"

namespace tenfold::server {
namespace {

using nlohmann::json;

constexpr std::size_t most_waiting_jobs = 256; ///< of a user
constexpr std::size_t most_listed = 100;       ///< tensors in a refusal
/// Bodies of JSON up to this size are not counted: connections and waiting jobs bound them.
constexpr std::uint64_t uncounted_json_bytes = 4 << 10;
/// Bytes that a byte of JSON takes at most when it is read: "0," is a number of 16 bytes.
constexpr index_t memory_of_json = 16;
/// Of one thread, before anything was measured.
constexpr double first_flops_per_second = 4e9;
/// What a job takes without its work, and what a byte takes: only the order matters.
constexpr double seconds_per_job = 1e-3;
constexpr double seconds_per_byte = 1e-9;
constexpr double shortest_measured = 1e-2; ///< seconds of a contraction that tells the speed

refusal shutting_down() {
    return {503, "stopping", "the server is ending; the job was not done and changed nothing"};
}

} // namespace

service::service(service_options options)
    : options_(std::move(options)),
      ledger_(options_.ranks, options_.memory_per_rank, options_.quota),
      subscriptions_(options_.ranks), rates_(options_.requests_per_second),
      last_job_(options_.first_id), last_tensor_(options_.first_id),
      last_transfer_(options_.first_id),
      flops_per_second_(first_flops_per_second * options_.ranks * options_.threads),
      next_save_(job::clock::now() + options_.save_interval) {}

accepted_request service::accept(const request_head &head) {
    options_.hosts.check(head);
    accepted_request result;
    result.target = request_target::parse(head.target);
    try {
        const routed found = find_route(head.method, result.target.path);
        result.what = found.found;
        result.parameter = found.parameter;
    } catch (const refusal &) {
        authenticated(head); // strangers are not told which paths there are
        throw;
    }
    if (result.what->needs_token) {
        result.user = authenticated(head);
        rates_.check(result.user, request_rates::clock::now());
    }
    if (result.what->what == operation::open_session ||
        result.what->what == operation::close_session)
        result.head = head;
    result.idempotency_key = head.header("idempotency-key");
    if (result.idempotency_key.size() > 128)
        throw wrong_request("Idempotency-Key has more than 128 characters");
    result.body_bytes = head.content_length();
    if (result.what->body == body_kind::none && result.body_bytes != 0)
        throw wrong_request("this request has no body");
    if (result.what->body == body_kind::json) {
        const std::uint64_t most =
            result.what->needs_token ? most_json_bytes : uncounted_json_bytes;
        if (result.body_bytes > most)
            throw refusal(413, "too_large",
                          "the body has more than " + std::to_string(most) + " bytes",
                          {{"most", most}});
        // A page from elsewhere can send forms and text, but not this type unless it may.
        if (head.header("content-type").rfind("application/json", 0) != 0)
            throw refusal(415, "unsupported_media_type", "expected Content-Type: application/json");
        if (result.body_bytes > uncounted_json_bytes)
            count_body(result, memory_of_json * static_cast<index_t>(result.body_bytes));
    }
    if (result.what->body == body_kind::data) {
        if (result.body_bytes > static_cast<std::uint64_t>(ledger_.limit().value))
            throw refusal(413, "too_large", "the body is larger than the memory of a rank",
                          {{"most", ledger_.limit().value}});
        std::string no_body;
        reply nobody;
        request_handler{*this, result, no_body, nobody}.check_upload();
        count_body(result, static_cast<index_t>(result.body_bytes));
    }
    return result;
}

void service::count_body(accepted_request &request, index_t bytes) {
    const std::lock_guard lock(mutex_);
    collect();
    const byte_count least = ledger_.least_for_staging(bytes);
    if (least > ledger_.limit())
        throw no_memory(request.user, least);
    request.staging = reserve_staging(bytes);
}

void service::cancel(const job_pointer &what, outbox &out) {
    if (queue_.remove(what))
        end(what,
            {job_state::cancelled, false,
             refusal(409, std::string(name(errc::stopped)), "the job was cancelled")},
            out);
    else
        what->stop.request_stop();
}

service::task service::next() {
    outbox out;
    std::unique_lock lock(mutex_);
    for (;;) {
        if (stopping_) {
            while (const job_pointer waiting = queue_.pop())
                end(waiting, {job_state::failed, false, shutting_down()}, out);
            if (options_.checkpoint.empty() || std::exchange(saved_last_, true)) {
                subscriptions_.finish();
                return {command{true}, nullptr};
            }
        }
        collect();
        job_pointer taken = stopping_ ? system_save() : queue_.pop();
        if (taken) {
            std::optional<refusal> problem = conflict(*taken);
            if (!problem && taken->plan.overwrites)
                problem = take_over(*taken);
            if (problem) {
                end(taken, {job_state::failed, false, std::move(problem)}, out);
                return {command{}, nullptr}; // so that `out` is sent
            }
        }
        if (taken && taken->plan.kind == "save")
            start_saving(*taken);
        if (taken) {
            taken->state = job_state::running;
            taken->started = job::clock::now();
            running_ = taken;
            subscriptions_.tell(*taken);
        }
        if (taken || !drops_.empty() || !closes_.empty()) {
            ledger_.dropped();
            json work = taken ? std::exchange(taken->plan.work, json()) : json();
            return {command{false, std::exchange(drops_, {}), std::move(work),
                            std::exchange(closes_, {})},
                    std::move(taken)};
        }
        changed_.wait(lock);
    }
}

void service::finish(const job_pointer &what, json result, std::optional<refusal> failure) {
    outbox out;
    const std::lock_guard lock(mutex_);
    running_ = nullptr;
    const bool has_elements = !failure;
    if (!failure && !what->in_place)
        failure = conflict(*what);
    const bool uses_our_files =
        what->plan.kind == "save" || what->plan.kind == "restore" ||
        (what->plan.kind == "export" && !what->plan.about.contains("dataset"));
    if (failure && uses_our_files && failure->status() == 400) // no fault of the request
        failure = refusal(500, failure->code(), failure->what());
    if (what->plan.kind == "save") {
        end_saving(!failure);
        last_failure_ = failure;
    }
    if (failure && what->in_place) // nothing was written: it is the tensor that it was
        what->plan.output->id = what->inputs.front()->id;
    if (!failure && what->plan.flops > 0) {
        const double seconds =
            std::chrono::duration<double>(job::clock::now() - what->started).count();
        if (seconds >= shortest_measured)
            flops_per_second_ = 0.5 * (flops_per_second_ + what->plan.flops / seconds);
    }
    what->result = std::move(result);
    bool was_cancelled = failure && failure->code() == name(errc::stopped);
    if (was_cancelled && what == stopped_) { // nobody asked for that
        failure = shutting_down();
        was_cancelled = false;
    }
    const job_state state = !failure        ? job_state::done
                            : was_cancelled ? job_state::cancelled
                                            : job_state::failed;
    end(what, {state, has_elements, std::move(failure)}, out);
}

std::optional<refusal> service::last_failure() const {
    const std::lock_guard lock(mutex_);
    return last_failure_;
}

void service::stop() {
    const std::lock_guard lock(mutex_);
    // A checkpoint that is being saved is not begun anew: there may be little time.
    if (running_ && !stopping_ && running_->plan.kind != "save" &&
        !running_->stop.stop_requested()) {
        stopped_ = running_;
        stopped_->stop.request_stop();
    }
    stopping_ = true;
    changed_.notify_all();
}

std::shared_ptr<void> service::reserve_staging(index_t bytes) {
    ledger_.add_staging(bytes);
    return {nullptr, [this, bytes](void *) { ledger_.add_staging(-bytes); }};
}

const std::string &service::root() const {
    if (options_.root.empty())
        throw refusal(409, "no_root", "the server was started without --root");
    return options_.root;
}

byte_count service::headroom(const per_rank &own) {
    const std::lock_guard lock(mutex_);
    collect();
    return ledger_.headroom(own);
}

void service::collect() {
    for (const tensor_pointer &one : tensors_.take_unreachable()) {
        if (one->storage != 0)
            drops_.push_back(one->storage);
        ledger_.release(one->user, one->bytes);
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
    if (plan.output)
        check_output(user, *plan.output);
    if (((plan.output && !tensors_.find(plan.output->user, plan.output->name)) ||
         !plan.outputs.empty()) &&
        tensors_.count_of(user) + queue_.size_of(user) + plan.outputs.size() >=
            options_.most_tensors)
        throw refusal(429, "too_many_tensors",
                      "a user may have " + std::to_string(options_.most_tensors) + " tensors");
    collect();
    memory_demand memory = plan.memory;
    if (plan.overwrites && inputs.front()->pins == 1)
        memory.output.clear(); // as it looks now; take_over() decides
    const std::string owner = plan.owner(user);
    if (auto problem = shortage(user, owner, memory))
        throw std::move(*problem);
    if (plan.download_type) {
        const byte_count with_body = ledger_.least_for_staging(plan.bytes);
        if (with_body > ledger_.limit())
            throw no_memory(user, with_body);
        staging = reserve_staging(plan.bytes);
        made->download = std::make_shared<std::string>();
    }
    made->number = ++last_job_;
    made->user = user;
    made->seconds = seconds_per_job + plan.seconds + plan.flops / flops_per_second_ +
                    static_cast<double>(plan.bytes) * seconds_per_byte;
    if (plan.output) {
        plan.output->id = plan.output->storage = ++last_tensor_;
        plan.work["output"] = plan.output->storage;
        plan.work["type"] = tenfold::name(plan.output->type);
        plan.work["extents"] = plan.output->extents();
    }
    for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
        plan.outputs[i]->id = plan.outputs[i]->storage = ++last_tensor_;
        plan.work["outputs"][i]["id"] = plan.outputs[i]->storage;
    }
    json ids = json::array(), names = json::array();
    for (const tensor_pointer &one : inputs) {
        ids.push_back(one->storage);
        names.push_back(one->name_for(user));
    }
    plan.about["inputs"] = std::move(names);
    if (plan.output)
        plan.about["output"] = plan.output->name_for(user);
    plan.work["inputs"] = std::move(ids);
    if (!inputs.empty())
        plan.work["input_type"] = tenfold::name(inputs.front()->type);
    ledger_.admit(made->number, owner, std::move(memory));
    made->plan = std::move(plan);
    made->inputs = std::move(inputs);
    made->staging = std::move(staging);
    made->submitted_time = now_in_seconds();
    jobs_.emplace(made->number, made);
    queue_.push(made);
    subscriptions_.tell(*made);
    changed_.notify_all();
    return made;
}

json service::largest_tensors(const std::string &user) const {
    const auto most_on_a_rank = [](const tensor_pointer &one) {
        return *std::max_element(one->bytes.begin(), one->bytes.end());
    };
    std::vector<tensor_pointer> own = tensors_.of_user(user);
    std::stable_sort(own.begin(), own.end(), [&](const tensor_pointer &a, const tensor_pointer &b) {
        return most_on_a_rank(a) > most_on_a_rank(b);
    });
    own.resize(std::min(own.size(), most_listed));
    json list = json::array();
    for (const tensor_pointer &one : own)
        list.push_back({{"name", one->name}, {"bytes_per_rank", most_on_a_rank(one)}});
    return list;
}

refusal service::no_memory(const std::string &user, byte_count least) const {
    return {507,
            "insufficient_memory",
            "a rank would need " + std::to_string(least.value) + " bytes, the limit is " +
                std::to_string(ledger_.limit().value),
            {{"least", least.value},
             {"limit", ledger_.limit().value},
             {"tensors", largest_tensors(user)}}};
}

std::optional<refusal> service::shortage(const std::string &user, const std::string &owner,
                                         const memory_demand &memory) const {
    const byte_count least = ledger_.least_for(memory);
    if (least > ledger_.limit())
        return no_memory(user, least);
    const byte_count quota = ledger_.quota();
    const byte_count needed = ledger_.least_quota_for(owner, memory);
    if (quota.value == 0 || !(needed > quota))
        return std::nullopt;
    const bool is_own = owner == user;
    json fields = {{"least", needed.value}, {"limit", quota.value}};
    if (is_own) // others' names are nobody's business
        fields["tensors"] = largest_tensors(user);
    return refusal(507, "quota_exceeded",
                   (is_own ? "your tensors" : "the tensors of '" + owner + "'") + " would take " +
                       std::to_string(needed.value) + " bytes on a rank, a user may have " +
                       std::to_string(quota.value),
                   std::move(fields));
}

std::optional<refusal> service::conflict(const job &what) const {
    if (what.plan.output)
        try {
            check_output(what.user, *what.plan.output);
        } catch (const refusal &problem) { // its owner took the right back, or the tensor away
            return problem;
        }
    if (what.plan.updates == 0 && !what.plan.needs_new_name && what.plan.restores == 0)
        return std::nullopt;
    const std::string name = what.plan.output->name_for(what.user);
    const auto is_read = [&](const saved_tensor &one) { return one.id == what.plan.restores; };
    if (what.plan.restores != 0 &&
        std::none_of(saved_.tensors.begin(), saved_.tensors.end(), is_read))
        return refusal(404, "not_found",
                       "the last checkpoint has no tensor '" + name + "' any more");
    const tensor_pointer now = tensors_.find(what.plan.output->user, what.plan.output->name);
    if (what.plan.needs_new_name && now)
        return refusal(409, "exists", "another job made '" + name + "' meanwhile");
    if (what.plan.updates != 0 && (!now || now->id != what.plan.updates))
        return refusal(409, "changed", "another job changed '" + name + "' meanwhile");
    return std::nullopt;
}

std::optional<refusal> service::take_over(job &what) {
    tensor_record &former = *what.inputs.front();
    tensor_record &output = *what.plan.output;
    what.in_place = former.pins == 1; // this job's
    memory_demand memory = what.plan.memory;
    if (what.in_place)
        memory.output.clear();
    ledger_.end(what.number, output.user, false);
    if (!what.in_place)
        if (auto problem = shortage(what.user, output.user, memory))
            return problem;
    ledger_.admit(what.number, output.user, std::move(memory));
    what.plan.work["in_place"] = what.in_place;
    if (what.in_place) {
        output.storage = std::exchange(former.storage, 0);
        output.time_to_live = former.time_to_live;
        output.shares = former.shares;
        output.used = job::clock::now();
        former.bytes.assign(former.bytes.size(), 0);
        what.plan.work["output"] = output.storage;
        tensors_.bind(what.plan.output); // at once: jobs that are submitted from now on read it
    }
    return std::nullopt;
}

} // namespace tenfold::server
