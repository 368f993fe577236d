#include "apps/server/subscriptions.hpp"

#include <algorithm>

namespace tenfold::server {
namespace {

constexpr double least_progress = 0.01; ///< that is worth an event
/// Proxies cut connections on which nothing comes.
constexpr std::chrono::seconds time_between_signs{15};
/// A quarter of an hour, or less on many ranks: a list of samples is one response.
constexpr std::size_t most_samples = 450, least_samples = 30, most_numbers = 1 << 15;

} // namespace

nlohmann::json memory_sample::to_json() const {
    return {
        {"time", time}, {"resident_per_rank", resident}, {"job_per_rank", job}, {"bodies", bodies}};
}

subscriptions::subscriptions(int ranks)
    : most_samples_(std::clamp(most_numbers / static_cast<std::size_t>(ranks), least_samples,
                               most_samples)) {}

std::shared_ptr<event_stream> subscriptions::open(const std::string &user, const job *only) {
    tick(clock::now());
    if (std::count_if(all_.begin(), all_.end(), [&](const subscriber &one) {
            return one.user == user;
        }) >= static_cast<std::ptrdiff_t>(most_streams))
        throw refusal(429, "too_many_streams",
                      "a user may have " + std::to_string(most_streams) + " streams of events");
    const subscriber made{user, only != nullptr ? only->number : 0,
                          std::make_shared<event_stream>()};
    all_.push_back(made);
    if (only != nullptr) {
        made.events->add("job", only->to_json());
        if (only->has_ended())
            made.events->finish();
    }
    return made.events;
}

void subscriptions::tell(const job &what) {
    told_job_ = what.number;
    told_progress_ = what.done;
    nlohmann::json value;
    for (const subscriber &one : all_) {
        if (one.user != what.user || (one.only != 0 && one.only != what.number))
            continue;
        if (value.is_null())
            value = what.to_json();
        one.events->add("job", value);
        if (one.only != 0 && what.has_ended())
            one.events->finish();
    }
}

void subscriptions::tell_progress(const job &what) {
    if (what.number != told_job_ || what.done - told_progress_ >= least_progress)
        tell(what);
}

void subscriptions::tell_tensors(const std::string &user) {
    for (const subscriber &one : all_)
        if (one.only == 0 && one.user == user)
            one.events->add("tensors", nlohmann::json::object());
}

void subscriptions::add(memory_sample sample) {
    next_sample_ = clock::now() + sample_interval;
    for (const subscriber &one : all_)
        if (one.only == 0)
            one.events->add("memory", sample.to_json());
    samples_.push_back(std::move(sample));
    if (samples_.size() > most_samples_)
        samples_.pop_front();
}

void subscriptions::tick(clock::time_point now) {
    all_.erase(std::remove_if(all_.begin(), all_.end(),
                              [](const subscriber &one) { return one.events->is_over(); }),
               all_.end());
    if (now < next_sign_)
        return;
    next_sign_ = now + time_between_signs;
    for (const subscriber &one : all_)
        one.events->keep_alive();
}

void subscriptions::finish() {
    for (const subscriber &one : std::exchange(all_, {}))
        one.events->finish();
}

} // namespace tenfold::server
