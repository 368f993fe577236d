// Contexts for tests that run on every instruction set of this machine.
#pragma once

#include <memory>
#include <vector>

#include <tenfold/context.hpp>

namespace tenfold::testing {

/// A context with these settings for each instruction set that this machine has.
inline std::vector<std::unique_ptr<context>> contexts_of_every_isa(settings wanted) {
    std::vector<std::unique_ptr<context>> all;
    for (const isa one : all_isas) {
        wanted.isa = one;
        try {
            all.push_back(std::make_unique<context>(wanted));
        } catch (const error &) { // this machine does not have it
        }
    }
    return all;
}

} // namespace tenfold::testing
