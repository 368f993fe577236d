#include "tuning/wisdom_file.hpp"

#include "base/kept_file.hpp"
#include "tuning/measuring.hpp"

namespace tenfold::base {
namespace {

using nlohmann::json;

/// The file, if it is of this processor.
kept_file read_file(const std::string &file, const std::string &cpu, const std::string &version,
                    const std::string &kind) {
    kept_file found = read_kept_file(file, version, "wisdom");
    const auto stale = [](const char *fault) { return kept_file{{}, fault, true}; };
    if (found.content.is_null())
        return found;
    if (member(found.content, "cpu") == nullptr)
        return not_of_kind("wisdom"); // a calibration, for instance
    if (!says(member(found.content, "cpu"), cpu))
        return stale("it is of another processor");
    const json *entries = member(found.content, kind.c_str());
    if (entries != nullptr && !entries->is_object())
        return stale("its entries are damaged");
    return found;
}

} // namespace

wisdom_file::wisdom_file(std::string file, std::string cpu, std::string version, std::string kind)
    : file_(std::move(file)), cpu_(std::move(cpu)), version_(std::move(version)),
      kind_(std::move(kind)) {
    try {
        load();
    } catch (const std::exception &what) { // no memory for a large file, for instance
        entries_.clear();
        fault_ = what.what();
    }
}

void wisdom_file::load() {
    kept_file found = read_file(file_, cpu_, version_, kind_);
    fault_ = std::move(found.fault);
    if (const json *entries = member(found.content, kind_.c_str()))
        for (const auto &[problem, entry] : entries->items())
            entries_[problem] = entry;
}

wisdom_file::answer wisdom_file::look_up(const std::string &problem) const {
    const std::lock_guard lock(mutex_);
    const auto known = entries_.find(problem);
    if (known == entries_.end())
        return {std::nullopt, fault_.empty() ? "" : file_ + ": " + fault_};
    return {known->second, {}};
}

std::string wisdom_file::remember(const std::string &problem, json entry) {
    const std::lock_guard lock(mutex_);
    const json &kept = entries_[problem] = std::move(entry);
    note_wisdom_learned();
    std::string reason;
    try {
        reason = save(problem, kept);
    } catch (const std::exception &what) {
        reason = what.what();
    }
    if (!reason.empty())
        return file_ + ": " + reason;
    fault_.clear();
    return {};
}

std::string wisdom_file::save(const std::string &problem, const json &entry) const {
    const kept_file_lock alone(file_); // other kinds, and other processes, write into the same file
    kept_file found = read_file(file_, cpu_, version_, kind_);
    if (!found.ours)
        return found.fault + "; it is left as it is"; // it may be something else, named by mistake
    json &content = found.content;
    if (!content.is_object())
        content = {{"tenfold", version_}, {"cpu", cpu_}};
    content[kind_][problem] = entry;
    return replace_kept_file(file_, content);
}

bool read_number(const json *value, index_t least, index_t most, index_t &number) {
    if (value == nullptr)
        return true;
    if (!value->is_number_integer() ||
        (value->is_number_unsigned() && value->get<std::uint64_t>() > std::uint64_t{INT64_MAX}))
        return false;
    const index_t found = value->get<index_t>();
    if (found < least || found > most)
        return false;
    number = found;
    return true;
}

bool read_number(const json *value, double least, double most, double &number) {
    if (value == nullptr)
        return true;
    if (!value->is_number())
        return false;
    number = value->get<double>();
    return number >= least && number <= most;
}

void write(const kept_search &search, json &entry) {
    entry["level"] = name(search.level);
    entry["gain"] = search.gain;
    entry["candidates"] = search.candidates;
    entry["seconds"] = search.seconds;
}

std::string damaged(const std::string &member) { return "an entry's '" + member + "' is damaged"; }

std::string read(const json &entry, kept_search &search) {
    const json *level = member(entry, "level");
    if (!says(level, "measure") && !says(level, "patient"))
        return damaged("level");
    search.level = *parse_tuning(level->get<std::string>());
    if (!read_number(member(entry, "gain"), 1.0, 1e6, search.gain))
        return damaged("gain");
    index_t candidates = search.candidates;
    if (!read_number(member(entry, "candidates"), index_t{0}, index_t{1'000'000}, candidates))
        return damaged("candidates");
    search.candidates = static_cast<int>(candidates);
    if (!read_number(member(entry, "seconds"), 0.0, 1e6, search.seconds))
        return damaged("seconds");
    return {};
}

} // namespace tenfold::base
