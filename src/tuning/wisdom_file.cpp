// The file of wisdom.
#include <nlohmann/json.hpp>

#include "base/kept_file.hpp"
#include "tuning/wisdom.hpp"

namespace tenfold::tuning_impl {
namespace {

using base::kept_file;
using base::member;
using base::says;
using nlohmann::json;

/// Reads the file, if it belongs to this processor.
kept_file read_file(const std::string &file, const std::string &cpu, const std::string &version,
                    const std::string &kind) {
    kept_file found = base::read_kept_file(file, version, "wisdom");
    const auto stale = [](const char *fault) { return kept_file{{}, fault, true}; };
    if (found.content.is_null())
        return found;
    if (member(found.content, "cpu") == nullptr)
        return base::not_of_kind("wisdom"); // for example a calibration
    if (!says(member(found.content, "cpu"), cpu))
        return stale("it is of another processor");
    const json *entries = member(found.content, kind.c_str());
    if (entries != nullptr && !entries->is_object())
        return stale("its entries are damaged");
    return found;
}

/// Returns an integer of 64 bits; empty if the value is something else.
std::optional<index_t> number_in(const json &value) {
    if (!value.is_number_integer() ||
        (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX}))
        return std::nullopt;
    return value.get<index_t>();
}

/// Reads a number between two bounds, or keeps the default if there is none; returns false if it is
/// something else.
bool read_number(const json *value, double least, double most, double &number) {
    if (value == nullptr)
        return true;
    if (!value->is_number())
        return false;
    number = value->get<double>();
    return number >= least && number <= most;
}

/// Returns what is damaged; empty if nothing is.
std::string read_search(const json &entry, kept_search &search) {
    const json *level = member(entry, "level");
    if (!says(level, "measure") && !says(level, "patient"))
        return damaged("level");
    search.level = *parse_tuning(level->get<std::string>());
    if (!read_number(member(entry, "gain"), 1.0, 1e6, search.gain))
        return damaged("gain");
    if (const json *candidates = member(entry, "candidates")) {
        const std::optional<index_t> number = number_in(*candidates);
        if (!number || *number < 0 || *number > 1'000'000)
            return damaged("candidates");
        search.candidates = static_cast<int>(*number);
    }
    if (!read_number(member(entry, "seconds"), 0.0, 1e6, search.seconds))
        return damaged("seconds");
    return {};
}

wisdom_entry from_json(const json &value) {
    wisdom_entry entry;
    if (const json *choice = member(value, "choice"); choice != nullptr && choice->is_string())
        entry.choice = choice->get<std::string>();
    if (const json *choices = member(value, "choices");
        choices != nullptr && choices->is_object()) {
        auto &numbers = entry.choices.emplace();
        for (const auto &[name, number] : choices->items())
            numbers[name] = number_in(number);
    }
    entry.fault = read_search(value, entry);
    return entry;
}

json to_json(const wisdom_entry &entry) {
    json value = {{"level", name(entry.level)},
                  {"gain", entry.gain},
                  {"candidates", entry.candidates},
                  {"seconds", entry.seconds}};
    if (entry.choice)
        value["choice"] = *entry.choice;
    if (entry.choices) {
        json &choices = value["choices"] = json::object();
        for (const auto &[name, number] : *entry.choices)
            choices[name] = *number;
    }
    return value;
}

} // namespace

struct wisdom_file::state {
    const std::string file;
    const std::string cpu;
    const std::string version;
    const std::string kind;
    mutable std::mutex mutex = {};
    std::string fault = {}; ///< of the whole file
    std::map<std::string, json> entries = {};

    void load() {
        kept_file found = read_file(file, cpu, version, kind);
        fault = std::move(found.fault);
        if (const json *kept = member(found.content, kind.c_str()))
            for (const auto &[problem, entry] : kept->items())
                entries[problem] = entry;
    }

    std::string save(const std::string &problem, const json &entry) const {
        // Other kinds of plans, and other processes, write into the same file.
        const base::kept_file_lock alone(file);
        kept_file found = read_file(file, cpu, version, kind);
        if (!found.ours) // it may be another file, named by mistake
            return found.fault + "; it is left as it is";
        json &content = found.content;
        if (!content.is_object())
            content = {{"tenfold", version}, {"cpu", cpu}};
        content[kind][problem] = entry;
        return base::replace_kept_file(file, content);
    }
};

wisdom_file::wisdom_file(std::string file, std::string cpu, std::string version, std::string kind)
    : state_(new state{std::move(file), std::move(cpu), std::move(version), std::move(kind)}) {
    try {
        state_->load();
    } catch (const std::exception &what) { // for example, too little memory for a large file
        state_->entries.clear();
        state_->fault = what.what();
    }
}
wisdom_file::~wisdom_file() = default;

const std::string &wisdom_file::file() const noexcept { return state_->file; }

wisdom_file::answer wisdom_file::look_up(const std::string &problem) const {
    const std::lock_guard lock(state_->mutex);
    const auto known = state_->entries.find(problem);
    if (known == state_->entries.end())
        return {std::nullopt, state_->fault.empty() ? "" : state_->file + ": " + state_->fault};
    return {from_json(known->second), {}};
}

std::string wisdom_file::remember(const std::string &problem, const wisdom_entry &entry) {
    const std::lock_guard lock(state_->mutex);
    const json &kept = state_->entries[problem] = to_json(entry);
    note_wisdom_learned();
    std::string reason;
    try {
        reason = state_->save(problem, kept);
    } catch (const std::exception &what) {
        reason = what.what();
    }
    if (!reason.empty())
        return state_->file + ": " + reason;
    state_->fault.clear();
    return {};
}

} // namespace tenfold::tuning_impl
