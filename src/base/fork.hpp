// Teams of threads after fork().
#pragma once

namespace tenfold::base {

/// Whether the calling thread may start a team; if true, it counts as having started one. A child
/// of fork() has none of its parent's threads, but OpenMP's run time assumes that those of the last
/// team still exist and would wait for them forever. So the thread that forked works alone in the
/// child if it had started a team before. Other threads of the child may start teams.
bool may_start_team() noexcept;

} // namespace tenfold::base
