// The body of an FCIDUMP: its lines, and the list that they fill.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include <tenfold/chem_fcidump.hpp>

namespace tenfold::chem {
namespace {

/// Throws for the line that is being parsed; the argument says what is wrong.
using line_rejection = std::function<void(const std::string &)>;

bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

/// A line of the body: a value and four indices.
struct entry {
    double value = 0;
    std::array<index_t, 4> index{};
};

class body_parser {
public:
    body_parser(index_t orbitals, const line_rejection &reject)
        : orbitals_(orbitals), reject_(reject) {}

    /// Parses a line. Returns false if it is empty.
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

    /// Reads a number, also with Fortran's exponent: "1.5D-03" for 1.5e-3.
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
        if (status == std::errc::result_out_of_range) // underflow or overflow
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
    const line_rejection &reject_;
};

/// Returns the place of an entry in a list of all.
index_t place_of(const entry &line, index_t orbitals, const line_rejection &reject) {
    const auto [i, j, k, l] = line.index;
    if (k > 0 && l > 0 && i > 0 && j > 0)
        return pair_index(pair_index(i - 1, j - 1), pair_index(k - 1, l - 1));
    const index_t pairs = pair_count(orbitals);
    const index_t others = pair_count(pairs);
    if (k == 0 && l == 0 && i > 0 && j > 0)
        return others + pair_index(i - 1, j - 1);
    if (k == 0 && l == 0 && i > 0)
        return others + pairs + i - 1;
    if (k == 0 && l == 0 && j == 0)
        return others + pairs + orbitals;
    reject("indices " + std::to_string(i) + " " + std::to_string(j) + " " + std::to_string(k) +
           " " + std::to_string(l) + ": expected 'i j k l', 'i j 0 0', 'i 0 0 0' or '0 0 0 0'");
    return 0;
}

std::string text_of(double x) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.10g", x);
    return text.data();
}

} // namespace

void parse_fcidump_lines(std::string_view lines, index_t first, const std::string &path,
                         index_t orbitals, std::vector<fcidump_entry> &entries) {
    index_t number = first;
    const line_rejection reject = [&](const std::string &message) {
        throw fcidump_error(path, number, message);
    };
    const body_parser parser(orbitals, reject);
    entry one;
    for (; !lines.empty(); ++number) {
        const std::size_t length = std::min(lines.find('\n'), lines.size());
        std::string_view line = lines.substr(0, length);
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        if (parser.parse(line, one))
            entries.push_back({place_of(one, orbitals, reject), one.value, number});
        lines.remove_prefix(std::min(length + 1, lines.size()));
    }
}

integrals_builder::integrals_builder(integrals &list) : list_(list) {
    const index_t pairs = pair_count(list.orbitals);
    two_electron_ = pair_count(pairs);
    list.constant = not_given;
    try {
        list.one_electron.assign(static_cast<std::size_t>(pairs), not_given);
        list.two_electron.assign(static_cast<std::size_t>(two_electron_), not_given);
        list.orbital_energies.assign(static_cast<std::size_t>(list.orbitals), not_given);
    } catch (const std::exception &) { // no memory, or larger than a vector can be
        throw error(errc::out_of_memory,
                    "the integrals over NORB=" + std::to_string(list.orbitals) + " orbitals take " +
                        std::to_string(integrals::bytes_needed(list.orbitals)) +
                        " bytes on a rank, which there are not");
    }
}

double &integrals_builder::other(index_t place) noexcept {
    const auto pairs = static_cast<index_t>(list_.one_electron.size());
    if (place < pairs)
        return list_.one_electron[static_cast<std::size_t>(place)];
    if (place < pairs + list_.orbitals)
        return list_.orbital_energies[static_cast<std::size_t>(place - pairs)];
    return list_.constant;
}

bool integrals_builder::has_integrals(index_t orbital) const noexcept {
    const auto is_given = [](double x) { return !std::isnan(x); };
    for (index_t q = 0; q < list_.orbitals; ++q)
        if (is_given(list_.h(orbital, q)))
            return true;
    for (index_t q = 0; q < list_.orbitals; ++q)
        for (index_t r = 0; r < list_.orbitals; ++r)
            for (index_t s = 0; s <= r; ++s)
                if (is_given(list_(orbital, q, r, s)))
                    return true;
    return false;
}

/// Checks that the list is complete. A file that was cut at the end of a line lacks the entries
/// that are usually last; if NORB is too large, the file has no entries for some orbitals.
void integrals_builder::finish(const std::string &path, index_t last_line) {
    const auto is_missing = [](double x) { return std::isnan(x); };
    if (contradiction_)
        throw fcidump_error(
            path, contradiction_->line,
            text_of(contradiction_->value) + " contradicts an earlier line, which has " +
                text_of(contradicted_) + " for the same indices or for what symmetry makes equal");
    if (std::all_of(list_.one_electron.begin(), list_.one_electron.end(), is_missing))
        throw fcidump_error(
            path, last_line,
            "the file has no one-electron integral (value i j 0 0): was it cut short?");
    if (is_missing(list_.constant))
        throw fcidump_error(
            path, last_line,
            "the file has no line for the constant energy (value 0 0 0 0): was it cut "
            "short? Add '0.0 0 0 0 0' if there is none");
    for (index_t p = 0; p < list_.orbitals; ++p)
        if (!has_integrals(p))
            throw fcidump_error(path, last_line,
                                "the file has no integral over orbital " + std::to_string(p + 1) +
                                    " of NORB=" + std::to_string(list_.orbitals) +
                                    ": was it cut short, or is NORB too large?");
    std::replace_if(list_.one_electron.begin(), list_.one_electron.end(), is_missing, 0.0);
    std::replace_if(list_.two_electron.begin(), list_.two_electron.end(), is_missing, 0.0);
    std::vector<double> &energies = list_.orbital_energies;
    if (std::any_of(energies.begin(), energies.end(), is_missing))
        energies.clear();
}

} // namespace tenfold::chem
