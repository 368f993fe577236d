// Ranks on nodes: how they run through a grid, who of a team sends what, and what nodes receive
// from other nodes.
//
// Ranks of a node often need the same piece of A or B from another node. It arrives there once, at
// one of them, its *relay*, which passes it on to the others.
#pragma once

#include <cstddef>
#include <vector>

#include "distributed/plan/plan_state.hpp"

namespace tenfold::dist_impl {

/// The ways that pieces of A or B take within the team of a rank.
class team_routes {
public:
    team_routes(const layouts &where, tensor_id operand, int rank);

    const std::vector<int> &team() const noexcept { return team_; }
    /// The place of the member that sends `owner`'s piece to another one, the receiver.
    std::size_t sender(std::size_t owner, std::size_t receiver) const noexcept {
        const neighbours &there = nodes_[receiver];
        if (nodes_[owner].first == there.first)
            return owner;
        const std::size_t relay = there.first + owner % there.count;
        return relay == receiver ? owner : relay;
    }
    /// Calls use(place) for the members to which the one at `relay` passes `owner`'s piece on.
    template <class Use>
    void for_each_to_pass_on(std::size_t owner, std::size_t relay, const Use &use) const {
        const neighbours &here = nodes_[relay];
        for (std::size_t place = here.first; owner != relay && place < here.first + here.count;
             ++place)
            if (place != relay && place != owner && sender(owner, place) == relay)
                use(place);
    }

private:
    /// Members on one node have neighbouring places.
    struct neighbours {
        std::size_t first, count;
    };
    std::vector<int> team_;
    std::vector<neighbours> nodes_; ///< by place; one for all if nothing is passed on
};

/// Words that the ranks of a node receive from other nodes in the contraction proper: the most of
/// any node, or of some if there are more than 64. `words`: of an element of each operand.
index_t words_between_nodes(const layouts &where, bool unary, const of_operands &words);

/// The same of the first node, about, in less time: a rank's share. 0 if every rank has a node of
/// its own, so that it is the same for all layouts of a grid.
index_t share_between_nodes(const plan_state &plan, const layout_choice &choice);

/// Returns the parts of the grid that the ranks of a node can be (layout_choice::node_part), those
/// first with which a node receives least; none if nodes do not divide the grid.
std::vector<grid_position> parts_for_nodes(const plan_state &plan, const layout_choice &choice);

} // namespace tenfold::dist_impl
