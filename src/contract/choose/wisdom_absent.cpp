// Built without nlohmann_json.
#include "base/wisdom_absent.hpp"
#include "contract/choose/wisdom.hpp"

namespace tenfold::contract_impl {

wisdom::wisdom(std::string, std::string, std::string) {}
wisdom::~wisdom() = default;

wisdom *wisdom::of(const context &) { return nullptr; }

const std::string &wisdom::file() const noexcept {
    static const std::string none;
    return none;
}

wisdom::answer wisdom::look_up(const std::string &) const { return {}; }

std::string wisdom::remember(const std::string &, const wise_choice &) { return base::no_wisdom; }

} // namespace tenfold::contract_impl
