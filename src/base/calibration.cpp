#include "base/calibration.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "base/kept_file.hpp"

namespace tenfold::base {
namespace {

using nlohmann::json;

constexpr const char *kind = "calibration";

/// Whether an entry is of the key's processor and ISA.
bool is_of(const json &entry, const calibration_key &key) {
    return says(member(entry, "cpu"), key.cpu) &&
           says(member(entry, "isa"), std::string(name(key.isa)));
}

/// Returns the number of threads of an entry for the key's processor and ISA, and 0 for other
/// entries.
int threads_of(const json &entry, const calibration_key &key) {
    constexpr std::int64_t most_threads = 1'000'000;
    const json *threads = member(entry, "threads");
    if (!is_of(entry, key) || threads == nullptr || !threads->is_number_integer())
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

enum class which_rates : std::uint8_t { all, probed };

/// Returns the fault of an entry's rates; empty if there is none.
std::string from_json(const json *values, which_rates which, machine_rates &rates) {
    for (const rate &one : all_rates()) {
        if (which == which_rates::probed && !one.probed)
            continue;
        const json *value = values == nullptr ? nullptr : member(*values, one.name);
        if (value == nullptr || !value->is_number() || !one.is_possible(value->get<double>()))
            return "its '" + std::string(one.name) + "' is damaged";
        rates.*one.value = value->get<double>();
    }
    return {};
}

json to_json(const calibration_key &key, which_rates which, const machine_rates &rates) {
    json values = json::object();
    for (const rate &one : all_rates())
        if (which == which_rates::all || one.probed)
            values[one.name] = rates.*one.value;
    json entry = {{"cpu", key.cpu}, {"isa", name(key.isa)}, {"rates", values}};
    if (which == which_rates::all)
        entry["threads"] = key.threads;
    return entry;
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

json new_file(const std::string &version) {
    return {{"tenfold", version}, {"calibrations", json::array()}};
}

/// The probe of the key's processor in an intact file; null: none.
const json *probe_in(const kept_file &found, const calibration_key &key) {
    const json *probes = member(found.content, "probes");
    if (!found.fault.empty() || probes == nullptr || !probes->is_array())
        return nullptr;
    for (const json &entry : *probes)
        if (is_of(entry, key))
            return &entry;
    return nullptr;
}

/// Programs beside this one slow a probe down, for seconds at a time. So later processes probe
/// again, and the fastest of so many probes counts.
constexpr std::int64_t probes_taken = 5;
constexpr std::int64_t seconds_between_probes = 10;

/// How often this processor was probed, and when last, in seconds since 1970.
struct probe_history {
    std::int64_t count = 0, last = 0;

    bool is_complete(std::int64_t now) const {
        return count >= probes_taken || now - last < seconds_between_probes;
    }
};

std::int64_t seconds_since_1970() {
    using namespace std::chrono;
    return duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
}

std::optional<probe_history> read_probe(const kept_file &found, const calibration_key &key,
                                        machine_rates &rates) {
    const json *entry = probe_in(found, key);
    machine_rates read = rates;
    if (entry == nullptr || !from_json(member(*entry, "rates"), which_rates::probed, read).empty())
        return {};
    rates = read;
    const auto integer = [entry](const char *name) {
        const json *value = member(*entry, name);
        return value != nullptr && value->is_number_integer() ? value->get<std::int64_t>() : 0;
    };
    return probe_history{integer("count"), integer("last")};
}

/// What the machine makes of GEMM's micro-kernels, which other load slows down most.
double speed_in(const machine_rates &rates) {
    return rates.fma_flops_f64 * rates.kernel_efficiency;
}

/// The list of that name, made if there is none.
json &list_in(json &content, const char *name) {
    json &list = content[name];
    if (!list.is_array())
        list = json::array();
    return list;
}

/// Returns whether it could. The caller holds the file's lock.
bool save_probe(const std::string &file, kept_file found, const calibration_key &key,
                const machine_rates &rates, const probe_history &history) {
    if (!found.ours)
        return false;
    if (!found.content.is_object())
        found.content = new_file(key.version);
    json &probes = list_in(found.content, "probes");
    std::erase_if(probes.get_ref<json::array_t &>(),
                  [&](const json &entry) { return is_of(entry, key); });
    json entry = to_json(key, which_rates::probed, rates);
    entry["count"] = history.count;
    entry["last"] = history.last;
    probes.push_back(std::move(entry));
    return replace_kept_file(file, found.content).empty();
}

/// Returns the bandwidth in this field; 0 if there is none, or an impossible one.
double bandwidth_in(const json &entry, const char *field) {
    const json *value = member(entry, field);
    if (value == nullptr || !value->is_number())
        return 0;
    const auto rates = all_rates();
    const auto copy = std::find_if(rates.begin(), rates.end(), [](const rate &one) {
        return one.value == &machine_rates::memory_bandwidth;
    });
    const double bandwidth = value->get<double>();
    return copy->is_possible(bandwidth) ? bandwidth : 0;
}

/// The copies of an intact file that are of the key's processor and ISA.
seen_copies copies_in(const kept_file &found, const calibration_key &key) {
    seen_copies seen;
    const json *copies = member(found.content, "copies");
    if (!found.fault.empty() || copies == nullptr || !copies->is_array())
        return seen;
    for (const json &entry : *copies) {
        const seen_copy copy = {bandwidth_in(entry, "bandwidth"), bandwidth_in(entry, "at_most")};
        const int threads = threads_of(entry, key);
        if (threads == 1)
            seen.one = copy;
        if (threads == key.threads)
            seen.all = copy;
    }
    return seen;
}

/// Creates the folder of the user's own file. The folder of any other file must exist.
void make_folder_of(const std::string &file) {
    std::error_code ignored; // writing the file finds out
    if (file == default_calibration_file())
        std::filesystem::create_directories(std::filesystem::path(file).parent_path(), ignored);
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
    if (std::string fault = from_json(member(*best, "rates"), which_rates::all, rates);
        !fault.empty())
        return {{}, 0, std::move(fault)};
    return {rates, threads, {}};
}

std::string save_calibration(const std::string &file, const calibration_key &key,
                             const machine_rates &rates) {
    for (const rate &one : all_rates())
        if (!one.is_possible(rates.*one.value))
            return "the measured '" + std::string(one.name) + "' is beyond any machine's";
    make_folder_of(file);
    const kept_file_lock alone(file);
    kept_file found = read_entries(file, key.version);
    if (!found.ours)
        return found.fault + "; it is left as it is"; // it may be any file, named by mistake
    json &content = found.content;
    if (!content.is_object())
        content = new_file(key.version);
    json &entries = content["calibrations"];
    for (json &entry : entries)
        if (threads_of(entry, key) == key.threads) {
            entry = to_json(key, which_rates::all, rates);
            return replace_kept_file(file, content);
        }
    entries.push_back(to_json(key, which_rates::all, rates));
    return replace_kept_file(file, content);
}

probe_outcome probe_or_read(const std::string &file, const calibration_key &key, rate_probe probe,
                            const machine &machine, machine_rates &rates) {
    if (file.empty()) {
        run_probe(probe, machine, key.isa, rates);
        return {.kept = false, .ran = true};
    }
    const std::int64_t now = seconds_since_1970();
    if (const auto kept = read_probe(read_entries(file, key.version), key, rates);
        kept && kept->is_complete(now))
        return {.kept = true, .ran = false};
    make_folder_of(file);
    const kept_file_lock alone(file);
    kept_file found = read_entries(file, key.version);
    const auto kept = read_probe(found, key, rates);
    if (kept && kept->is_complete(now)) // another process measured meanwhile
        return {.kept = true, .ran = false};
    const probe_history history = {kept ? kept->count + 1 : 1, now};
    // Where nothing can be written, what was kept serves without another probe.
    if (kept && !save_probe(file, found, key, rates, history))
        return {.kept = true, .ran = false};
    machine_rates measured = rates;
    run_probe(probe, machine, key.isa, measured);
    if (kept && speed_in(measured) <= speed_in(rates))
        return {.kept = true, .ran = true};
    rates = measured;
    return {.kept = save_probe(file, std::move(found), key, rates, history), .ran = true};
}

seen_copies read_copies(const std::string &file, const calibration_key &key) {
    return copies_in(read_entries(file, key.version), key);
}

void keep_copies(const std::string &file, const calibration_key &key, const seen_copies &seen) {
    make_folder_of(file);
    const kept_file_lock alone(file);
    kept_file found = read_entries(file, key.version);
    if (!found.ours)
        return;
    const seen_copies kept = copies_in(found, key);
    if (!found.content.is_object())
        found.content = new_file(key.version);
    json &copies = list_in(found.content, "copies");
    const auto keep = [&](int threads, const seen_copy &old, const seen_copy &now) {
        const seen_copy both = {std::max(old.fastest, now.fastest),
                                std::max(old.at_most, now.at_most)};
        if (both == old)
            return;
        std::erase_if(copies.get_ref<json::array_t &>(),
                      [&](const json &entry) { return threads_of(entry, key) == threads; });
        json entry = {{"cpu", key.cpu}, {"isa", name(key.isa)}, {"threads", threads}};
        if (both.fastest > 0)
            entry["bandwidth"] = both.fastest;
        if (both.at_most > 0)
            entry["at_most"] = both.at_most;
        copies.push_back(std::move(entry));
    };
    keep(1, kept.one, seen.one);
    if (key.threads != 1)
        keep(key.threads, kept.all, seen.all);
    static_cast<void>(replace_kept_file(file, found.content)); // without one, others learn anew
}

} // namespace tenfold::base
