// A job: one collective call on all ranks, from its request to its result.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "apps/server/catalogue.hpp"
#include "apps/server/http.hpp"
#include "apps/server/transfers.hpp"

namespace tenfold::server {

/// Since 1970.
inline double now_in_seconds() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

enum class job_state { queued, running, done, failed, cancelled };

inline const char *name(job_state state) noexcept {
    switch (state) {
    case job_state::queued:
        return "queued";
    case job_state::running:
        return "running";
    case job_state::done:
        return "done";
    case job_state::failed:
        return "failed";
    default:
        return "cancelled";
    }
}

/// What a job computes and what it takes, decided before it is admitted.
struct planned_job {
    std::string kind;                         ///< "contract"
    nlohmann::json work;                      ///< what all ranks are told (apps/server/execute.hpp)
    tensor_pointer output = nullptr;          ///< gets its id when the job is submitted; null: none
    std::vector<tensor_pointer> outputs = {}; ///< of a program, in the order of work.outputs
    memory_demand memory = {};
    double flops = 0;
    double seconds = 0; ///< predicted where no operations are counted
    index_t bytes = 0;  ///< moved between ranks, or by upload and download
    /// The tensor that must still have the output's name, because the job reads it; 0: any.
    std::uint64_t updates = 0;
    bool needs_new_name = false; ///< no tensor may have the output's name
    std::uint64_t restores = 0;  ///< the tensor of the checkpoint that the job reads; 0: none
    /// The output is the only input but for a slice, and may take its memory over.
    bool overwrites = false;
    std::shared_ptr<std::string> body = nullptr; ///< of an upload
    transfer_pointer opens = nullptr;            ///< the output, if any, waits there without a name
    transfer_pointer commits = nullptr;
    /// Of a download: what its response says; the job adds the body.
    std::optional<std::string> download_type = std::nullopt;
    nlohmann::json about = nlohmann::json::object(); ///< fields of the job's JSON: "expression"
    std::string explanation = {};                    ///< the plan, for people

    /// Whose tensor the output becomes, and so whose quota it counts for: without an output that of
    /// the user who asks. A program's outputs are this user's, too.
    const std::string &owner(const std::string &user) const noexcept {
        return output ? output->user : user;
    }
};

/// The fields are guarded by the service's mutex but for those that say otherwise.
struct job {
    using clock = std::chrono::steady_clock;

    std::uint64_t number = 0;
    std::string user;
    std::string key; ///< the request's Idempotency-Key; empty: none
    planned_job plan;
    double seconds = 0; ///< predicted
    std::vector<tensor_pointer> inputs;
    std::shared_ptr<void> staging; ///< gives the memory of bodies back
    bool in_place = false;         ///< the output has the input's memory, and its name

    job_state state = job_state::queued;
    nlohmann::json result;
    std::optional<refusal> failure;
    std::shared_ptr<std::string> download;
    std::atomic<double> done = 0; ///< the share; any thread may read it
    std::stop_source stop;        ///< thread-safe
    clock::time_point submitted = clock::now();
    double submitted_time = 0; ///< seconds since 1970
    clock::time_point started, ended;

    bool has_ended() const noexcept {
        return state != job_state::queued && state != job_state::running;
    }
    /// Not carried out because the server ended: who asks again has it done.
    bool ended_with_server() const noexcept { return failure && failure->status() == 503; }
    std::string id() const { return "j" + std::to_string(number); }
    /// With the plan it may be long.
    nlohmann::json to_json(bool with_plan = false) const;
};
using job_pointer = std::shared_ptr<job>;

} // namespace tenfold::server
