#include <tenfold/error.hpp>

#include <utility>

namespace tenfold {

namespace {

/// Empty for 0.
std::string name_of(char operand) {
    if (operand == 0)
        return {};
    if (operand >= 'a')
        return "epilogue step " + std::to_string(operand - 'a' + 1);
    return operand < 'A' ? "input " + std::to_string(int{operand}) : std::string(1, operand);
}

} // namespace

error::error(errc code, const std::string &message, error_details details)
    : std::runtime_error(message), code_(code),
      details_(std::make_shared<const error_details>(std::move(details))) {}

error::~error() = default;

const error_details &error::details() const noexcept {
    static const error_details none;
    return details_ != nullptr ? *details_ : none;
}

std::string status::message() const {
    const std::string who = operand_ == 0 ? "an operand" : name_of(operand_);
    switch (code_) {
    case errc::ok:
        return "ok";
    case errc::null_pointer:
        return who + " is null where its elements are needed";
    case errc::overlap:
        return who + " shares elements with the output";
    case errc::out_of_memory:
        return "no memory for the workspace";
    case errc::type_mismatch:
        return "the tensors' type does not hold a scalar: an imaginary part if they are real, or "
               "other than integers of 32 bits if they are integers";
    case errc::workspace_too_small:
        return "the executor allows less workspace than the plan needs";
    case errc::invalid_argument:
        if (operand_ != 0)
            return who + " is another tensor than the one before it that has its name in the "
                         "expression";
        return "the plan has another number of inputs or of epilogue steps, or a bound of the "
               "executor is out of range";
    case errc::communication:
        return "MPI reported an error";
    case errc::stopped:
        return "the caller stopped the work; D's elements are unspecified";
    default:
        return std::string(name(code_));
    }
}

error_details status::details() const { return {.first = {.name = name_of(operand_)}}; }

void status::throw_if_failed() const {
    if (!ok())
        throw error(code_, message(), details());
}

} // namespace tenfold
