// The part of execute options that is an executor.
#pragma once

#include <tenfold/executor.hpp>

#include "capi/convert.hpp"
#include "capi/handles.hpp"
#include "capi/structs.hpp"

namespace tenfold::capi_impl {

/// Which executions take which of the options' later members.
enum class executes : std::uint8_t { a_plan, one_call, no_contraction };

/// Throws errc::unsupported for members that these executions do not take.
void refuse_others(const tenfold_execute_options &own, executes what);

/// The C++ executor of options that taken() has checked.
class taken_executor {
public:
    taken_executor(const tenfold_execute_options &own, executes what);

    const executor &get() const noexcept { return own_; }
    /// Null: nobody asks.
    execution_record *record() noexcept { return own_.record; }
    const execution_control *control() const noexcept { return own_.control; }
    /// Nothing is bounded or recorded.
    bool is_plain() const noexcept {
        return own_.threads == 0 && !own_.workspace_limit && own_.ctx == nullptr &&
               own_.record == nullptr;
    }
    /// Fills the caller's record. Throws errc::invalid_argument for its size.
    void give_record() const;

private:
    taken_control control_;
    execution_record record_;
    tenfold_execution_record *to_;
    executor own_;
};

} // namespace tenfold::capi_impl
