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
    /// Which tensor, and its distribution.
    template <class T>
    call_description &add(const std::string &what, const dist_tensor<T> &tensor) {
        return add_tensor(what, tensor.distribution(), tensor.number());
    }
    call_description &add_tensor(const std::string &what, const distribution &spread,
                                 std::uint64_t number);
    call_description &add(std::string what, scalar value);

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
    description.add("type", std::string(name(data_type_of<T>))).add("tensor", tensor);
    return description;
}

/// Collective: one all-reduce of seven words, O(log P). If descriptions differ, all ranks throw the
/// same errc::disagreement, which names two ranks and what they passed. Otherwise, if `basis`
/// differs, returns false on all ranks: what failed on some of them may not fail on the same basis.
/// Otherwise, if `failure` is set on any rank, all throw the error of the lowest such rank.
bool agree(communicator &comm, const call_description &description,
           const std::optional<error> &failure = std::nullopt, std::uint64_t basis = 0);

/// Returns the exception that is being handled as an error.
error current_error();

/// Collective. Runs `work(prices)` at the same prices on all ranks (agreed_prices.hpp), then agrees
/// on the call and on whether `work` failed on any rank. `own` are those that rank 0 would take.
/// They are told where they are not known yet, before `work` runs or, if only other ranks lacked
/// them, runs again.
template <class Work> void plan_collectively(communicator &comm,
                                             const call_description &description, const prices &own,
                                             Work &&work) {
    for (;;) {
        const agreed_prices::entry *const known = comm.planned_by().find(own);
        std::optional<error> failure;
        try {
            if (known != nullptr)
                work(known->told);
        } catch (...) {
            failure = current_error();
        }
        if (agree(comm, description, failure, known == nullptr ? 0 : known->number) &&
            known != nullptr)
            return;
        prices told = own;
        comm.broadcast(&told, sizeof told, 0);
        comm.planned_by().keep(own, told);
    }
}

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
