// Admission: what memory tensors, bodies of requests and jobs take on each rank, and what still
// fits. Pure arithmetic.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <tenfold/dist_plan.hpp>

namespace tenfold::server {

/// Bytes on each rank.
using per_rank = std::vector<index_t>;

/// The bytes of a tensor of this distribution and type. Throws errc::overflow.
per_rank bytes_of(const distribution &spread, data_type type);

/// What a job will take beside the tensors that are there.
struct memory_demand {
    per_rank output;    ///< stays when the job is done
    per_rank temporary; ///< only while it runs
};

/// Memory of all ranks against one limit per rank. Jobs run one at a time, so that of all jobs that
/// wait only the largest temporary memory counts, but each one's output.
///
/// Every rank r keeps: resident[r] + staging (rank 0) + sum of outputs[r] + largest temporary[r]
/// <= limit.
class memory_ledger {
public:
    memory_ledger(int ranks, byte_count limit);

    byte_count limit() const noexcept { return {limit_}; }
    /// Of tensors, the most on a rank.
    byte_count resident() const noexcept;
    const per_rank &resident_by_rank() const noexcept { return resident_; }
    byte_count staging() const noexcept { return {staging_.load()}; }
    /// What an admitted job takes on each rank while it runs; nothing if it has ended.
    per_rank needed_by(std::uint64_t number) const;

    /// The most that a job whose tensors `own` are counted already may have on each rank, these
    /// included; at least 0. It is what dist_options::memory_per_rank is for.
    byte_count headroom(const per_rank &own) const;
    /// The limit that would be needed: the present one suffices if it is not larger.
    byte_count least_for(const memory_demand &job) const;
    byte_count least_for_staging(index_t bytes) const;

    /// Admits a job, whether it fits or not.
    void admit(std::uint64_t number, memory_demand job);
    /// The job has ended. If it succeeded, its output is resident.
    void end(std::uint64_t number, bool succeeded);
    /// A tensor that nobody can reach. Its memory is free for the next job, which drops it first,
    /// but for bodies only after dropped().
    void release(const per_rank &bytes);
    void dropped() noexcept { dropping_ = 0; }
    /// Any thread may give memory of bodies back.
    void add_staging(index_t bytes) noexcept { staging_ += bytes; }

private:
    /// Without temporary memory.
    index_t kept_on(std::size_t rank) const noexcept {
        return resident_[rank] + outputs_[rank] + (rank == 0 ? staging_.load() : 0);
    }
    per_rank largest_temporary() const;

    index_t limit_;
    std::atomic<index_t> staging_ = 0;
    index_t dropping_ = 0; ///< on rank 0
    per_rank resident_;
    per_rank outputs_; ///< of admitted jobs, together
    std::map<std::uint64_t, memory_demand> jobs_;
};

/// The memory of all, and what each user's tensors take of it, those of jobs that wait included.
class shared_ledger : public memory_ledger {
public:
    /// `quota`: the most that a user's tensors may take on a rank; 0: as much as there is.
    shared_ledger(int ranks, byte_count limit, byte_count quota)
        : memory_ledger(ranks, limit), ranks_(ranks), quota_(quota) {}

    byte_count quota() const noexcept { return quota_; }
    /// Of the user's tensors, the most on a rank.
    byte_count used_by(const std::string &user) const;
    /// The quota that would be needed for a job.
    byte_count least_quota_for(const std::string &user, const memory_demand &job) const;

    void admit(std::uint64_t number, const std::string &user, memory_demand job);
    void end(std::uint64_t number, const std::string &user, bool succeeded);
    void release(const std::string &user, const per_rank &bytes);

private:
    int ranks_;
    byte_count quota_;
    std::map<std::string, memory_ledger> users_;
};

} // namespace tenfold::server
