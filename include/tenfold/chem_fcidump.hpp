// FCIDUMP files: the integrals of a molecule over its orbitals, as quantum chemistry programs
// exchange them (P. J. Knowles, N. C. Handy, Comput. Phys. Commun. 54, 75 (1989)).
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tenfold/chem_integrals.hpp>
#include <tenfold/error.hpp>

namespace [[gnu::visibility("default")]] tenfold {
namespace chem {

/// A file that is no FCIDUMP: missing, damaged or malformed; errc::io. The message has file, line
/// and what is wrong: "'FCIDUMP', line 7: index 9: expected 0 to NORB=8".
class fcidump_error : public error {
public:
    /// `line` from 1; 0 if the file as a whole is wrong.
    fcidump_error(const std::string &file, index_t line, const std::string &problem);
    fcidump_error(const fcidump_error &) = default;
    fcidump_error &operator=(const fcidump_error &) = default;
    ~fcidump_error() override; // defined in the library, so that there is one vtable

    index_t line() const noexcept { return line_; }

private:
    index_t line_;
};

/// Reads an FCIDUMP, plain or compressed by gzip or xz, which the first bytes tell. Integrals are
/// real, over restricted orbitals. Those that the file leaves out are 0; if it lists one twice,
/// both must agree to 1e-6 hartree, and the last one counts. At least one one-electron integral,
/// an integral over each orbital and the constant must be there. Nothing is read past a malformed
/// line. Throws fcidump_error; error(errc::io) if the file cannot be read, errc::out_of_memory,
/// errc::unsupported if this build cannot unpack it.
integrals read_fcidump(const std::string &path);

/// Reads up to `size` bytes of a text to `to` and returns their number, 0 at the end.
using text_source = std::function<std::size_t(char *to, std::size_t size)>;
/// As above, for a text that comes from elsewhere: from memory, or from a file that the caller
/// unpacks. Errors call it `name`. Throws also what `source` throws.
integrals read_fcidump(const std::string &name, text_source source);

/// The header, &FCI .. &END.
struct fcidump_header {
    index_t orbitals = 0;  ///< NORB, 1 to 4096
    index_t electrons = 0; ///< NELEC
    index_t spin = 0;      ///< MS2; if it is missing, 0, or 1 of an odd number of electrons
    std::vector<index_t> symmetries; ///< ORBSYM, one for each orbital; empty if it is missing
    index_t last_line = 0;           ///< the line that closes the header, from 1
};
/// Reads the header only. Throws as read_fcidump().
fcidump_header read_fcidump_header(const std::string &path);

// The parts of read_fcidump(), for programs whose threads or ranks parse a file together: one cuts
// it into pieces of whole lines, each parses some, and their entries are put in order of lines.

/// An open file. Its body is read in pieces.
class fcidump_text {
public:
    /// Opens the file and reads the header. Throws as read_fcidump().
    explicit fcidump_text(const std::string &path);
    /// As above, for a text that comes from elsewhere.
    fcidump_text(const std::string &name, text_source source);
    ~fcidump_text();
    fcidump_text(const fcidump_text &) = delete;
    fcidump_text &operator=(const fcidump_text &) = delete;

    const fcidump_header &header() const noexcept;

    /// The longest line in bytes, so that no buffer has to hold a whole disk image.
    static constexpr std::size_t longest_line = std::size_t{1} << 20;
    /// Gets the next whole lines with their ends, at most `most` bytes and less than longest_line,
    /// or one line that is longer; valid until the next call. Returns false at the end. Throws as
    /// read_fcidump(), and fcidump_error for a line of longest_line bytes or more.
    bool next_lines(std::string_view &lines, std::size_t most);
    /// The number of the last line that was read, from 1.
    index_t line() const noexcept;

private:
    struct state;
    std::unique_ptr<state> state_;
};

/// A number of an FCIDUMP and its place in a list of all: first the two-electron integrals in the
/// order of integrals::two_electron, then one-electron integrals, orbital energies, and the
/// constant.
struct fcidump_entry {
    index_t place = 0;
    double value = 0;
    index_t line = 0; ///< in the file, from 1
};

/// Appends the entries of these lines of the body; `first` is the number of the first line in the
/// file `path`. Throws fcidump_error for the first malformed line; the entries before it have been
/// appended then.
void parse_fcidump_lines(std::string_view lines, index_t first, const std::string &path,
                         index_t orbitals, std::vector<fcidump_entry> &entries);

/// Puts entries in their places and checks in the end that none is missing. Until the end, missing
/// entries are NaN, which no line can contain.
class integrals_builder {
public:
    /// Allocates the numbers of `list`, whose `orbitals` must be set, and which must outlive the
    /// builder. Throws errc::out_of_memory with the bytes.
    explicit integrals_builder(integrals &list);

    void put(const fcidump_entry &one) noexcept {
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
    /// Throws fcidump_error with the first line that contradicts another one, or with `last_line`
    /// if something is missing.
    void finish(const std::string &path, index_t last_line);

private:
    static constexpr double not_given = std::numeric_limits<double>::quiet_NaN();

    double &other(index_t place) noexcept;
    bool has_integrals(index_t orbital) const noexcept;

    integrals &list_;
    index_t two_electron_;
    std::optional<fcidump_entry> contradiction_;
    double contradicted_ = 0;
};

} // namespace chem
} // namespace tenfold
