// One request at a service, in work. A friend of the service.
#pragma once

#include "apps/server/service.hpp"

namespace tenfold::server {

struct request_handler {
    using guard = std::lock_guard<std::mutex>;

    service &of;
    accepted_request &request;
    std::string &body;
    service::reply &answer;

    /// Answers, now or later, or throws before it has.
    void run();

    // Answered at once: service_tensors.cpp.
    void list_tensors();
    void show_tensor();
    void rename_tensor();
    void delete_tensor();
    void share_tensor();
    void unshare_tensor();
    /// The tensor of the path, and in the query its generation. The mutex is held.
    tensor_pointer named(access_right needed = access_right::read) const;
    operand target_operand() const;
    static refusal exists(const std::string &name);
    /// Answers, with the mutex held.
    void set_shares(const tensor_pointer &what, const std::vector<std::string> &users,
                    access_right right);

    // Answered at once: service_requests.cpp.
    void about();
    void list_jobs();
    void show_job();
    void cancel_job();
    void explain();
    void show_checkpoint(); // service_checkpoint.cpp
    void show_transfer();   // service_transfers.cpp, as what follows
    void close_transfer();

    void explain_program(); // service_programs.cpp

    // For people who watch: service_watch.cpp.
    void stream_events();
    void show_memory();
    void open_session();
    void close_session();
    void show_page();

    // Jobs: service_jobs.cpp.

    /// Tensors that stay while a job is planned, and until it has ended if it takes them over.
    struct pinned {
        /// Throws refusal. `output`: the tensor of this name, if there is one, is `former`.
        pinned(request_handler &handler, const std::vector<operand> &names,
               const std::string *output = nullptr);
        ~pinned();
        pinned(const pinned &) = delete;
        pinned &operator=(const pinned &) = delete;

        /// The job does not read it.
        void forget_former();
        std::vector<tensor_pointer> all() const;

        service &of;
        std::vector<tensor_pointer> inputs;
        tensor_pointer former;
        bool taken_over = false;
    };
    void run_job();
    job_pointer asked_before(const token_hash &hash) const;
    job_pointer submit(planned_job plan, pinned *operands);
    job_pointer make_job();
    job_pointer create();
    job_pointer upload();
    /// What can be known of an upload before its body is read. Throws refusal.
    void check_upload() const;
    job_pointer restore();     // service_checkpoint.cpp
    job_pointer run_program(); // service_programs.cpp
    job_pointer open_upload(); // service_transfers.cpp, as what follows
    job_pointer open_download();
    transfer_request asked_transfer(bool is_upload) const;
    job_pointer open(const transfer_pointer &made, planned_job plan, pinned *operands);
    job_pointer commit_transfer();
    /// The open transfer of the path; the mutex is held.
    transfer_pointer transfer_of_user() const;

    // Help.
    /// Of a list: ?limit=, at most most_in_a_list, which it is otherwise.
    std::size_t limit_of_query() const;
    /// 12 for "j12" of kind 'j'; empty for what is no id.
    static std::optional<std::uint64_t> number_of(const std::string &id, char kind);
    planning_scene scene() const;
    /// The job of the path; the mutex is held.
    job_pointer job_of_user() const;
    /// Seconds of the query; `otherwise` if it does not say.
    double wait_of_query(double otherwise) const;
    void wait_for(const job_pointer &what, double seconds, bool asks_for_job);
    void respond(const nlohmann::json &value) { answer(response::json(200, value)); }
};

inline constexpr double most_wait = 600; ///< seconds
/// Tensors or jobs in a response. A list of so many takes some ms, in which nobody else is
/// answered.
inline constexpr std::size_t most_in_a_list = 1000;

} // namespace tenfold::server
