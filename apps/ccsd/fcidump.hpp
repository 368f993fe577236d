// FCIDUMP files: the integrals of a molecule over its orbitals, as quantum chemistry programs
// exchange them (P. J. Knowles, N. C. Handy, Comput. Phys. Commun. 54, 75 (1989)).
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tenfold/types.hpp>

namespace tenfold {
class world;
}

namespace tenfold::ccsd {

/// The index of a symmetric pair (p, q) = (q, p); p, q from 0.
inline index_t pair_index(index_t p, index_t q) noexcept {
    return p >= q ? p * (p + 1) / 2 + q : q * (q + 1) / 2 + p;
}
/// The number of pairs p >= q.
inline index_t pair_count(index_t n) noexcept { return n * (n + 1) / 2; }

/// Real integrals over spatial orbitals, numbered from 0, in chemists' notation
///     (pq|rs) = (qp|rs) = (pq|sr) = (rs|pq) = ...
/// Each set of eight equal integrals is stored once. Energies in hartree.
struct integral_list {
    index_t orbitals = 0;
    index_t electrons = 0;
    double constant = 0;                  ///< nuclear repulsion, and a frozen core if any
    std::vector<double> one_electron;     ///< h_pq at pair_index(p, q)
    std::vector<double> two_electron;     ///< (pq|rs) at pair_index of the two pairs' indices
    std::vector<double> orbital_energies; ///< as in the file; empty unless it lists all

    /// Bytes of the list for this number of orbitals.
    static index_t bytes_needed(index_t orbitals) noexcept {
        const index_t pairs = pair_count(orbitals);
        return (pair_count(pairs) + pairs + orbitals) * static_cast<index_t>(sizeof(double));
    }

    double h(index_t p, index_t q) const noexcept {
        return one_electron[static_cast<std::size_t>(pair_index(p, q))];
    }
    double operator()(index_t p, index_t q, index_t r, index_t s) const noexcept {
        return two_electron[static_cast<std::size_t>(
            pair_index(pair_index(p, q), pair_index(r, s)))];
    }
};

class line_reader;

/// The content of the header.
struct fcidump_header {
    index_t orbitals = 0;  ///< NORB
    index_t electrons = 0; ///< NELEC
};
/// Reads only the header of a file that is plain or compressed by gzip or xz. Throws usage_error
/// with file, line and what was expected.
fcidump_header read_fcidump_header(const std::string &path);
/// The same from `lines`, which are then at the first line of the body.
fcidump_header read_fcidump_header(line_reader &lines, const std::string &path);

/// A number of an FCIDUMP and its place in a list of all: first the two-electron integrals in the
/// order of integral_list, then one-electron integrals, orbital energies, and the constant.
struct list_entry {
    index_t place = 0;
    double value = 0;
    index_t line = 0; ///< in the file, from 1
};

/// Appends the entries of the body's lines; `first` is the number of the first line in the file
/// `path`. Throws usage_error with file, line and what was expected.
void parse_lines(std::string_view lines, index_t first, const std::string &path, index_t orbitals,
                 std::vector<list_entry> &entries);

/// Puts entries in their places and checks in the end that none is missing. Integrals that the file
/// leaves out are 0; if it lists one twice, both must agree to 1e-6 hartree, and the last one
/// counts. Until the end, missing entries are NaN, which no line can contain.
class list_builder {
public:
    /// Allocates `list`, whose counts must be set.
    explicit list_builder(integral_list &list);

    void put(const list_entry &one) noexcept {
        // Some programs list equal integrals more than once, as (ij|kl) and (kl|ij), and compute
        // them by different sums, so that they differ by rounding.
        constexpr double rounding = 1e-6; // hartree
        double &to = one.place < two_electron_
                         ? list_.two_electron[static_cast<std::size_t>(one.place)]
                         : other(one.place - two_electron_);
        if (std::abs(to - one.value) > rounding && !contradiction_) {
            contradiction_ = one;
            contradicted_ = to;
        }
        to = one.value;
    }
    /// Throws usage_error with the first line that contradicts another one, or with the last one if
    /// something is missing.
    void finish(const std::string &path, index_t last_line);

private:
    static constexpr double not_given = std::numeric_limits<double>::quiet_NaN();

    double &other(index_t place) noexcept;
    bool has_integrals(index_t orbital) const noexcept;

    integral_list &list_;
    index_t two_electron_;
    std::optional<list_entry> contradiction_;
    double contradicted_ = 0;
};

/// Collective. Reads an FCIDUMP, plain or compressed by gzip or xz, that the root can open. Every
/// rank gets the whole list if `everywhere`; otherwise only the root does, and the others get the
/// counts. Integrals that the file leaves out are 0; if it lists one twice, the last one counts.
/// Throws usage_error on all ranks, with file, line and what was expected.
integral_list read_fcidump(const world &ranks, const std::string &path, bool everywhere);

} // namespace tenfold::ccsd
