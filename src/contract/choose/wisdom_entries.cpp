// What wisdom keeps, in its file.
#include "contract/choose/wisdom.hpp"

#include "base/kept_file.hpp"
#include "tuning/wisdom_file.hpp"

namespace tenfold::contract_impl {
namespace {

using base::member;
using nlohmann::json;

json to_json(const wise_choice &from) {
    json entry = {{"choice", from.choice}};
    base::write(from, entry);
    return entry;
}

/// What is wrong with an entry; empty: nothing.
std::string from_json(const json &value, wise_choice &into) {
    const json *choice = member(value, "choice");
    if (choice == nullptr || !choice->is_string())
        return base::damaged("choice");
    into.choice = choice->get<std::string>();
    return base::read(value, into);
}

} // namespace

wisdom::wisdom(std::string file, std::string cpu, std::string version)
    : kept_(std::make_unique<base::wisdom_file>(std::move(file), std::move(cpu), std::move(version),
                                                "contract")) {}
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
    return {std::move(choice), {}};
}

std::string wisdom::remember(const std::string &problem, const wise_choice &choice) {
    return kept_->remember(problem, to_json(choice));
}

} // namespace tenfold::contract_impl
