// Reads an FCIDUMP with all ranks.
#pragma once

#include <string>

#include <tenfold/chem_fcidump.hpp>

#include "apps/ccsd/options.hpp"
#include "apps/common/mpi_session.hpp"

namespace tenfold::ccsd {

/// run_agreed() for work on the file that the user names: what is wrong with the file is a
/// usage_error.
template <class Body> void agree_on_file(const world &ranks, Body &&body) {
    apps_impl::run_agreed(ranks, [&] {
        try {
            body();
        } catch (const chem::fcidump_error &problem) {
            throw apps_impl::usage_error(problem.what());
        } catch (const error &problem) {
            if (problem.code() == errc::unsupported) // a file to decompress by other means
                throw apps_impl::usage_error(problem.what());
            throw;
        }
    });
}

/// Reads only the header. Throws fcidump_error, also unless the electrons are of a closed shell.
chem::fcidump_header read_closed_shell_header(const std::string &path);

/// The same of the file that the options name. Throws usage_error if they freeze more orbitals than
/// are occupied.
chem::fcidump_header read_header(const options &asked);

/// Collective. Reads an FCIDUMP that the root can open. Every rank gets the whole list if
/// `everywhere`; otherwise only the root does, and the others get the numbers of orbitals and
/// electrons. Throws usage_error on all ranks, with file, line and what was expected.
chem::integrals read_fcidump(const world &ranks, const std::string &path, bool everywhere);

} // namespace tenfold::ccsd
