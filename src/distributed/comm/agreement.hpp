// Every collective call starts here: ranks check that they make the same call and that each of them
// can carry it out.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tenfold/error.hpp>

#include "distributed/comm/communicator.hpp"

namespace tenfold::dist_impl {

/// Describes a call as text: the operation and those arguments that must be equal on all ranks.
/// Every call compares hashes of the text; the text itself is sent only if they differ.
class call_description {
public:
    explicit call_description(std::string operation) : operation_(std::move(operation)) {}

    call_description &add(std::string what, std::string value) {
        arguments_.emplace_back(std::move(what), std::move(value));
        return *this;
    }
    call_description &add(const std::string &what, const distribution &spread);
    call_description &add(std::string what, scalar value);

    /// Returns operation and arguments; equal texts mean equal calls.
    std::string text() const;
    const std::string &operation() const noexcept { return operation_; }
    const std::vector<std::pair<std::string, std::string>> &arguments() const noexcept {
        return arguments_;
    }

private:
    std::string operation_;
    std::vector<std::pair<std::string, std::string>> arguments_;
};

/// Describes an operation on one tensor.
template <class T> call_description describe(const char *operation, const dist_tensor<T> &tensor) {
    call_description description(operation);
    description.add("type", std::string(name(data_type_of<T>)))
        .add("distribution", tensor.distribution());
    return description;
}

/// Collective: one all-reduce of five words, O(log P). If descriptions differ, all ranks throw the
/// same errc::disagreement, which names two ranks and what they passed. If descriptions are equal
/// and `failure` is set on any rank, all throw the error of the lowest such rank.
void agree(communicator &comm, const call_description &description,
           const std::optional<error> &failure = std::nullopt);

/// Returns the exception that is being handled as an error.
error current_error();

/// Runs `work`, then agrees on the call and on whether `work` failed on any rank.
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
