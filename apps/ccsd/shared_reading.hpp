// Reading an FCIDUMP with all ranks: one unpacks it, all parse.
#pragma once

#include <string>

#include <tenfold/dist.hpp>

#include "apps/ccsd/fcidump.hpp"

namespace tenfold::ccsd {

/// Collective. Reads an FCIDUMP, plain or compressed by gzip or xz, that the root can open. The
/// list is whole on each rank, or only on the root, where `everywhere` is not asked for; others get
/// the counts. Integrals that the file leaves out are 0; of those it lists twice the last one
/// counts. Throws usage_error, on all ranks, that names file, line and what was expected.
integral_list read_fcidump(const world &ranks, const std::string &path, bool everywhere);

} // namespace tenfold::ccsd
