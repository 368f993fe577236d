#include "fcidump.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <tenfold/error.hpp>

#include "apps/program.hpp"
#include "apps/text.hpp"
#include "fcidump_header.hpp"
#include "text_lines.hpp"

namespace tenfold::ccsd {
namespace {

using apps_impl::usage_error;

bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

/// A line of the body: a value and four indices.
struct entry {
    double value = 0;
    std::array<index_t, 4> index{};
};

class body_parser {
public:
    body_parser(index_t orbitals, const rejection &reject) : orbitals_(orbitals), reject_(reject) {}

    /// False for an empty line.
    bool parse(std::string_view line, entry &result) const {
        skip_blanks(line);
        if (line.empty())
            return false;
        result.value = take_value(line);
        for (index_t &one : result.index)
            one = take_index(line);
        skip_blanks(line);
        if (!line.empty())
            reject_("'" + word_of(line) + "' behind the four indices");
        return true;
    }

private:
    static void skip_blanks(std::string_view &text) {
        while (!text.empty() && is_blank(text.front()))
            text.remove_prefix(1);
    }
    static std::string word_of(std::string_view text) {
        std::size_t length = 0;
        while (length < text.size() && length < 30 && !is_blank(text[length]))
            ++length;
        std::string word(text.substr(0, length));
        for (char &c : word)
            if (c < ' ' || c > '~')
                c = '?';
        return word;
    }

    /// Fortran's "1.5D-03" is "1.5E-03" elsewhere.
    double take_value(std::string_view &line) const {
        std::array<char, 64> text{};
        std::size_t length = 0;
        while (length < line.size() && length + 1 < text.size() && !is_blank(line[length])) {
            const char c = line[length];
            text[length++] = c == 'D' || c == 'd' ? 'E' : c;
        }
        const char *begin = text.data() + (text[0] == '+' ? 1 : 0);
        double value = 0;
        const auto [end, status] = std::from_chars(begin, text.data() + length, value);
        if (text[0] == '(')
            reject_("'" + word_of(line) + "': complex integrals are not supported");
        if (text[0] == '&' || text[0] == '$')
            reject_("'" + word_of(line) + "': a second header; expected an integral");
        const bool whole = length == line.size() || is_blank(line[length]);
        if (!whole || end != text.data() + length ||
            (status != std::errc() && status != std::errc::result_out_of_range))
            reject_("'" + word_of(line) + "': expected a number");
        if (status == std::errc::result_out_of_range) // too small to matter, or too large
            value = std::strtod(begin, nullptr);
        if (!std::isfinite(value))
            reject_("'" + word_of(line) + "': expected a finite number");
        line.remove_prefix(length);
        return value;
    }

    index_t take_index(std::string_view &line) const {
        skip_blanks(line);
        index_t value = 0;
        const auto [end, status] = std::from_chars(line.data(), line.data() + line.size(), value);
        const auto length = static_cast<std::size_t>(end - line.data());
        if (line.empty())
            reject_("the line ends too early: expected a number and four indices");
        if (status != std::errc() || (length < line.size() && !is_blank(line[length])))
            reject_("'" + word_of(line) + "': expected an index, an integer");
        if (value < 0 || value > orbitals_)
            reject_("index " + std::to_string(value) +
                    ": expected 0 to NORB=" + std::to_string(orbitals_));
        line.remove_prefix(length);
        return value;
    }

    index_t orbitals_;
    const rejection &reject_;
};

/// Puts entries where they belong, and knows in the end whether all is there. Until then what the
/// file has not given is a NaN, which no line can give.
class list_builder {
public:
    list_builder(integral_list &list, const rejection &reject)
        : list_(list), reject_(reject), has_integrals_(static_cast<std::size_t>(list.orbitals)) {
        const index_t pairs = pair_count(list.orbitals);
        list.constant = not_given;
        try {
            list.one_electron.assign(static_cast<std::size_t>(pairs), not_given);
            list.two_electron.assign(static_cast<std::size_t>(pair_count(pairs)), not_given);
            list.orbital_energies.assign(static_cast<std::size_t>(list.orbitals), not_given);
        } catch (const std::exception &) { // of memory, or of what a vector may hold
            throw error(errc::out_of_memory,
                        "the integrals over NORB=" + std::to_string(list.orbitals) +
                            " orbitals take " +
                            std::to_string(integral_list::bytes_needed(list.orbitals)) +
                            " bytes on the first rank, which there are not");
        }
    }

