// What each request does, but for jobs (service_jobs.cpp) and those about tensors alone
// (service_tensors.cpp).
#include <algorithm>

#include <tenfold/dist_json.hpp>
#include <tenfold/version.hpp>

#include "apps/server/parse_number.hpp"
#include "apps/server/request_handler.hpp"

namespace tenfold::server {

using nlohmann::json;

void request_handler::run() {
    switch (request.what->what) {
    case operation::health:
        return answer(response::text(200, "text/plain", "ok\n"));
    case operation::metrics:
        return answer(response::text(200, "text/plain; version=0.0.4", of.metrics()));
    case operation::about:
        return about();
    case operation::list_tensors:
        return list_tensors();
    case operation::show_tensor:
        return show_tensor();
    case operation::rename_tensor:
        return rename_tensor();
    case operation::delete_tensor:
        return delete_tensor();
    case operation::share_tensor:
        return share_tensor();
    case operation::unshare_tensor:
        return unshare_tensor();
    case operation::list_jobs:
        return list_jobs();
    case operation::show_job:
        return show_job();
    case operation::cancel_job:
        return cancel_job();
    case operation::explain:
        return explain();
    case operation::show_checkpoint:
        return show_checkpoint();
    case operation::explain_program:
        return explain_program();
    case operation::events:
    case operation::job_events:
        return stream_events();
    case operation::show_memory:
        return show_memory();
    case operation::open_session:
        return open_session();
    case operation::close_session:
        return close_session();
    case operation::page:
    case operation::page_file:
        return show_page();
    case operation::show_transfer:
        return show_transfer();
    case operation::close_transfer:
        return close_transfer();
    default:
        return run_job();
    }
}

void request_handler::about() {
    const guard lock(of.mutex_);
    of.collect();
    const memory_ledger &ledger = of.ledger_;
    json memory = {{"limit_per_rank", ledger.limit().value},
                   {"resident_per_rank", ledger.resident().value},
                   {"bodies", ledger.staging().value},
                   {"own_per_rank", of.ledger_.used_by(request.user).value}};
    if (of.ledger_.quota().value > 0)
        memory["quota_per_rank"] = of.ledger_.quota().value;
    respond({{"version", tenfold::version()},
             {"user", request.user},
             {"ranks", of.options_.ranks},
             {"threads_per_rank", of.options_.threads},
             {"memory", memory},
             {"bulk", !of.options_.bulk.empty()},
             {"jobs_waiting", of.queue_.size()}});
}

std::size_t request_handler::limit_of_query() const {
    const auto text = request.target.find("limit");
    if (!text)
        return most_in_a_list;
    const auto limit = parse_number<std::size_t>(*text);
    if (!limit || *limit < 1 || *limit > most_in_a_list)
        throw wrong_request("limit: expected a number from 1 to " + std::to_string(most_in_a_list));
    return *limit;
}

std::optional<std::uint64_t> request_handler::number_of(const std::string &id, char kind) {
    if (id.empty() || id.front() != kind)
        return std::nullopt;
    const auto number = parse_number<std::uint64_t>(std::string_view(id).substr(1));
    return number && id == kind + std::to_string(*number) ? number : std::nullopt;
}

void request_handler::list_jobs() {
    request.target.check_query({"limit", "after", "order"});
    const std::size_t limit = limit_of_query();
    const std::string order = request.target.find("order").value_or("oldest");
    if (order != "oldest" && order != "newest")
        throw wrong_request("order: expected oldest or newest");
    const bool is_back = order == "newest";
    const auto after = request.target.find("after");
    const auto last = number_of(after.value_or("j0"), 'j');
    if (!last)
        throw wrong_request("after: expected the id of a job");
    json list = json::array();
    json told = json::object();
    {
        const guard lock(of.mutex_);
        std::vector<job_pointer> all;
        for (const auto &[number, one] : of.jobs_)
            if (one->user == request.user &&
                (!after || (is_back ? number < *last : number > *last)))
                all.push_back(one);
        if (is_back)
            std::reverse(all.begin(), all.end());
        for (std::size_t i = 0; i < std::min(limit, all.size()); ++i)
            list.push_back(all[i]->to_json());
        if (all.size() > limit)
            told["next"] = list.back().at("id");
    }
    told["jobs"] = std::move(list);
    respond(told);
}

void request_handler::show_job() {
    request.target.check_query({"wait"});
    const double wait = wait_of_query(0);
    job_pointer what;
    {
        const guard lock(of.mutex_);
        what = job_of_user();
    }
    wait_for(what, wait, true);
}

void request_handler::cancel_job() {
    service::outbox out;
    const guard lock(of.mutex_);
    const job_pointer what = job_of_user();
    of.cancel(what, out);
    respond({{"job", what->to_json()}});
}

void request_handler::explain() {
    request.target.check_query({});
    const json given = parse_object(body);
    const contract_request asked = contract_request::parse(given, false);
    const pinned operands(*this, asked.inputs, &asked.output);
    const contraction_outline outline = outline_contract(
        scene(), {.request = asked, .inputs = operands.inputs, .former = operands.former});
    const dist_sequence_summary &summary = outline.plan.summary();
    double speed = 0;
    {
        const guard lock(of.mutex_);
        speed = of.flops_per_second_;
    }
    respond({{"flops", summary.flops},
             {"seconds", summary.flops / speed},
             {"bytes_received_per_rank", summary.bytes_received.value},
             {"redistribution_bytes_per_rank", summary.redistribution.value},
             {"peak_bytes_per_rank", summary.peak.value},
             {"available_bytes_per_rank", of.headroom(outline.own).value},
             {"output",
              {{"type", tenfold::name(outline.output->type)},
               {"extents", outline.output->extents()},
               {"bytes", outline.output->total_bytes()}}},
             {"text", outline.plan.describe()},
             {"plan", json::parse(to_json(outline.plan))}});
}

job_pointer request_handler::job_of_user() const {
    const auto number = number_of(request.parameter, 'j');
    const auto found = number ? of.jobs_.find(*number) : of.jobs_.end();
    if (found != of.jobs_.end() && found->second->user == request.user)
        return found->second;
    if (number && *number > 0 && *number <= of.options_.first_id)
        throw refusal(
            410, "lost",
            "'" + request.parameter +
                "' is lost: the server was restarted, and the job ended long ago, or after "
                "the last checkpoint");
    throw refusal(404, "not_found", "there is no job '" + request.parameter + "'");
}

void request_handler::wait_for(const job_pointer &what, double seconds, bool asks_for_job) {
    const auto wait =
        std::chrono::duration_cast<job::clock::duration>(std::chrono::duration<double>(seconds));
    service::waiter who{what, job::clock::now() + wait, nullptr, asks_for_job};
    std::optional<response> now;
    {
        const guard lock(of.mutex_);
        if (what->has_ended() || seconds == 0) {
            now = service::response_for(who);
        } else {
            service::waiter &kept = of.waiters_.emplace_back(std::move(who));
            kept.answer = std::move(answer); // last: if there is no memory, handle() answers
        }
    }
    if (now)
        answer(std::move(*now));
}

planning_scene request_handler::scene() const {
    return {request.user, of.options_.ranks, of.options_.threads, of.options_.ranks_per_node,
            [this](const per_rank &own) { return of.headroom(own); }};
}

double request_handler::wait_of_query(double otherwise) const {
    const auto text = request.target.find("wait");
    if (!text)
        return otherwise;
    const auto seconds = parse_number<double>(*text);
    if (!seconds || !(*seconds >= 0) || *seconds > most_wait)
        throw wrong_request("wait: expected seconds from 0 to 600");
    return *seconds;
}

void service::handle(accepted_request request, std::string body, reply answer) {
    // run() either answers or throws before it has; wait_for() alone gives the answer away, at its
    // end.
    response failed;
    try {
        request_handler{*this, request, body, answer}.run();
        return;
    } catch (const refusal &problem) {
        failed = response::of(problem);
    } catch (const error &problem) {
        failed = response::of(as_refusal(problem));
    } catch (const memory_shortage &problem) {
        const std::lock_guard lock(mutex_);
        failed =
            response::of(no_memory(request.user, {ledger_.limit().value + problem.missing.value}));
    } catch (const std::bad_alloc &) {
        failed = response::of({507, "out_of_memory", "rank 0 has no memory for this request"});
    } catch (const std::exception &) {
        failed = response::of({500, "internal", "the server failed to handle this request"});
    }
    answer(std::move(failed));
}

} // namespace tenfold::server
