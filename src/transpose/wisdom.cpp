#include "transpose/wisdom.hpp"

#include <memory>

#include <nlohmann/json.hpp>

#include <tenfold/version.hpp>

#include "base/kept_file.hpp"
#include "base/machine.hpp"
#include "transpose/choices.hpp"

namespace tenfold::transpose_impl {
namespace {

using base::member;
using base::says;
using nlohmann::json;

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

/// The file, if it is of this processor.
base::kept_file read_file(const std::string &file, const std::string &cpu,
                          const std::string &version) {
    base::kept_file found = base::read_kept_file(file, version, "wisdom");
    const auto stale = [](const char *fault) { return base::kept_file{{}, fault, true}; };
    if (found.content.is_null())
        return found;
    if (member(found.content, "cpu") == nullptr)
        return base::not_of_kind("wisdom"); // a calibration, for instance
    if (!says(member(found.content, "cpu"), cpu))
        return stale("it is of another processor");
    const json *entries = member(found.content, "transpose");
    if (entries != nullptr && !entries->is_object())
        return stale("its entries are damaged");
    return found;
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
        known = std::make_unique<wisdom>(file, ctx.machine().identity(), version());
    return known.get();
}

void wisdom::load() {
    base::kept_file found = read_file(file_, cpu_, version_);
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
    base::kept_file found = read_file(file_, cpu_, version_);
    if (!found.ours)
        return found.fault + "; it is left as it is"; // it may be something else, named by mistake
    json &content = found.content;
    if (!content.is_object())
        content = {{"tenfold", version_}, {"cpu", cpu_}};
    content["transpose"][problem] = to_json(choice);
    return base::replace_kept_file(file_, content);
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
