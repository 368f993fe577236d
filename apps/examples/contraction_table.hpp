// Counts contractions as they are done, and prints them as a table at the end of an example.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <tenfold/tenfold.hpp>

namespace tenfold::examples {

/// One row per expression. Steps that are not contractions can have rows, too.
class contraction_table {
public:
    explicit contraction_table(int threads);

    int threads() const noexcept { return threads_; }

    /// Calls tenfold::contract() on threads() threads; throws as it does. The seconds include
    /// planning, which is done once for all tensors of the same extents.
    void contract(const std::string &expression, const std::vector<input> &inputs, const output &d,
                  const contract_options &options = {}) {
        contract(expression, inputs, d, d, options);
    }
    void contract(const std::string &expression, const std::vector<input> &inputs, const input &c,
                  const output &d, contract_options options = {});

    /// Adds work that was done elsewhere to the row `what`; flops may be 0.
    void charge(const std::string &what, const std::string &how, double seconds, double flops);

    /// Prints the table: calls, algorithms (of the step with the most flops, if there are several),
    /// seconds, GFLOP/s; then, if `plans`, the first plan of each expression.
    void print(bool plans) const;

private:
    struct row {
        std::string what;
        std::string algorithms; ///< several if plans differ by extents
        int calls = 0;
        double seconds = 0;
        double flops = 0;
        std::string plan;
    };
    row &row_of(const std::string &what);
    static void note(row &row, std::string_view algorithm);

    int threads_;
    std::vector<row> rows_;
    std::map<std::string, double> flops_; ///< by expression and extents of the inputs
};

} // namespace tenfold::examples
