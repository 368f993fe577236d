#include "base/calibration.hpp"

#include "base/kept_file.hpp"

namespace tenfold::base {
namespace {

using nlohmann::json;

constexpr const char *kind = "calibration";

/// Returns the number of threads of an entry for the key's processor and ISA, and 0 for other
/// entries.
int threads_of(const json &entry, const calibration_key &key) {
    constexpr std::int64_t most_threads = 1'000'000;
    const json *threads = member(entry, "threads");
    if (!says(member(entry, "cpu"), key.cpu) ||
        !says(member(entry, "isa"), std::string(name(key.isa))) || threads == nullptr ||
        !threads->is_number_integer())
        return 0;
    const auto count = threads->get<std::int64_t>();
    return count >= 1 && count <= most_threads ? static_cast<int>(count) : 0;
}

/// True if a calibration with `threads` threads is a better substitute than one with `than`, for
/// `wanted` threads.
bool suits_better(int threads, int than, int wanted) {
    if (than == 0 || (threads >= wanted) != (than >= wanted))
        return than == 0 || threads >= wanted;
    return threads >= wanted ? threads < than : threads > than;
}

/// False for NaN.
bool is_possible(const rate &one, double value) { return value >= one.least && value <= one.most; }

/// Returns the fault of an entry's rates; empty if there is none.
std::string from_json(const json *values, machine_rates &rates) {
    for (const rate &one : all_rates()) {
        const json *value = values == nullptr ? nullptr : member(*values, one.name);
        if (value == nullptr || !value->is_number() || !is_possible(one, value->get<double>()))
            return "its '" + std::string(one.name) + "' is damaged";
        rates.*one.value = value->get<double>();
    }
    return {};
}

json to_json(const calibration_key &key, const machine_rates &rates) {
    json values = json::object();
    for (const rate &one : all_rates())
        values[one.name] = rates.*one.value;
    return {{"cpu", key.cpu}, {"isa", name(key.isa)}, {"threads", key.threads}, {"rates", values}};
}

/// Reads the file and checks that its entries are a list.
kept_file read_entries(const std::string &file, const std::string &version) {
    kept_file found = read_kept_file(file, version, kind);
    const json *entries = member(found.content, "calibrations");
    if (found.content.is_null())
        return found;
    if (entries == nullptr)
        return not_of_kind(kind); // wisdom, for instance
    if (!entries->is_array())
        return {{}, "its calibrations are damaged", true};
    return found;
}

} // namespace

found_calibration read_calibration(const std::string &file, const calibration_key &key) {
    const kept_file found = read_entries(file, key.version);
    if (!found.fault.empty())
        return {{}, 0, found.fault};
    if (found.content.is_null())
        return {{}, 0, "there is none"};
    const json *best = nullptr;
    int threads = 0;
    for (const json &entry : *member(found.content, "calibrations"))
        if (const int its = threads_of(entry, key);
            its > 0 && suits_better(its, threads, key.threads)) {
            best = &entry;
            threads = its;
        }
    if (best == nullptr)
        return {{}, 0, "it has none of this processor with " + std::string(name(key.isa))};
    machine_rates rates;
    if (std::string fault = from_json(member(*best, "rates"), rates); !fault.empty())
        return {{}, 0, std::move(fault)};
    return {rates, threads, {}};
}

std::string save_calibration(const std::string &file, const calibration_key &key,
                             const machine_rates &rates) {
    for (const rate &one : all_rates())
        if (!is_possible(one, rates.*one.value))
            return "the measured '" + std::string(one.name) + "' is beyond any machine's";
    const kept_file_lock alone(file);
    kept_file found = read_entries(file, key.version);
    if (!found.ours)
        return found.fault + "; it is left as it is"; // it may be any file, named by mistake
    json &content = found.content;
    if (!content.is_object())
        content = {{"tenfold", key.version}, {"calibrations", json::array()}};
    json &entries = content["calibrations"];
    for (json &entry : entries)
        if (threads_of(entry, key) == key.threads) {
            entry = to_json(key, rates);
            return replace_kept_file(file, content);
        }
    entries.push_back(to_json(key, rates));
    return replace_kept_file(file, content);
}

} // namespace tenfold::base
