#include "transpose/wisdom.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <tenfold/version.hpp>

#include "base/machine.hpp"
#include "base/size_text.hpp"
#include "transpose/choices.hpp"

namespace tenfold::transpose_impl {
namespace {

using nlohmann::json;
namespace filesystem = std::filesystem;

/// Some hundred thousand entries; more is no wisdom file.
constexpr std::streamoff most_bytes = std::streamoff{64} << 20;

/// A member of an object, or null.
const json *member(const json &object, const char *name) {
    if (!object.is_object())
        return nullptr;
    const auto found = object.find(name);
    return found == object.end() ? nullptr : &*found;
}

bool says(const json *value, const std::string &text) {
    return value != nullptr && value->is_string() && value->get_ref<const std::string &>() == text;
}

/// A number between two bounds, or the default where there is none; false: something else.
template <class T> bool read(const json *value, T least, T most, T &number) {
    if (value == nullptr)
        return true;
    if constexpr (std::is_integral_v<T>) {
        if (!value->is_number_integer() ||
            (value->is_number_unsigned() && value->get<std::uint64_t>() > std::uint64_t{INT64_MAX}))
            return false;
        const std::int64_t wide = value->get<std::int64_t>();
        if (wide < least || wide > most)
            return false;
        number = static_cast<T>(wide);
        return true;
    } else {
        if (!value->is_number())
            return false;
        number = value->get<T>();
        return number >= least && number <= most;
    }
}

json to_json(const wise_choice &choice) {
    const schedule_options defaults;
    json choices = json::object();
    for (const transpose_impl::choice &one : all_choices())
        if (choice.choices.*one.field != defaults.*one.field)
            choices[one.name] = choice.choices.*one.field;
    return {{"level", name(choice.level)},
            {"choices", choices},
            {"gain", choice.gain},
            {"candidates", choice.candidates},
            {"seconds", choice.seconds}};
}

/// What is wrong with an entry; empty: nothing.
std::string from_json(const json &value, wise_choice &choice) {
    const auto damaged = [](const char *name) {
        return "an entry's '" + std::string(name) + "' is damaged";
    };
    const json *level = member(value, "level");
    if (says(level, "patient"))
        choice.level = tuning::patient;
    else if (!says(level, "measure"))
        return damaged("level");
    const json *choices = member(value, "choices");
    if (choices == nullptr || !choices->is_object())
        return damaged("choices");
    for (const transpose_impl::choice &one : all_choices())
        if (!read(member(*choices, one.name), one.least, one.most, choice.choices.*one.field))
            return damaged(one.name);
    if (!read(member(value, "gain"), 1.0, 1e6, choice.gain))
        return damaged("gain");
    if (!read(member(value, "candidates"), 0, 1'000'000, choice.candidates))
        return damaged("candidates");
    if (!read(member(value, "seconds"), 0.0, 1e6, choice.seconds))
        return damaged("seconds");
    return {};
}

/// A file as it was found.
struct found_file {
    json content; ///< an object, or null
    std::string fault;
    bool ours = true; ///< may be replaced: empty, or wisdom of some version and processor
};

found_file broken(const std::string &fault) { return {{}, fault, false}; }
found_file stale(const std::string &fault) { return {{}, fault, true}; }

/// A file's text is shown only where it looks like what it should be.
std::string version_text(const std::string &version) {
    const bool plain =
        version.size() <= 32 &&
        version.find_first_not_of("0123456789.abcdefghijklmnopqrstuvwxyz-+") == std::string::npos;
    return plain ? "Tenfold " + version : "another version of Tenfold";
}

found_file read_file(const std::string &file, const std::string &cpu, const std::string &version) {
    std::error_code failed;
    const filesystem::file_status status = filesystem::status(file, failed);
    if (status.type() == filesystem::file_type::not_found)
        return {};
    if (status.type() == filesystem::file_type::none)
        return broken(failed.message());
    if (status.type() != filesystem::file_type::regular)
        return broken("it is not a regular file"); // reading a pipe would wait for somebody
    std::ifstream stream(file, std::ios::binary | std::ios::ate);
    if (!stream)
        return broken(std::strerror(errno));
    // The size of what was opened: the name may lead to another file by now.
    const std::streamoff size = stream.tellg();
    if (size == 0)
        return {};
    if (size < 0 || size > most_bytes)
        return broken("it is larger than any wisdom");
    std::string text(static_cast<std::size_t>(size), '\0');
    stream.seekg(0);
    stream.read(text.data(), size);
    text.resize(static_cast<std::size_t>(stream.gcount()));

    json content = json::parse(text, nullptr, /*allow_exceptions=*/false);
    const json *its_version = member(content, "tenfold");
    if (its_version == nullptr || !its_version->is_string())
        return broken("it is damaged, or no wisdom file");
    if (!says(its_version, version))
        return stale("it is of " + version_text(its_version->get<std::string>()) + ", this is " +
                     version);
    if (!says(member(content, "cpu"), cpu))
        return stale("it is of another processor");
    const json *entries = member(content, "transpose");
    if (entries != nullptr && !entries->is_object())
        return stale("its entries are damaged");
    return {std::move(content), {}, true};
}

/// Whoever reads the file finds what was there before or all of `text`, never a part. Returns why
/// it could not be done.
std::string replace(const filesystem::path &file, const std::string &text) {
    static std::atomic<unsigned> count = 0;
    std::string temporary;
    std::FILE *stream = nullptr;
    for (int attempt = 0; stream == nullptr; ++attempt) {
        temporary =
            file.string() + "." + std::to_string(getpid()) + "-" + std::to_string(count++) + ".tmp";
        stream = std::fopen(temporary.c_str(), "wx");
        // A process of this number may have ended halfway, or runs on another machine.
        if (stream == nullptr && (errno != EEXIST || attempt == 100))
            return std::strerror(errno);
    }
    const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size() &&
                         std::fflush(stream) == 0 && fsync(fileno(stream)) == 0;
    const int why = errno;
    const bool closed = std::fclose(stream) == 0;
    if (written && closed && std::rename(temporary.c_str(), file.c_str()) == 0)
        return {};
    const std::string reason = std::strerror(written ? errno : why);
    std::remove(temporary.c_str());
    return reason;
}

/// Models go by one name whose caches differ, virtual machines' most of all.
std::string identity(const base::machine &machine) {
    return machine.cpu + ", caches " + base::describe(bytes(machine.l1d.size)) + ", " +
           base::describe(bytes(machine.l2.size)) + ", " + base::describe(bytes(machine.l3.size));
}

} // namespace

wisdom::wisdom(std::string file, std::string cpu, std::string version)
    : file_(std::move(file)), cpu_(std::move(cpu)), version_(std::move(version)) {
    try {
        load();
    } catch (const std::exception &what) { // no memory for a large file, for instance
        entries_.clear();
        fault_ = what.what();
    }
}

wisdom *wisdom::of(const context &ctx) {
    const std::string &file = ctx.settings().wisdom;
    if (file.empty())
        return nullptr;
    static std::mutex mutex;
    static std::map<std::string, std::unique_ptr<wisdom>> all; // by file: there is one processor
    const std::lock_guard lock(mutex);
    std::unique_ptr<wisdom> &known = all[file];
    if (known == nullptr)
        known = std::make_unique<wisdom>(file, identity(ctx.machine()), version());
    return known.get();
}

void wisdom::load() {
    found_file found = read_file(file_, cpu_, version_);
    fault_ = std::move(found.fault);
    const json *entries = member(found.content, "transpose");
    if (entries == nullptr)
        return;
    for (const auto &[problem, value] : entries->items()) {
        entry one;
        one.fault = from_json(value, one.choice);
        entries_[problem] = std::move(one);
    }
}

wisdom::answer wisdom::look_up(const std::string &problem) const {
    const std::lock_guard lock(mutex_);
    const auto known = entries_.find(problem);
    if (known == entries_.end())
        return {std::nullopt, fault_.empty() ? "" : file_ + ": " + fault_};
    if (!known->second.fault.empty())
        return {std::nullopt, file_ + ": " + known->second.fault};
    return {known->second.choice, {}};
}

std::string wisdom::remember(const std::string &problem, const wise_choice &choice) {
    const std::lock_guard lock(mutex_);
    entries_[problem] = {choice, {}};
    std::string reason;
    try {
        reason = save(problem, choice);
    } catch (const std::exception &what) {
        reason = what.what();
    }
    if (!reason.empty())
        return file_ + ": " + reason;
    fault_.clear();
    return {};
}

std::string wisdom::save(const std::string &problem, const wise_choice &choice) const {
    found_file found = read_file(file_, cpu_, version_);
    if (!found.ours)
        return found.fault + "; it is left as it is"; // it may be something else, named by mistake
    json &content = found.content;
    if (!content.is_object())
        content = {{"tenfold", version_}, {"cpu", cpu_}};
    content["transpose"][problem] = to_json(choice);
    std::error_code failed;
    // A link stays one: what it leads to is replaced.
    filesystem::path target = filesystem::weakly_canonical(file_, failed);
    if (failed)
        target = file_;
    return replace(target, content.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

std::string wisdom_key(const reduced_problem &problem, data_type type_a, data_type type_b,
                       bool conjugate, bool accumulates, isa set, int threads) {
    std::string key = std::string(name(type_a)) + " -> " + std::string(name(type_b));
    key += conjugate ? ", conjugated" : "";
    key += accumulates ? ", accumulates, " : ", overwrites, ";
    key += std::string(name(set)) + ", " + std::to_string(threads) +
           (threads == 1 ? " thread," : " threads,");
    for (const mode &one : problem.modes)
        key += " " + std::to_string(one.extent) + ":" + std::to_string(one.stride_a) + ":" +
               std::to_string(one.stride_b);
    return key;
}

} // namespace tenfold::transpose_impl
