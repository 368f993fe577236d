#include "einsum/parser/groups.hpp"

#include <utility>

#include "einsum/parser/path_steps.hpp"

namespace tenfold::einsum_impl {

void operand_groups::close() {
    std::vector<member> members = std::move(open_.back().members);
    open_.pop_back();
    if (members.size() == 1) { // nothing is contracted
        open_.back().members.push_back(members.front());
        return;
    }
    open_.back().members.push_back({true, closed_.size()});
    closed_.push_back(std::move(members));
}

path_steps operand_groups::path() && {
    if (open_.front().members.size() > 1)
        closed_.push_back(std::move(open_.front().members));
    if (closed_.size() < 2)
        return {};
    std::vector<numbered_step> steps;
    for (const std::vector<member> &members : closed_) {
        steps.emplace_back();
        for (const member &one : members)
            steps.back().push_back(one.is_group ? operands_ + one.number : one.number);
    }
    return positions_of(steps, operands_);
}

} // namespace tenfold::einsum_impl
