// Which job runs next: fair between users, in order for each user, short ones ahead up to a bound.
#pragma once

#include <deque>
#include <map>
#include <string>

#include "apps/server/job.hpp"

namespace tenfold::server {

/// Each user has a virtual time that advances by the predicted seconds of what ran; the user with
/// the least is next, as in start-time fair queuing (Goyal, Vin, Cheng 1996). A user who comes back
/// does not catch up on the time of absence. A short job goes before a long one of another user,
/// but each long one is overtaken at most `most_overtakes` times.
class job_queue {
public:
    static constexpr double short_seconds = 0.1;
    static constexpr int most_overtakes = 8;

    void push(const job_pointer &what);
    /// Null if there is none.
    job_pointer pop();
    /// Returns whether it was there.
    bool remove(const job_pointer &what);
    std::size_t size() const noexcept { return size_; }
    std::size_t size_of(const std::string &user) const;

private:
    struct user_queue {
        std::deque<job_pointer> jobs; ///< not empty
        int overtaken = 0;            ///< how often the first job was
    };
    std::map<std::string, user_queue> waiting_;
    std::map<std::string, double> times_;
    double now_ = 0; ///< the virtual time of the last job that was taken
    std::size_t size_ = 0;
};

} // namespace tenfold::server
