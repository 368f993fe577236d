// What quantum chemistry programs need beside contractions: integrals from FCIDUMP files, the
// closed-shell determinant that they belong to, pairs of orbitals as one index, and DIIS. Link
// tenfold::chem. See docs/chemistry.md.
#pragma once

#include <tenfold/chem_diis.hpp>
#include <tenfold/chem_fcidump.hpp>
#include <tenfold/chem_integrals.hpp>
#include <tenfold/chem_pairs.hpp>
#include <tenfold/chem_reference.hpp>
