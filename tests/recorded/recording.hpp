// What the recordings share: with which compiler they hold, and on which machine they are made.
#pragma once

#include <optional>
#include <string>

#include <tenfold/context.hpp>

#include "recorded/hash.hpp"

namespace tenfold::testing {

/// Why this build must not be compared with the file, whose line "# built with: .." names compiler,
/// major version and flags: they decide which sums of products are fused. Empty: it may be.
std::string reason_not_to_compare(const std::string &file);

/// Of narrow_machine() with this instruction set and as many threads; null where this processor
/// cannot run it. The same one at every call; no environment variable has a say.
const context *recorded_context(isa set, int threads);

/// The hash of many cases. With TENFOLD_TEST_EACH=1 each of them is printed: `diff` of what two
/// builds print names the cases in which they differ.
class group_hash {
public:
    explicit group_hash(std::string name);

    /// `describe()` says what the case is; it is called where cases are printed.
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
