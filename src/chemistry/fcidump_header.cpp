// The header of an FCIDUMP: a Fortran namelist.
#include "chemistry/fcidump_header.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tenfold::chemistry_impl {
namespace {

/// Throws for the line that was read last; the argument says what is wrong.
using header_rejection = std::function<void(const std::string &)>;

/// The largest number of orbitals; 64-bit indices then hold the packed list of integrals with ease.
constexpr index_t most_orbitals = 4096;

/// The names in the header that are used here; programs write many others.
constexpr std::array<std::string_view, 6> known_names = {"NORB", "NELEC", "MS2",
                                                         "UHF",  "IUHF",  "ORBSYM"};
/// Numbers of irreducible representations are 1 to 8 in D2h and its subgroups, which nearly all
/// programs use; a few programs have larger ones for linear molecules.
constexpr index_t largest_symmetry = 999;

std::string upper(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return result;
}

std::string quoted_start(std::string_view line) {
    std::string text(line.substr(0, 30));
    for (char &c : text)
        if (std::isprint(static_cast<unsigned char>(c)) == 0)
            c = '?';
    return "'" + text + (line.size() > 30 ? "..." : "") + "'";
}

/// Splits a namelist into words: names and values. '=' and the closing mark are words of their own;
/// commas and blanks separate.
std::vector<std::string> words_of(const std::string &line) {
    std::vector<std::string> words;
    std::string word;
    const auto finish = [&] {
        if (!word.empty())
            words.push_back(std::move(word));
        word.clear();
    };
    for (const char c : line) {
        if (c == '!') // the rest of the line is a comment
            break;
        if (c == ',' || std::isspace(static_cast<unsigned char>(c)) != 0) {
            finish();
        } else if (c == '=' || c == '/') {
            finish();
            words.emplace_back(1, c);
        } else {
            if (c == '&' || c == '$')
                finish();
            word += c;
        }
    }
    finish();
    return words;
}

class namelist {
public:
    explicit namelist(const header_rejection &reject) : reject_(reject) {}

    /// Reads the words of a line. Returns false once the header is closed.
    bool take(const std::vector<std::string> &words) {
        for (std::size_t i = 0; i < words.size(); ++i) {
            const std::string &word = words[i];
            if (word == "/" || word == "&END" || word == "$END") {
                if (i + 1 != words.size())
                    reject_("'" + words[i + 1] + "' behind the end of the header");
                return false;
            }
            if (word.starts_with('&') || word.starts_with('$')) {
                reject_("'" + word + "' within the header: expected it to be closed by &END or /");
            } else if (i + 1 < words.size() && words[i + 1] == "=") {
                key_ = word;
                if (!values_.emplace(key_, std::vector<std::string>()).second)
                    reject_("'" + key_ + "' is given twice");
                ++i;
            } else if (word == "=" || key_.empty()) {
                reject_("'" + word + "': expected NAME=VALUE");
            } else {
                take_value(word);
            }
        }
        return true;
    }

    /// Returns the value of an integer, or `otherwise` if it is missing.
    index_t integer(const std::string &key, std::optional<index_t> otherwise = {}) const {
        const auto found = values_.find(key);
        if (found == values_.end()) {
            if (!otherwise)
                reject_("the header has no " + key);
            return otherwise.value_or(0);
        }
        if (found->second.size() != 1)
            reject_(key + " has " + std::to_string(found->second.size()) +
                    " values: expected one integer");
        const std::string &text = found->second.front();
        const auto value = integer_in(text);
        if (!value)
            reject_(key + "=" + text + ": expected an integer");
        return *value;
    }

    bool is_true(const std::string &key) const {
        const auto found = values_.find(key);
        if (found == values_.end() || found->second.empty())
            return false;
        const std::string &text = found->second.front();
        return text.starts_with('T') || text.starts_with(".T");
    }

    bool has(const std::string &key) const { return values_.find(key) != values_.end(); }

    /// Returns a list of integers, which take() has checked; empty if it is missing.
    std::vector<index_t> integers(const std::string &key) const {
        std::vector<index_t> all;
        if (const auto found = values_.find(key); found != values_.end())
            for (const std::string &text : found->second)
                all.push_back(integer_in(text).value_or(0));
        return all;
    }

private:
    static std::optional<index_t> integer_in(std::string_view text) {
        if (text.starts_with('+') && !text.starts_with("+-"))
            text.remove_prefix(1);
        index_t value = 0;
        const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (status != std::errc() || end != text.data() + text.size())
            return {};
        return value;
    }

