// What the examples have in common: options, checks that decide the exit status, made-up numbers.
#pragma once

#include <random>
#include <string>

#include <tenfold/tenfold.hpp>

#include "apps/common/command_line.hpp"
#include "apps/common/program.hpp"
#include "apps/examples/contraction_table.hpp"

namespace tenfold::examples {

struct common_options {
    int threads = 0; ///< 0: the context's
    std::uint32_t seed = 1;
    bool plans = false;
};
/// The last group of options; then reads the arguments as command_line::parse() does. Throws
/// usage_error on several ranks, which the examples would not share work among.
bool parse_with_common_options(apps_impl::command_line &line, common_options &options,
                               const std::vector<std::string> &arguments);

/// Options with a value above 0.
void add_extent(apps_impl::po::options_description &group, const char *name, index_t *target,
                const char *meaning);
void add_number(apps_impl::po::options_description &group, const char *name, double *target,
                const char *meaning);

/// Comparisons with what the result has to be. Each prints one line; the program fails at the end
/// if one of them did.
class checks {
public:
    /// `error` is at most `bound`. A NaN is above any bound.
    void at_most(const std::string &what, double error, double bound);
    void holds(const std::string &what, bool right);

    /// Throws apps_impl::failure unless all were met.
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
