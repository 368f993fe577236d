// Plans of the contractions that were called last: iterations repeat them, and a plan for a
// thousand ranks takes a tenth of a second.
#pragma once

#include <string>
#include <unordered_map>

namespace tenfold::dist_impl {

/// Of one kind of plan, keyed by everything that it depends on, as text. Whether a rank finds a
/// plan or makes it changes nothing: planning is a pure function.
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