    /// Adds one or more values to the name that was read last: Fortran writes 3*2 for 2,2,2.
    void take_value(const std::string &word) {
        if (std::find(known_names.begin(), known_names.end(), key_) == known_names.end())
            return;
        const std::size_t star = word.find('*');
        const bool repeats = star != std::string::npos;
        const std::string value = repeats ? word.substr(star + 1) : word;
        const auto times = repeats ? integer_in(std::string_view(word).substr(0, star)) : 1;
        if (value.empty() || !times || *times < 1)
            reject_(quoted_start(word) + " in " + key_ +
                    ": expected a value, or COUNT*VALUE with a count of at least 1");
        std::vector<std::string> &values = values_[key_];
        if (*times > most_orbitals - static_cast<index_t>(values.size()))
            reject_(quoted_start(word) + ": " + key_ + " has more than " +
                    std::to_string(most_orbitals) + " values");
        if (key_ == "ORBSYM") {
            const auto symmetry = integer_in(value);
            if (!symmetry || *symmetry < 0 || *symmetry > largest_symmetry)
                reject_(quoted_start(word) +
                        " in ORBSYM: expected the number of an irreducible "
                        "representation, 0 to " +
                        std::to_string(largest_symmetry));
        }
        values.insert(values.end(), static_cast<std::size_t>(*times), value);
    }

    const header_rejection &reject_;
    std::map<std::string, std::vector<std::string>> values_;
    std::string key_;
};

/// Reads all lines of the header.
void read_lines(line_reader &lines, namelist &values, const header_rejection &reject) {
    std::string_view line;
    std::vector<std::string> words;
    while (words.empty()) {
        if (!lines.next(line))
            reject("the file is empty: expected the header &FCI NORB=..,NELEC=..");
        words = words_of(upper(line));
    }
    if (words.front() != "&FCI" && words.front() != "$FCI")
        reject(quoted_start(line) + ": expected the header, which begins with &FCI");
    words.erase(words.begin());
    while (values.take(words)) {
        if (!lines.next(line))
            reject("the file ends within the header: expected it to be closed by &END or /");
        words = words_of(upper(line));
    }
}

/// Without MS2 the spin is the lowest that the number of electrons allows.
index_t spin_of(const namelist &values, const chem::fcidump_header &header,
                const header_rejection &reject) {
    if (!values.has("MS2"))
        return header.electrons % 2;
    const index_t spin = values.integer("MS2");
    const index_t most = std::min(header.electrons, 2 * header.orbitals - header.electrons);
    if (spin < -most || spin > most || (spin - header.electrons) % 2 != 0)
        reject("MS2=" + std::to_string(spin) +
               ": expected twice the spin of NELEC=" + std::to_string(header.electrons) +
               " electrons in NORB=" + std::to_string(header.orbitals) + " orbitals");
    return spin;
}

} // namespace

chem::fcidump_header read_header(line_reader &lines, const std::string &path) {
    const header_rejection reject = [&](const std::string &message) {
        throw chem::fcidump_error(path, std::max<index_t>(lines.number(), 1), message);
    };
    namelist values(reject);
    read_lines(lines, values, reject);

    chem::fcidump_header header;
    header.orbitals = values.integer("NORB");
    header.electrons = values.integer("NELEC");
    if (header.orbitals < 1 || header.orbitals > most_orbitals)
        reject("NORB=" + std::to_string(header.orbitals) + ": expected 1 to " +
               std::to_string(most_orbitals));
    if (values.is_true("UHF") || values.integer("IUHF", 0) != 0)
        reject("unrestricted orbitals (UHF): expected restricted ones");
    if (header.electrons < 0 || header.electrons > 2 * header.orbitals)
        reject("NELEC=" + std::to_string(header.electrons) +
               ": expected 0 to twice NORB=" + std::to_string(header.orbitals));
    header.spin = spin_of(values, header, reject);
    header.symmetries = values.integers("ORBSYM");
    if (values.has("ORBSYM") && static_cast<index_t>(header.symmetries.size()) != header.orbitals)
        reject("ORBSYM has " + std::to_string(header.symmetries.size()) +
               " values: expected NORB=" + std::to_string(header.orbitals));
    header.last_line = lines.number();
    return header;
}

} // namespace tenfold::chemistry_impl
