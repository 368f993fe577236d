#include "apps/server/job_queue.hpp"

#include <algorithm>

namespace tenfold::server {

void job_queue::push(const job_pointer &what) {
    double &time = times_[what->user];
    if (waiting_.count(what->user) == 0)
        time = std::max(time, now_);
    waiting_[what->user].jobs.push_back(what);
    ++size_;
}

job_pointer job_queue::pop() {
    if (waiting_.empty())
        return nullptr;
    const auto sooner = [&](const auto &a, const auto &b) {
        return times_.at(a.first) < times_.at(b.first);
    };
    auto next = std::min_element(waiting_.begin(), waiting_.end(), sooner);
    const auto is_short = [](const user_queue &one) {
        return one.jobs.front()->seconds <= short_seconds;
    };
    if (!is_short(next->second) && next->second.overtaken < most_overtakes) {
        auto ahead = waiting_.end();
        for (auto at = waiting_.begin(); at != waiting_.end(); ++at)
            if (is_short(at->second) && (ahead == waiting_.end() || sooner(*at, *ahead)))
                ahead = at;
        if (ahead != waiting_.end()) {
            ++next->second.overtaken;
            next = ahead;
        }
    }
    const job_pointer taken = next->second.jobs.front();
    double &time = times_.at(next->first);
    now_ = std::max(now_, time);
    time += std::max(taken->seconds, 1e-3);
    next->second.jobs.pop_front();
    next->second.overtaken = 0;
    if (next->second.jobs.empty())
        waiting_.erase(next);
    --size_;
    return taken;
}

bool job_queue::remove(const job_pointer &what) {
    const auto found = waiting_.find(what->user);
    if (found == waiting_.end())
        return false;
    auto &jobs = found->second.jobs;
    const auto place = std::find(jobs.begin(), jobs.end(), what);
    if (place == jobs.end())
        return false;
    jobs.erase(place);
    if (jobs.empty())
        waiting_.erase(found);
    --size_;
    return true;
}

std::size_t job_queue::size_of(const std::string &user) const {
    const auto found = waiting_.find(user);
    return found == waiting_.end() ? 0 : found->second.jobs.size();
}

} // namespace tenfold::server
