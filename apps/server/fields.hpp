// Reads JSON objects of requests, field by field. What is wrong becomes a refusal (400) that names
// the field and what is expected; a field that nobody reads is wrong, too.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <tenfold/types.hpp>

#include "apps/server/refusal.hpp"

namespace tenfold::server {

class fields {
public:
    /// `where` precedes the names of fields in messages, for instance "fill.".
    explicit fields(const nlohmann::json &object, std::string where = "");

    /// Null if the field is missing or null.
    const nlohmann::json *find(const std::string &name);
    /// Throws if it is missing.
    const nlohmann::json &get(const std::string &name);

    std::string text(const std::string &name);
    std::optional<std::string> find_text(const std::string &name);
    std::optional<double> find_number(const std::string &name);
    std::optional<std::int64_t> find_integer(const std::string &name, std::int64_t least);
    /// A number, or [re, im].
    std::optional<scalar> find_scalar(const std::string &name);
    std::optional<bool> find_flag(const std::string &name);
    /// Non-negative integers, at most as many as a tensor may have modes.
    std::vector<index_t> extents(const std::string &name);
    std::vector<double> numbers(const std::string &name);

    /// Throws if the object has a field that was not asked for.
    void finish() const;

private:
    [[noreturn]] void reject(const std::string &name, const std::string &expected) const;

    const nlohmann::json &object_;
    std::string where_;
    std::set<std::string> known_;
};

/// "f64" of an arithmetic type. Throws refusal.
data_type parse_element_type(const std::string &text);

/// A tensor that a request names: "A", or {"name": "A", "generation": 7, "conj": true}.
struct operand {
    std::string name;
    std::optional<std::uint64_t> generation = std::nullopt; ///< must be this one
    bool conj = false;
};
std::vector<operand> parse_operands(const nlohmann::json &list);

/// [re, im], as all ranks are told scalars.
nlohmann::json scalar_json(scalar value);
scalar scalar_of(const nlohmann::json &value);
/// A number in results. JSON has no infinities and NaNs: they are "inf", "-inf" and "nan".
nlohmann::json number_json(double value);

} // namespace tenfold::server
