// The server without sockets and without MPI: takes requests, plans and queues jobs, answers.
//
// Four threads meet here. The network's calls accept() and tick(), and handle() for requests that
// need no plan; two desks' call handle() for the others, one of them for those that take long to
// plan; and rank 0's main thread, which talks MPI, takes jobs with next() and returns them with
// finish(). One mutex guards the state. It is held for short
// sections only, never while a contraction is planned. A reply may be called while it is held, and
// so must only pass the response on.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "apps/server/access.hpp"
#include "apps/server/browser_sessions.hpp"
#include "apps/server/command.hpp"
#include "apps/server/job_queue.hpp"
#include "apps/server/manifest.hpp"
#include "apps/server/planning.hpp"
#include "apps/server/routes.hpp"
#include "apps/server/subscriptions.hpp"

namespace tenfold::server {

struct service_options {
    int ranks = 1;
    int threads = 1;            ///< of a rank
    int ranks_per_node = 0;     ///< as world::ranks_per_node() has it
    byte_count memory_per_rank; ///< for tensors, bodies of requests and jobs
    byte_count quota = {};      ///< of a user's tensors on a rank; 0: as much as there is
    double time_to_live = 0;    ///< seconds, of tensors that nobody said otherwise of; 0: no end
    /// Of a user. Each takes about a KiB on every rank that nothing else counts.
    std::size_t most_tensors = 10000;
    int requests_per_second = 0; ///< of a user; 0: no bound
    token_list tokens;
    host_rules hosts{{}, false};
    std::vector<bulk_endpoint> bulk = {};  ///< of each rank; empty: no bulk data
    std::string root = {};                 ///< the folder of clients' files; empty: there is none
    std::string checkpoint = {};           ///< the folder's path; empty: there is none
    std::chrono::seconds save_interval{0}; ///< 0: only when asked, and at the end
    /// Generations and numbers of jobs begin behind it: no server before had larger ones.
    std::uint64_t first_id = 0;
};

/// A request whose head was accepted, so that its body may be read.
struct accepted_request {
    const route *what;
    std::string parameter;
    request_target target;
    std::string user; ///< empty where no token is needed
    std::string idempotency_key;
    std::uint64_t body_bytes = 0;
    std::shared_ptr<void> staging; ///< memory of the body, which counts until it is destroyed
    request_head head = {};        ///< of requests about a browser's session
};

class service {
public:
    using reply = std::function<void(response)>;

    explicit service(service_options options);
    /// The tensors of a checkpoint, which the ranks have, and what else is known from it. Call it
    /// before all else. Throws nlohmann::json::exception for jobs that no server wrote.
    void restore(const manifest &saved);

    /// Checks everything that can be checked before a body is read. Throws refusal.
    accepted_request accept(const request_head &head);
    /// Calls `answer` exactly once, now or later, on this or another thread; never throws.
    void handle(accepted_request request, std::string body, reply answer);
    /// Answers those who have waited long enough.
    void tick();

    struct task {
        command what;
        job_pointer job; ///< null: nothing but what the command says
    };
    /// Waits for the next command.
    task next();
    /// `failure` is empty if the job succeeded with `result`.
    void finish(const job_pointer &what, nlohmann::json result, std::optional<refusal> failure);
    /// Ends the job that runs and refuses all others; then next() returns a job that saves the
    /// checkpoint, if there is one, and a command to stop.
    void stop();
    /// Why the last checkpoint was not saved; empty if it was.
    std::optional<refusal> last_failure() const;

private:
    friend struct request_handler;

    /// Answers that are due, called once the mutex is free.
    class outbox {
    public:
        outbox() = default;
        outbox(const outbox &) = delete;
        outbox &operator=(const outbox &) = delete;
        ~outbox() {
            for (auto &[answer, what] : answers_)
                answer(std::move(what));
        }
        void add(reply answer, response what) {
            answers_.emplace_back(std::move(answer), std::move(what));
        }

    private:
        std::vector<std::pair<reply, response>> answers_;
    };
    struct waiter {
        job_pointer job;
        job::clock::time_point until;
        reply answer;
        bool asks_for_job; ///< the answer is about the job, even if it failed
    };
    struct ending {
        job_state state;
        bool has_elements; ///< the output was computed
        std::optional<refusal> failure = std::nullopt;
    };
    struct kept_answer {
        token_hash request;
        job_pointer job;
    };
    struct totals {
        double jobs = 0;
        double seconds = 0;
        double waited = 0;   ///< seconds in the queue
        double bytes = 0;    ///< planned to be moved
        double received = 0; ///< that contractions and programs say, by the busiest ranks
    };

