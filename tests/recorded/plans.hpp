// The suites of recorded plans: a line for each case, "<name> <what was chosen> .. <hash of the
// whole text of the plan>".
#pragma once

#include <functional>
#include <string>

#include <tenfold/context.hpp>

#include "support/pinned.hpp"

namespace tenfold::testing {

/// Collects lines, and prints the whole text of those that the file does not have. With
/// TENFOLD_TEST_EACH=1 it prints all.
class plan_lines {
public:
    explicit plan_lines(std::string question) : question_(std::move(question)) {}

    /// `title` is the beginning of the line; `text` is hashed.
    void add(const std::string &title, const std::string &text);
    const lines &all() const noexcept { return lines_; }

private:
    std::string question_;
    lines lines_;
};

void plan_contractions(const std::string &list, data_type type, int threads, plan_lines &out);
void plan_transpositions(const std::string &list, data_type type, int threads, plan_lines &out);
/// Plans matrix products by gemm() and as contractions.
void plan_products(const std::string &list, data_type type, int threads, plan_lines &out);
/// All types, some by rows, some reproducible, some with little workspace, on 1 to 8 threads.
void plan_random_contractions(int count, bool tiny, plan_lines &out);
/// Contractions of three to eight inputs.
void plan_networks(int count, plan_lines &out);

void plan_distributed(const std::string &list, int ranks, plan_lines &out);
/// All types, some reproducible, some with little memory.
void plan_random_distributed(int count, int ranks, plan_lines &out);
/// Chains of matrices.
void plan_sequences(int count, int ranks, plan_lines &out);

} // namespace tenfold::testing
