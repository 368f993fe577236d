// Reads an FCIDUMP with all ranks: the root decompresses, all ranks parse.
#pragma once

#include <string>

#include <tenfold/dist.hpp>

#include "apps/ccsd/fcidump.hpp"

namespace tenfold::ccsd {

/// Collective. Reads an FCIDUMP, plain or compressed by gzip or xz, that the root can open. Every
/// rank gets the whole list if `everywhere`; otherwise only the root does, and the others get the
/// counts. Integrals that the file leaves out are 0; if it lists one twice, the last one counts.
/// Throws usage_error on all ranks, with file, line and what was expected.
integral_list read_fcidump(const world &ranks, const std::string &path, bool everywhere);

} // namespace tenfold::ccsd
