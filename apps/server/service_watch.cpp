// What the clock brings; and for people who watch: events as they happen, memory over time, the
// page and who is logged in.
#include <algorithm>

#include "apps/server/page/page_file.hpp"
#include "apps/server/request_handler.hpp"

namespace tenfold::server {

using nlohmann::json;

namespace {

constexpr std::chrono::milliseconds time_between_looks{1000}; ///< for tensors that nobody uses

} // namespace

std::string service::authenticated(const request_head &head) const {
    if (head.header("authorization").empty())
        if (const auto user = browsers_.user_of(head))
            return *user;
    return authenticate(head, options_.tokens);
}

void service::tick() {
    outbox out;
    const std::lock_guard lock(mutex_);
    const auto now = job::clock::now();
    tell_of_time(now);
    delete_unused(now);
    end_late_transfers(now);
    save_by_interval(now);
    const auto has_time = [&](const waiter &one) { return one.until > now; };
    const auto late = std::stable_partition(waiters_.begin(), waiters_.end(), has_time);
    std::vector<waiter> due(std::make_move_iterator(late), std::make_move_iterator(waiters_.end()));
    waiters_.erase(late, waiters_.end());
    for (waiter &one : due) {
        const bool loses_body = one.job->plan.download_type && !one.asks_for_job;
        if (loses_body) // nobody else would take it
            cancel(one.job, out);
        response what =
            loses_body ? response::of({504, "too_slow",
                                       "the download took longer than the request waits; it was "
                                       "cancelled"})
                       : response_for(one);
        out.add(std::move(one.answer), std::move(what));
    }
}

void service::delete_unused(job::clock::time_point now) {
    if (now < next_look_)
        return;
    next_look_ = now + time_between_looks;
    for (const tensor_pointer &one : tensors_.all())
        if (one->time_to_live > 0 && one->pins == 0 &&
            std::chrono::duration<double>(now - one->used).count() > one->time_to_live) {
            tensors_.unbind(one);
            unsaved_ = true;
            changed_.notify_all();
        }
}

void service::tell_of_time(job::clock::time_point now) {
    if (running_)
        subscriptions_.tell_progress(*running_);
    for (const std::string &user : tensors_.take_changed())
        subscriptions_.tell_tensors(user);
    if (subscriptions_.wants_sample(now))
        subscriptions_.add({now_in_seconds(), ledger_.resident_by_rank(),
                            ledger_.needed_by(running_ ? running_->number : 0),
                            ledger_.staging().value});
    subscriptions_.tick(now);
}

void request_handler::stream_events() {
    request.target.check_query({});
    response made;
    made.content_type = "text/event-stream";
    {
        const guard lock(of.mutex_);
        if (of.stopping_)
            throw refusal(503, "stopping", "the server is ending");
        const job_pointer only =
            request.what->what == operation::job_events ? job_of_user() : nullptr;
        made.events = of.subscriptions_.open(request.user, only.get());
        if (!only)
            for (const auto &[number, one] : of.jobs_)
                if (one->user == request.user && !one->has_ended())
                    made.events->add("job", one->to_json());
    }
    answer(std::move(made));
}

void request_handler::show_memory() {
    request.target.check_query({});
    json list = json::array();
    const guard lock(of.mutex_);
    for (const memory_sample &one : of.subscriptions_.samples())
        list.push_back(one.to_json());
    const std::chrono::duration<double> interval = subscriptions::sample_interval;
    respond({{"limit_per_rank", of.ledger_.limit().value},
             {"interval", interval.count()},
             {"samples", std::move(list)}});
}

void request_handler::open_session() {
    const json given = parse_object(body);
    fields read(given);
    const auto user = of.options_.tokens.user_of(read.text("token"));
    read.finish();
    if (!user)
        throw refusal(401, "unauthorized", "this is no valid token");
    const auto made = of.browsers_.open(*user, request.head, of.options_.hosts.has_tls());
    response told = response::json(200, {{"user", *user}, {"secret", made.secret}});
    told.headers.emplace_back("Set-Cookie", made.cookie);
    answer(std::move(told));
}

void request_handler::close_session() {
    response told = response::json(200, {{"user", request.user}});
    told.headers.emplace_back("Set-Cookie",
                              of.browsers_.close(request.head, of.options_.hosts.has_tls()));
    answer(std::move(told));
}

void request_handler::show_page() {
    const page_file *file =
        find_page_file(request.what->what == operation::page ? "index.html" : request.parameter);
    if (file == nullptr)
        throw refusal(404, "not_found", "the page has no such file");
    response told = response::text(200, std::string(file->type), std::string(file->content));
    told.headers.emplace_back(
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'");
    told.headers.emplace_back("Referrer-Policy", "no-referrer");
    told.headers.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
    answer(std::move(told));
}

} // namespace tenfold::server
