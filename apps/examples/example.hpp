// Shared by the examples: options, checks that decide the exit status, random numbers.
#pragma once

#include <random>
#include <string>

#include <tenfold/tenfold.hpp>

#include "apps/common/command_line.hpp"
#include "apps/common/program.hpp"
#include "apps/examples/contraction_table.hpp"

namespace tenfold::examples {

struct common_options {
    int threads = 0; ///< 0: as the context
    std::uint32_t seed = 1;
    bool plans = false;
};
/// Adds the last group of options and reads the arguments as command_line::parse() does. Throws
/// usage_error if there are several ranks, because the examples run on one process.
bool parse_with_common_options(apps_impl::command_line &line, common_options &options,
                               const std::vector<std::string> &arguments);

/// Add options whose value must be above 0.
void add_extent(apps_impl::po::options_description &group, const char *name, index_t *target,
                const char *meaning);
void add_number(apps_impl::po::options_description &group, const char *name, double *target,
                const char *meaning);

/// Compares results with what they have to be. Each check prints one line; the program fails at the
/// end if one of them failed.
class checks {
public:
    /// Checks that `error` is at most `bound`. A NaN fails.
    void at_most(const std::string &what, double error, double bound);
    void holds(const std::string &what, bool right);

    /// Throws apps_impl::failure unless all checks have passed.
    void conclude() const;

private:
    std::string failed_;
};

/// Standard normal numbers, the same ones for the same seed.
class random_numbers {
public:
    explicit random_numbers(std::uint32_t seed) : engine_(seed) {}

    double operator()() { return normal_(engine_); }
    /// Dense tensors only.
    template <class T> void fill(tensor<T> &target) {
        for (index_t i = 0; i < target.size(); ++i)
            target.data()[i] = static_cast<T>((*this)());
    }

private:
    std::mt19937_64 engine_;
    std::normal_distribution<double> normal_;
};

} // namespace tenfold::examples
