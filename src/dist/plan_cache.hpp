// Plans of the contractions that were called last: iterations repeat them, and a plan for a
// thousand ranks takes a tenth of a second.
#pragma once

#include <string>
#include <unordered_map>

#include <tenfold/dist_plan.hpp>

namespace tenfold::dist_impl {

/// Keyed by everything that a plan depends on, as text. Whether a rank finds a plan or makes it
/// changes nothing: planning is a pure function.
class plan_cache {
public:
    template <class Make> dist_plan find_or_make(const std::string &key, const Make &make) {
        if (const auto found = plans_.find(key); found != plans_.end())
            return found->second;
        dist_plan plan = make();
        if (plans_.size() >= most)
            plans_.clear();
        plans_.emplace(key, plan);
        return plan;
    }

private:
    static constexpr std::size_t most = 512; ///< a coupled-cluster iteration has about a hundred

    std::unordered_map<std::string, dist_plan> plans_;
};

} // namespace tenfold::dist_impl
