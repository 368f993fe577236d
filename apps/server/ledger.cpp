#include "apps/server/ledger.hpp"

#include <algorithm>
#include <limits>

namespace tenfold::server {
namespace {

/// Of sums that a request makes as large as it likes: the largest number if there is no sum.
index_t plus(index_t a, index_t b) noexcept {
    index_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<index_t>::max() : sum;
}

void add(per_rank &to, const per_rank &what, index_t sign = 1) {
    for (std::size_t rank = 0; rank < to.size() && rank < what.size(); ++rank)
        to[rank] += sign * what[rank];
}

index_t on(const per_rank &bytes, std::size_t rank) noexcept {
    return rank < bytes.size() ? bytes[rank] : 0;
}

} // namespace

per_rank bytes_of(const distribution &spread, data_type type) {
    per_rank bytes(static_cast<std::size_t>(spread.ranks()));
    for (int rank = 0; rank < spread.ranks(); ++rank) {
        const slice block = spread.block_of(rank);
        bytes[static_cast<std::size_t>(rank)] =
            block.empty() ? 0 : storage_bytes(layout(block.extents), type).value;
    }
    return bytes;
}

memory_ledger::memory_ledger(int ranks, byte_count limit)
    : limit_(limit.value), resident_(static_cast<std::size_t>(ranks)),
      outputs_(static_cast<std::size_t>(ranks)) {}

byte_count memory_ledger::resident() const noexcept {
    return {*std::max_element(resident_.begin(), resident_.end())};
}

byte_count memory_ledger::headroom(const per_rank &own) const {
    index_t most = 0;
    for (std::size_t rank = 0; rank < resident_.size(); ++rank)
        most = std::max(most, kept_on(rank) - on(own, rank));
    return {std::max<index_t>(0, limit_ - most)};
}

byte_count memory_ledger::least_for(const memory_demand &job) const {
    const per_rank waiting = largest_temporary();
    index_t most = 0;
    for (std::size_t rank = 0; rank < resident_.size(); ++rank)
        most = std::max(most, plus(plus(kept_on(rank), on(job.output, rank)),
                                   std::max(waiting[rank], on(job.temporary, rank))));
    return {most};
}

byte_count memory_ledger::least_for_staging(index_t bytes) const {
    return {plus(kept_on(0) + dropping_ + largest_temporary()[0], bytes)};
}

per_rank memory_ledger::needed_by(std::uint64_t number) const {
    per_rank sum(resident_.size());
    const auto found = jobs_.find(number);
    if (found != jobs_.end()) {
        add(sum, found->second.output);
        add(sum, found->second.temporary);
    }
    return sum;
}

void memory_ledger::admit(std::uint64_t number, memory_demand job) {
    add(outputs_, job.output);
    jobs_.emplace(number, std::move(job));
}

void memory_ledger::end(std::uint64_t number, bool succeeded) {
    const auto found = jobs_.find(number);
    if (found == jobs_.end())
        return;
    add(outputs_, found->second.output, -1);
    if (succeeded)
        add(resident_, found->second.output);
    jobs_.erase(found);
}

void memory_ledger::release(const per_rank &bytes) {
    add(resident_, bytes, -1);
    dropping_ += on(bytes, 0);
}

per_rank memory_ledger::largest_temporary() const {
    per_rank most(resident_.size());
    for (const auto &[number, job] : jobs_)
        for (std::size_t rank = 0; rank < most.size(); ++rank)
            most[rank] = std::max(most[rank], on(job.temporary, rank));
    return most;
}

byte_count shared_ledger::used_by(const std::string &user) const {
    return least_quota_for(user, {});
}

byte_count shared_ledger::least_quota_for(const std::string &user, const memory_demand &job) const {
    const memory_demand kept{job.output, {}};
    const auto found = users_.find(user);
    if (found != users_.end())
        return found->second.least_for(kept);
    return memory_ledger(ranks_, quota_).least_for(kept);
}

void shared_ledger::admit(std::uint64_t number, const std::string &user, memory_demand job) {
    users_.try_emplace(user, ranks_, quota_).first->second.admit(number, {job.output, {}});
    memory_ledger::admit(number, std::move(job));
}

void shared_ledger::end(std::uint64_t number, const std::string &user, bool succeeded) {
    if (const auto found = users_.find(user); found != users_.end())
        found->second.end(number, succeeded);
    memory_ledger::end(number, succeeded);
}

void shared_ledger::release(const std::string &user, const per_rank &bytes) {
    if (const auto found = users_.find(user); found != users_.end())
        found->second.release(bytes);
    memory_ledger::release(bytes);
}

} // namespace tenfold::server
