// A machine that is described instead of detected. Its plans can be made and read on any other
// machine.
#pragma once

#include <memory>

#include <tenfold/context.hpp>

#include "base/machine.hpp"
#include "base/rates.hpp"

namespace tenfold::base {

struct described_machine {
    base::machine machine; ///< with every ISA that `settings` may name
    machine_rates rates;

    /// Makes a context for this machine. Its plans may be executed only if the real processor has
    /// the context's ISA. No calibration file is read. Throws as context's constructor does.
    std::unique_ptr<context> make_context(const settings &chosen) const;
};

} // namespace tenfold::base
