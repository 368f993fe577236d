#include <tenfold/error.hpp>

namespace tenfold {

namespace {

std::string name_of(char operand) {
    if (operand == 0)
        return "an operand";
    return operand < 'A' ? "input " + std::to_string(int{operand}) : std::string(1, operand);
}

} // namespace

error::~error() = default;

std::string status::message() const {
    const std::string who = name_of(operand_);
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
        return "a scalar with an imaginary part was given for a real tensor";
    case errc::workspace_too_small:
        return "the workspace is smaller than the plan needs";
    case errc::invalid_argument:
        return "the plan has another number of inputs";
    case errc::communication:
        return "MPI reported an error";
    case errc::stopped:
        return "the caller stopped the work; D's elements are unspecified";
    default:
        return std::string(name(code_));
    }
}

void status::throw_if_failed() const {
    if (!ok())
        throw error(code_, message());
}

} // namespace tenfold
