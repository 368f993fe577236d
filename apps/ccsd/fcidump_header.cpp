#include "fcidump_header.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <vector>

namespace tenfold::ccsd {
namespace {

/// Largest number of orbitals whose packed list of integrals fits 64-bit indices with ease.
constexpr index_t most_orbitals = 4096;

std::string upper(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return result;
}

/// Words of a namelist: names and values; '=' and the closing mark are words of their own, commas
/// and blanks separate.
std::vector<std::string> words_of(const std::string &line) {
    std::vector<std::string> words;
    std::string word;
    const auto finish = [&] {
        if (!word.empty())
            words.push_back(std::move(word));
        word.clear();
    };
    for (const char c : line) {
        if (c == '!') // a comment, up to the end of the line
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
    explicit namelist(const rejection &reject) : reject_(reject) {}

    /// False once the header is closed.
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
                values_[key_].push_back(word);
            }
        }
        return true;
    }

    /// The value of an integer; `otherwise` where it is not given.
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
        index_t value = 0;
        const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (status != std::errc() || end != text.data() + text.size())
            reject_(key + "=" + text + ": expected an integer");
        return value;
    }

    bool is_true(const std::string &key) const {
        const auto found = values_.find(key);
        if (found == values_.end() || found->second.empty())
            return false;
        const std::string &text = found->second.front();
        return text.starts_with('T') || text.starts_with(".T");
    }

    /// Of a list such as ORBSYM=1,1,3*2; no value where it is not given.
    std::optional<index_t> length(const std::string &key) const {
        const auto found = values_.find(key);
        if (found == values_.end())
            return {};
        index_t count = 0;
        for (const std::string &text : found->second) {
            index_t repeat = 1;
            if (const std::size_t star = text.find('*'); star != std::string::npos)
                std::from_chars(text.data(), text.data() + star, repeat);
            count += repeat;
        }
        return count;
    }

private:
    const rejection &reject_;
    std::map<std::string, std::vector<std::string>> values_;
    std::string key_;
};

std::string quoted_start(std::string_view line) {
    std::string text(line.substr(0, 30));
    for (char &c : text)
        if (std::isprint(static_cast<unsigned char>(c)) == 0)
            c = '?';
    return "'" + text + (line.size() > 30 ? "..." : "") + "'";
}

} // namespace

fcidump_header read_header(line_reader &lines, const rejection &reject) {
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

    namelist values(reject);
    while (values.take(words)) {
        if (!lines.next(line))
            reject("the file ends within the header: expected it to be closed by &END or /");
        words = words_of(upper(line));
    }

    const index_t orbitals = values.integer("NORB");
    const index_t electrons = values.integer("NELEC");
    if (orbitals < 1 || orbitals > most_orbitals)
        reject("NORB=" + std::to_string(orbitals) + ": expected 1 to " +
               std::to_string(most_orbitals));
    if (values.is_true("UHF") || values.integer("IUHF", 0) != 0)
        reject("unrestricted orbitals (UHF): expected restricted ones");
    if (electrons < 2 || electrons % 2 != 0 || electrons > 2 * orbitals)
        reject("NELEC=" + std::to_string(electrons) +
               ": expected an even number from 2 to twice NORB=" + std::to_string(orbitals) +
               " (closed shell)");
    if (const index_t spin = values.integer("MS2", 0); spin != 0)
        reject("MS2=" + std::to_string(spin) + ": expected 0 (closed shell)");
    if (const auto listed = values.length("ORBSYM"); listed && *listed != orbitals)
        reject("ORBSYM has " + std::to_string(*listed) +
               " values: expected NORB=" + std::to_string(orbitals));
    return {orbitals, electrons};
}

} // namespace tenfold::ccsd
