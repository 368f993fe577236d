// Keeps the plans of recent contractions. Iterations repeat them, and a plan for a thousand ranks
// takes a tenth of a second.
#pragma once

#include <string>
#include <unordered_map>

namespace tenfold::dist_impl {

/// A cache of one kind of plan, keyed by all that the plan depends on, as text. Planning is a pure
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

} // namespace tenfold::dist_impl
