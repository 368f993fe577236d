// Parentheses round operands, which say what is contracted first.
#pragma once

#include <cstddef>
#include <vector>

#include <tenfold/einsum.hpp>

namespace tenfold::einsum_impl {

/// Follows an expression from left to right. At least one operand is added between open() and
/// close().
class operand_groups {
public:
    void open(std::size_t position) { open_.push_back({position, {}}); }
    void add_operand() { open_.back().members.push_back({false, operands_++}); }
    void close();

    bool is_open() const noexcept { return open_.size() > 1; }
    /// Position of the last '(' that is not closed.
    std::size_t last_opened() const noexcept { return open_.back().position; }

    /// The groups as a path, once all are closed: inner ones first, then all that is left. Empty if
    /// they leave the order free.
    path_steps path() &&;

private:
    struct member {
        bool is_group;
        std::size_t number; ///< of an operand or of a closed group
    };
    struct group {
        std::size_t position;
        std::vector<member> members;
    };

    std::vector<group> open_{1}; ///< the first is the whole product
    std::vector<std::vector<member>> closed_;
    std::size_t operands_ = 0;
};

} // namespace tenfold::einsum_impl
