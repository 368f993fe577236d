// Every collective call starts here: do all ranks mean the same, and can all of them go on?
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tenfold/error.hpp>

#include "distributed/comm/communicator.hpp"

namespace tenfold::dist_impl {

/// The operation and those of its arguments that must be alike on all ranks, as text: the text is
/// hashed in every call, and sent only when the hashes differ.
class call_description {
public:
    explicit call_description(std::string operation) : operation_(std::move(operation)) {}

    call_description &add(std::string what, std::string value) {
        arguments_.emplace_back(std::move(what), std::move(value));
        return *this;
    }
    call_description &add(const std::string &what, const distribution &spread);
    call_description &add(std::string what, scalar value);

    /// Operation and arguments; equal texts mean equal calls.
    std::string text() const;
    const std::string &operation() const noexcept { return operation_; }
    const std::vector<std::pair<std::string, std::string>> &arguments() const noexcept {
        return arguments_;
    }

private:
    std::string operation_;
    std::vector<std::pair<std::string, std::string>> arguments_;
};

/// Collective: one all-reduce of five words, O(log P). If descriptions differ, all ranks throw the
/// same errc::disagreement, which names two ranks and what they passed. Else, if `failure` is set
/// on any rank, all throw the same error: the lowest failing rank's.
void agree(communicator &comm, const call_description &description,
           const std::optional<error> &failure = std::nullopt);

/// What the exception now being handled says, as an error.
error current_error();

/// Runs `work` and agrees on how it went.
template <class Work>
void collectively(communicator &comm, const call_description &description, Work &&work) {
    std::optional<error> failure;
    try {
        work();
    } catch (...) {
        failure = current_error();
    }
    agree(comm, description, failure);
}

} // namespace tenfold::dist_impl
