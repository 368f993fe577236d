// The command line of tenfold-ccsd.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tenfold/types.hpp>

namespace tenfold::ccsd {

enum class method : std::uint8_t { hf, mp2, ccsd, ccsd_t };
/// Returns "hf", "mp2", "ccsd" or "ccsd(t)".
const char *name(method one) noexcept;

struct options {
    std::string file;
    std::string equations; ///< a file that says what is computed; empty: `method` does
    ccsd::method method = method::ccsd_t;
    int frozen_core = 0;
    double convergence = 1e-8;
    int max_iterations = 50;
    int diis = 8;
    double level_shift = 0;           ///< hartree
    std::optional<byte_count> memory; ///< of each rank
    std::string checkpoint;           ///< a file, like the next ones; empty: none
    std::string restart;
    bool restart_if_present = false; ///< start from the beginning if the file is missing
    std::string json;
    std::string trace;

    friend bool operator==(const options &, const options &) = default;
};

/// Returns nothing if --help or --version has been printed. Throws usage_error.
std::optional<options> parse_options(const std::vector<std::string> &arguments);

} // namespace tenfold::ccsd
