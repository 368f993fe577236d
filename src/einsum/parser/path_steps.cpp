#include "einsum/parser/path_steps.hpp"

#include <bit>
#include <numeric>
#include <string>

#include <tenfold/error.hpp>

namespace tenfold::einsum_impl {
namespace {

/// The operands that are left. Results have larger numbers than what is there before, so that the
/// list ascends, and a position is the number of operands below: sums over a binary indexed tree
/// (Fenwick 1994), so that long expressions are read fast.
class operand_list {
public:
    operand_list(std::size_t inputs, std::size_t steps) : sums_(inputs + steps + 1, 0) {
        for (std::size_t i = 0; i < inputs; ++i)
            append(i);
    }

    std::size_t size() const noexcept { return size_; }
    void append(std::size_t number) {
        add(number, 1);
        ++size_;
    }
    void erase(std::size_t number) {
        add(number, -1);
        --size_;
    }
    std::size_t position_of(std::size_t number) const {
        int below = 0;
        for (std::size_t at = number; at > 0; at -= lowest_bit(at))
            below += sums_[at];
        return static_cast<std::size_t>(below);
    }
    std::size_t at(std::size_t position) const {
        std::size_t number = 0;
        auto left = static_cast<int>(position);
        for (std::size_t step = std::bit_floor(sums_.size()); step > 0; step /= 2)
            if (number + step < sums_.size() && sums_[number + step] <= left) {
                number += step;
                left -= sums_[number];
            }
        return number;
    }

private:
    static std::size_t lowest_bit(std::size_t at) noexcept { return at & (~at + 1); }
    void add(std::size_t number, int count) {
        for (std::size_t at = number + 1; at < sums_.size(); at += lowest_bit(at))
            sums_[at] += count;
    }

    std::vector<int> sums_; ///< of operands, from 1
    std::size_t size_ = 0;
};

[[noreturn]] void refuse(std::size_t step, const std::string &message) {
    throw error(errc::invalid_argument,
                "step " + std::to_string(step + 1) + " of the path " + message);
}

/// The number of the operand at a position of step `step`.
std::size_t operand_at(const operand_list &operands, std::size_t step, int position) {
    const std::size_t count = operands.size();
    if (position < 0 || static_cast<std::size_t>(position) >= count)
        refuse(step, "names position " + std::to_string(position) +
                         (count == 1 ? ", but the only operand that is left has position 0"
                                     : ", but the " + std::to_string(count) +
                                           " operands that are left have positions 0 to " +
                                           std::to_string(count - 1)));
    return operands.at(static_cast<std::size_t>(position));
}

} // namespace

std::vector<numbered_step> numbered(const path_steps &path, std::size_t inputs) {
    operand_list operands(inputs, path.size());
    std::vector<bool> is_taken(inputs + path.size(), false);
    std::vector<numbered_step> steps;
    for (std::size_t s = 0; s < path.size(); ++s) {
        if (path[s].empty())
            refuse(s, "names no operand");
        numbered_step step;
        for (const int position : path[s]) {
            step.push_back(operand_at(operands, s, position));
            if (is_taken[step.back()])
                refuse(s, "names position " + std::to_string(position) + " twice");
            is_taken[step.back()] = true;
        }
        for (const std::size_t tensor : step)
            operands.erase(tensor);
        operands.append(inputs + s);
        steps.push_back(std::move(step));
    }
    if (operands.size() > 1)
        throw error(errc::invalid_argument,
                    "the path leaves " + std::to_string(operands.size()) + " of " +
                        std::to_string(inputs) +
                        " operands that are not contracted; add the steps that contract them");
    return steps;
}

path_steps free_path(std::size_t inputs) {
    path_steps path(1, std::vector<int>(inputs));
    std::iota(path.front().begin(), path.front().end(), 0);
    return path;
}

path_steps positions_of(std::span<const numbered_step> steps, std::size_t inputs) {
    operand_list operands(inputs, steps.size());
    path_steps path;
    for (std::size_t s = 0; s < steps.size(); ++s) {
        path.emplace_back();
        for (const std::size_t tensor : steps[s])
            path.back().push_back(static_cast<int>(operands.position_of(tensor)));
        for (const std::size_t tensor : steps[s])
            operands.erase(tensor);
        operands.append(inputs + s);
    }
    return path;
}

} // namespace tenfold::einsum_impl