    /// The user of a token or of a browser's session. Throws refusal (401).
    std::string authenticated(const request_head &head) const;
    /// Reserves memory for a body. Throws refusal.
    void count_body(accepted_request &request, index_t bytes);
    std::shared_ptr<void> reserve_staging(index_t bytes);
    // Who may use which tensor: service_tensors.cpp. The mutex is held.
    /// Null if there is none that the user may read. `name`: a tensor_address.
    tensor_pointer find(const std::string &user, const std::string &name) const;
    /// Throws refusal: 404 if the user may not even read it, 403 without the right that is needed,
    /// 409 and 410 for another generation.
    tensor_pointer resolve(const std::string &user, const operand &named,
                           access_right needed = access_right::read) const;
    /// Every job's output passes here. Throws refusal for one that would take the name of another
    /// user's tensor, unless this user may write that.
    void check_output(const std::string &user, const tensor_record &output) const;
    byte_count headroom(const per_rank &own);
    /// Frees the memory of tensors that nobody can reach, for the next job. The mutex is held.
    void collect();
    job_pointer submit(const std::string &user, planned_job plan,
                       std::vector<tensor_pointer> inputs, std::shared_ptr<void> staging);
    /// What deleting tensors would free.
    nlohmann::json largest_tensors(const std::string &user) const;
    refusal no_memory(const std::string &user, byte_count least) const;
    /// Why a job of `user` is not admitted whose output is `owner`'s. The mutex is held.
    std::optional<refusal> shortage(const std::string &user, const std::string &owner,
                                    const memory_demand &memory) const;
    void delete_unused(job::clock::time_point now);
    // Transfers of bulk data: service_transfers.cpp. The mutex is held.
    void end_transfer(transfer &what);
    void end_late_transfers(job::clock::time_point now);
    /// A job ends that opens a transfer, or commits one.
    void settle_transfer(job &what, bool is_done);
    /// Why the job may not run, or its output not take its name; empty: it may. The mutex is held.
    std::optional<refusal> conflict(const job &what) const;
    /// Decides whether a job that changes a slice, and runs next, writes into the memory of the
    /// tensor that it changes. It does if nobody else reads that; else there must be memory for a
    /// copy. The mutex is held.
    std::optional<refusal> take_over(job &what);
    /// Throws refusal (410) for a tensor that was made after the checkpoint with which the server
    /// started. The mutex is held.
    void check_lost(std::uint64_t generation) const;
    /// Throws refusal if there is no checkpoint.
    void check_checkpoint() const;
    /// The folder of clients' files. Throws refusal if there is none.
    const std::string &root() const;
    /// Throws refusal if there is no checkpoint. The mutex is held.
    planned_job plan_save() const;
    /// Decides what a job saves that runs next: all tensors as they are now. The mutex is held.
    void start_saving(job &what);
    void end_saving(bool succeeded);
    job_pointer system_save();
    void save_by_interval(job::clock::time_point now);
    /// A job that runs ends soon, but if it is done before. The mutex is held.
    void cancel(const job_pointer &what, outbox &out);
    void end(const job_pointer &what, ending how, outbox &out);
    void forget(const job &what);
    /// The same request, if it comes again with its key, is a new one.
    void forget_key(const job &what);
    void answer_waiters(const job_pointer &what, outbox &out);
    static response response_for(const waiter &who);
    std::string metrics() const;
    /// Tells subscribers what the clock brings. The mutex is held.
    void tell_of_time(job::clock::time_point now);

    const service_options options_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    shared_ledger ledger_;
    catalogue tensors_;
    std::vector<std::uint64_t> drops_; ///< tensors that ranks will be told to free
    std::map<std::uint64_t, transfer_pointer> transfers_; ///< that have not ended
    std::vector<std::uint64_t> closes_;                   ///< that ranks will be told to close
    job_queue queue_;
    job_pointer running_;
    std::map<std::uint64_t, job_pointer> jobs_;            ///< also those that ended, for a while
    std::map<std::string, std::deque<job_pointer>> ended_; ///< by user, the oldest first
    std::vector<waiter> waiters_;
    browser_sessions browsers_;
    subscriptions subscriptions_;
    request_rates rates_; ///< the network's thread alone, in accept()
    std::map<std::pair<std::string, std::string>, kept_answer> keys_;
    std::map<std::pair<std::string, std::string>, totals> totals_; ///< by kind and result
    std::uint64_t last_job_ = 0;
    std::uint64_t last_tensor_ = 0;
    std::uint64_t last_transfer_ = 0;
    double flops_per_second_;
    bool stopping_ = false;
    job_pointer stopped_;     ///< ran when the server was told to end
    manifest saved_;          ///< the checkpoint that is there
    manifest saving_;         ///< that will be, if the job that runs saves it
    bool unsaved_ = false;    ///< something changed since it began to be saved
    bool saved_last_ = false; ///< the job that saves before the end was given away
    std::optional<refusal> last_failure_;
    job::clock::time_point next_save_;
    job::clock::time_point next_look_;
};

} // namespace tenfold::server
