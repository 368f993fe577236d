// What fork() does to teams of threads.
#pragma once

namespace tenfold::base {

/// Whether the calling thread may start a team, which the caller then does. A child of fork() has
/// none of its parent's threads, but OpenMP's run time takes those of the last team to be there,
/// and would wait for them forever: where the thread that forked had started a team, it stays alone
/// in the child. Other threads of the child may start teams.
bool may_start_team() noexcept;

} // namespace tenfold::base
