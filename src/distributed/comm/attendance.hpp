// Lets the ranks of a new world watch over each other (presence.hpp).
#pragma once

#include <memory>
#include <vector>

#include <tenfold/context.hpp>

#include "distributed/comm/communicator.hpp"
#include "distributed/presence/watcher.hpp"

namespace tenfold::dist_impl {

class attendance {
public:
    /// Finds the memory. Throws std::bad_alloc.
    attendance(communicator &comm, const settings &chosen);

    /// Collective. Connects the ranks and lets `comm` attend, unless the world has one rank, a rank
    /// wants none of it (settings::presence_seconds), or some rank cannot; the last is logged.
    void begin();

private:
    communicator &comm_;
    const settings &chosen_;
    std::shared_ptr<presence> made_; ///< null: not wanted
    std::vector<presence_card> cards_;
    watcher::worlds for_watcher_; ///< holds `made_`
};

} // namespace tenfold::dist_impl
