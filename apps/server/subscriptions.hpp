// Who is told of jobs, tensors and memory as they change, and what memory was used lately.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "apps/server/event_stream.hpp"
#include "apps/server/job.hpp"

namespace tenfold::server {

/// Memory of all ranks at one time.
struct memory_sample {
    double time; ///< seconds since 1970
    per_rank resident;
    per_rank job; ///< of the job that runs, beside it
    index_t bodies;

    nlohmann::json to_json() const;
};

/// The streams of events of all users. The service's mutex guards it.
class subscriptions {
public:
    using clock = job::clock;
    static constexpr std::size_t most_streams = 32; ///< of a user
    static constexpr std::chrono::milliseconds sample_interval{2000};

    explicit subscriptions(int ranks);

    /// Events of one job, which end with the job's, or of all that is the user's (`only` is null).
    /// Throws refusal (429) if the user has too many.
    std::shared_ptr<event_stream> open(const std::string &user, const job *only);
    /// The job's state or progress is another one.
    void tell(const job &what);
    /// The job that runs, from time to time: tells what it has done since the last time.
    void tell_progress(const job &what);
    void tell_tensors(const std::string &user);
    bool wants_sample(clock::time_point now) const noexcept { return now >= next_sample_; }
    void add(memory_sample sample);
    const std::deque<memory_sample> &samples() const noexcept { return samples_; }
    /// Keeps idle connections alive, and forgets streams that are over.
    void tick(clock::time_point now);
    void finish();

private:
    struct subscriber {
        std::string user;
        std::uint64_t only; ///< the number of a job; 0: all of the user's
        std::shared_ptr<event_stream> events;
    };

    std::vector<subscriber> all_;
    std::deque<memory_sample> samples_;
    std::size_t most_samples_;
    std::uint64_t told_job_ = 0;
    double told_progress_ = 0;
    clock::time_point next_sample_, next_sign_;
};

} // namespace tenfold::server
