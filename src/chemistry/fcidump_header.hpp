// The header of an FCIDUMP, from its lines.
#pragma once

#include <tenfold/chem_fcidump.hpp>

#include "chemistry/text_lines.hpp"

namespace tenfold::chemistry_impl {

/// Reads from &FCI through the line that closes the header by "/", "&END" or "$END"; `lines` are
/// then at the first line of the body. Throws fcidump_error.
chem::fcidump_header read_header(line_reader &lines, const std::string &path);

} // namespace tenfold::chemistry_impl