    void put(const entry &line) {
        const auto [i, j, k, l] = line.index;
        if (k > 0 && l > 0 && i > 0 && j > 0) {
            const index_t at = pair_index(pair_index(i - 1, j - 1), pair_index(k - 1, l - 1));
            set(list_.two_electron[static_cast<std::size_t>(at)], line);
        } else if (k == 0 && l == 0 && i > 0 && j > 0) {
            set(list_.one_electron[static_cast<std::size_t>(pair_index(i - 1, j - 1))], line);
            has_one_electron_ = true;
        } else if (k == 0 && l == 0 && i > 0) {
            set(list_.orbital_energies[static_cast<std::size_t>(i - 1)], line);
            return;
        } else if (k == 0 && l == 0 && j == 0) {
            set(list_.constant, line);
        } else {
            reject_("indices " + std::to_string(i) + " " + std::to_string(j) + " " +
                    std::to_string(k) + " " + std::to_string(l) +
                    ": expected 'i j k l', 'i j 0 0', 'i 0 0 0' or '0 0 0 0'");
        }
        for (const index_t one : line.index)
            if (one > 0)
                has_integrals_[static_cast<std::size_t>(one - 1)] = 1;
    }

    /// A file that was cut at the end of a line can be told by what usually stands last; one whose
    /// NORB is too large by orbitals that nothing is said of.
    void finish() {
        if (!has_one_electron_)
            reject_("the file has no one-electron integral (value i j 0 0): was it cut short?");
        if (std::isnan(list_.constant))
            reject_("the file has no line for the constant energy (value 0 0 0 0): was it cut "
                    "short? Add '0.0 0 0 0 0' if there is none");
        if (const auto bare = std::find(has_integrals_.begin(), has_integrals_.end(), 0);
            bare != has_integrals_.end())
            reject_("the file has no integral over orbital " +
                    std::to_string(bare - has_integrals_.begin() + 1) + " of NORB=" +
                    std::to_string(list_.orbitals) + ": was it cut short, or is NORB too large?");
        for (std::vector<double> *part : {&list_.one_electron, &list_.two_electron})
            for (double &x : *part)
                if (std::isnan(x))
                    x = 0;
        std::vector<double> &energies = list_.orbital_energies;
        if (std::any_of(energies.begin(), energies.end(), [](double x) { return std::isnan(x); }))
            energies.clear();
    }

private:
    static constexpr double not_given = std::numeric_limits<double>::quiet_NaN();

    /// Programs that list equal integrals more than once, as (ij|kl) and (kl|ij), have them from
    /// different sums and round them.
    void set(double &to, const entry &line) const {
        constexpr double rounding = 1e-6; // hartree
        if (std::abs(to - line.value) > rounding) {
            const auto [i, j, k, l] = line.index;
            reject_(
                apps_impl::format("%.10g for indices %lld %lld %lld %lld contradicts an earlier "
                                  "line, which has %.10g there or where symmetry makes it equal",
                                  line.value, static_cast<long long>(i), static_cast<long long>(j),
                                  static_cast<long long>(k), static_cast<long long>(l), to));
        }
        to = line.value;
    }

    integral_list &list_;
    const rejection &reject_;
    bool has_one_electron_ = false;
    std::vector<char> has_integrals_; ///< of each orbital: whether there are any
};

/// For a reader that has to outlive it.
rejection rejection_for(const std::string &path, const line_reader &lines) {
    return [path, &lines](const std::string &message) {
        throw usage_error("'" + path + "', line " + std::to_string(lines.number()) + ": " +
                          message);
    };
}

} // namespace

fcidump_header read_fcidump_header(const std::string &path) {
    line_reader lines(open_source(path));
    return read_header(lines, rejection_for(path, lines));
}

integral_list read_fcidump(const std::string &path) {
    line_reader lines(open_source(path));
    const rejection reject = rejection_for(path, lines);
    const fcidump_header header = read_header(lines, reject);
    integral_list list;
    list.orbitals = header.orbitals;
    list.electrons = header.electrons;
    list_builder builder(list, reject);
    const body_parser parser(header.orbitals, reject);
    std::string_view line;
    entry one;
    while (lines.next(line))
        if (parser.parse(line, one))
            builder.put(one);
    builder.finish();
    return list;
}

} // namespace tenfold::ccsd
