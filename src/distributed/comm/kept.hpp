// What a communicator keeps of one call for the next: plans, and the buffers of a contraction.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>

#include <tenfold/types.hpp>

#include "distributed/run/local_work.hpp"

namespace tenfold::dist_impl {

/// A cache of one kind of plan, keyed by all that the plan depends on, as text. Iterations repeat
/// contractions, and a plan for a thousand ranks takes a tenth of a second. Planning is a pure
/// function, so ranks need not agree on whether they find a plan or make it.
template <class Plan> class plan_cache {
public:
    template <class Make> Plan find_or_make(const std::string &key, const Make &make) {
        if (const auto found = plans_.find(key); found != plans_.end())
            return found->second;
        Plan plan = make();
        if (plans_.size() >= most)
            plans_.clear();
        plans_.emplace(key, plan);
        return plan;
    }

private:
    static constexpr std::size_t most = 512; ///< a coupled-cluster iteration has about a hundred

    std::unordered_map<std::string, Plan> plans_;
};

/// The buffers of the last contraction, at most one block: the operating system fills new pages
/// with zeros, which takes as long as copying data into them. The block is freed before anything
/// else is allocated, so keeping it does not raise a rank's peak memory.
class kept_memory {
public:
    /// Returns a block of `size` bytes or up to 1/32 more, kept or new, and sets `size` to its
    /// size. Throws errc::out_of_memory.
    buffer take(index_t &size) {
        if (size_ < size || size_ - size > size / 32)
            release();
        if (block_ == nullptr)
            return allocate_buffer(bytes(size));
        size = size_;
        size_ = 0;
        return std::move(block_);
    }
    void keep(buffer block, index_t size) noexcept {
        block_ = std::move(block);
        size_ = size;
    }
    void release() noexcept {
        block_.reset();
        size_ = 0;
    }

private:
    buffer block_;
    index_t size_ = 0;
};

} // namespace tenfold::dist_impl
