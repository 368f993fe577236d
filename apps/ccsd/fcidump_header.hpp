// The header of an FCIDUMP: a Fortran namelist.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "apps/ccsd/fcidump.hpp"
#include "apps/ccsd/text_lines.hpp"

namespace tenfold::ccsd {

/// A function that throws for the line that was read last; its argument says what is wrong.
using rejection = std::function<void(const std::string &)>;

/// Reads from &FCI through the line that closes the header by "/", "&END" or "$END". Accepts closed
/// shells only: an even number of electrons, MS2=0, restricted orbitals.
fcidump_header read_header(line_reader &lines, const rejection &reject);

} // namespace tenfold::ccsd
