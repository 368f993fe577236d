// Why a request is refused: an HTTP status, a code that programs read, a sentence, and fields.
#pragma once

#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

#include <tenfold/error.hpp>

namespace tenfold::server {

class refusal : public std::runtime_error {
public:
    refusal(int status, std::string code, const std::string &message,
            nlohmann::json fields = nlohmann::json::object())
        : std::runtime_error(message), status_(status), code_(std::move(code)),
          fields_(std::move(fields)) {}

    int status() const noexcept { return status_; }
    const std::string &code() const noexcept { return code_; }

    /// {"code", "message"} and the fields.
    nlohmann::json to_json() const;

private:
    int status_;
    std::string code_;
    nlohmann::json fields_;
};

/// A request that is wrong: status 400, code "invalid_argument".
refusal wrong_request(const std::string &message);

/// The library's error with its code and fields. Wrong arguments are 400, missing memory is 507, a
/// stopped job 409, what this build lacks 501, all else 500.
refusal as_refusal(const error &problem);

/// JSON as text. Bytes that are not UTF-8, which paths may have, are replaced.
std::string json_text(const nlohmann::json &value);

} // namespace tenfold::server
