// Shared by the recordings: the compilers for which they are valid, and the machines they are made
// for.
#pragma once

#include <optional>
#include <string>

#include <tenfold/context.hpp>

#include "recorded/hash.hpp"

namespace tenfold::testing {

/// Returns why this build must not be compared with the file; empty if it may be. The file's line
/// "# built with: .." names compiler, major version and flags, which decide which sums of products
/// are fused.
std::string reason_not_to_compare(const std::string &file);

/// Returns a context of narrow_machine() with this instruction set and number of threads, the same
/// one at every call; null if this processor cannot run it. Environment variables have no effect.
const context *recorded_context(isa set, int threads);

/// The hash of many cases. With TENFOLD_TEST_EACH=1 each case is printed, so that `diff` of the
/// outputs of two builds shows the cases that differ.
class group_hash {
public:
    explicit group_hash(std::string name);

    /// `describe()` describes the case; it is called only if cases are printed.
    template <class Describe> void add(int number, const bits_hash &one, const Describe &describe) {
        if (prints_)
            print(number, one, describe());
        all_.add(one.text());
    }
    std::string text() const { return all_.text(); }

private:
    void print(int number, const bits_hash &one, const std::string &description) const;

    std::string name_;
    bool prints_;
    bits_hash all_;
};

} // namespace tenfold::testing
