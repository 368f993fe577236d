// A machine that is described instead of detected: its plans can be made, and read, on any other.
#pragma once

#include <memory>

#include <tenfold/context.hpp>

#include "base/machine.hpp"
#include "base/rates.hpp"

namespace tenfold::base {

struct described_machine {
    base::machine machine; ///< with all the instruction sets that `settings` may ask for
    machine_rates rates;

    /// Plans of the context may be executed where this processor has its instruction set, too, and
    /// must not be executed elsewhere. No file of rates is read. Throws as context's constructor.
    std::unique_ptr<context> make_context(const settings &chosen) const;
};

} // namespace tenfold::base
