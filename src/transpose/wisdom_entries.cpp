// What wisdom keeps, in its file.
#include "transpose/wisdom.hpp"

#include "base/kept_file.hpp"
#include "transpose/plan/choices.hpp"
#include "tuning/wisdom_file.hpp"

namespace tenfold::transpose_impl {
namespace {

using base::member;
using nlohmann::json;

json to_json(const wise_choice &choice) {
    const schedule_options defaults;
    json choices = json::object();
    for (const transpose_impl::choice &one : all_choices())
        if (choice.choices.*one.field != defaults.*one.field)
            choices[one.name] = choice.choices.*one.field;
    json entry = {{"choices", choices}};
    base::write(choice, entry);
    return entry;
}

/// What is wrong with an entry; empty: nothing.
std::string from_json(const json &value, wise_choice &choice) {
    const json *choices = member(value, "choices");
    if (choices == nullptr || !choices->is_object())
        return base::damaged("choices");
    for (const transpose_impl::choice &one : all_choices())
        if (!base::read_number(member(*choices, one.name), one.least, one.most,
                               choice.choices.*one.field))
            return base::damaged(one.name);
    return base::read(value, choice);
}

} // namespace

wisdom::wisdom(std::string file, std::string cpu, std::string version)
    : kept_(std::make_unique<base::wisdom_file>(std::move(file), std::move(cpu), std::move(version),
                                                "transpose")) {}
wisdom::~wisdom() = default;

wisdom *wisdom::of(const context &ctx) { return base::wisdom_of<wisdom>(ctx); }

const std::string &wisdom::file() const noexcept { return kept_->file(); }

wisdom::answer wisdom::look_up(const std::string &problem) const {
    const base::wisdom_file::answer known = kept_->look_up(problem);
    if (!known.entry)
        return {std::nullopt, known.fault};
    wise_choice choice;
    if (const std::string fault = from_json(*known.entry, choice); !fault.empty())
        return {std::nullopt, file() + ": " + fault};
    return {choice, {}};
}

std::string wisdom::remember(const std::string &problem, const wise_choice &choice) {
    return kept_->remember(problem, to_json(choice));
}

} // namespace tenfold::transpose_impl
