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

namespace tenfold::ccsd {

/// A symmetric pair (p, q) = (q, p) as one number; p, q from 0.
inline index_t pair_index(index_t p, index_t q) noexcept {
    return p >= q ? p * (p + 1) / 2 + q : q * (q + 1) / 2 + p;
}
/// How many pairs p >= q there are.
inline index_t pair_count(index_t n) noexcept { return n * (n + 1) / 2; }

/// Real integrals over spatial orbitals, numbered from 0, in chemists' notation
///     (pq|rs) = (qp|rs) = (pq|sr) = (rs|pq) = ...
/// each of eight equal ones once. Energies in hartree.
struct integral_list {
    index_t orbitals = 0;
    index_t electrons = 0;
    double constant = 0;                  ///< nuclear repulsion, and a frozen core if any
    std::vector<double> one_electron;     ///< h_pq at pair_index(p, q)
    std::vector<double> two_electron;     ///< (pq|rs) at pair_index of the pairs' indices
    std::vector<double> orbital_energies; ///< as the file lists them; empty unless for all

    /// Bytes of the list for so many orbitals.
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

/// What the header says.
struct fcidump_header {
    index_t orbitals = 0;  ///< NORB
    index_t electrons = 0; ///< NELEC
};
/// Reads the header only, of a file that is plain or compressed by gzip or xz. Throws usage_error
/// that names file, line and what was expected.
fcidump_header read_fcidump_header(const std::string &path);
/// Likewise from `lines`, which goes on behind it.
fcidump_header read_fcidump_header(line_reader &lines, const std::string &path);

/// A number of an FCIDUMP and where it belongs in a list of all: two-electron integrals as they lie
/// in integral_list, then one-electron integrals, orbital energies, the constant.
struct list_entry {
    index_t place = 0;
    double value = 0;
    index_t line = 0; ///< of the file, from 1
};

/// Appends what the body's lines say; `first` is the number of the first one in the file `path`.
/// Throws usage_error that names file, line and what was expected.
void parse_lines(std::string_view lines, index_t first, const std::string &path, index_t orbitals,
                 std::vector<list_entry> &entries);

/// Puts entries where they belong, and knows in the end whether all is there. Integrals that the
/// file leaves out are 0; those it lists twice have to agree to 1e-6 hartree, and the last one
/// counts. Until the end what has not been given is a NaN, which no line can give.
class list_builder {
public:
    /// Makes room in `list`, whose counts are known.
    explicit list_builder(integral_list &list);

    void put(const list_entry &one) noexcept {
        // Programs that list equal integrals more than once, as (ij|kl) and (kl|ij), have them from
        // different sums and round them.
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
    /// Throws usage_error that names the first line that contradicts another one, or the last one
    /// where something is missing.
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

} // namespace tenfold::ccsd
