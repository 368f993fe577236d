// The parts of the operands that ranks hold while a contraction runs on a grid (pb, pm, pn, pk).
//
// Rank r has coordinates (cb, cm, cn, ck), one of which runs fastest. Its *panel* of A is the block
// (cb, cm, ck). The pn ranks that differ in cn share it: each owns one *piece* of it, and they
// all-gather. B is shared over pm in the same way. Every rank computes the panel (cb, cm, cn) of D,
// and the pk ranks that differ in ck reduce-scatter it to pieces. Pieces are cuts of panels along
// the same labels, so pieces form a Cartesian distribution. If copies of A or B exist, every
// rank of a team may have the whole panel instead: then it is their piece, and nothing is gathered.
//
// Every rank works in *steps*. A step multiplies a part of its panels, cut along the labels of any
// group, so that only these parts need be in memory. The loops over steps are nested: batch
// outermost, then n, m, and k innermost. Cuts nest, so the ranks of a team agree on the parts. If
// pieces and steps are cut along the same label, the ranks of a team may take the steps in turns:
// each begins with its own piece, and no two ranks request the same part at the same time.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <tenfold/dist_plan.hpp>

#include "distributed/plan/labels.hpp"
#include "distributed/plan/split_table.hpp"

namespace tenfold::dist_impl {

/// Coordinates by group: batch, m, n, k.
using grid_position = std::array<int, 4>;
grid_position factors_of(const processor_grid &grid) noexcept;

/// The index of a step, or the numbers of steps, by group: batch, m, n, k.
using step_index = std::array<index_t, 4>;

/// The digit of one label in its group's coordinate, a number in mixed radix.
struct coordinate_digit {
    int radix = 1;
    int step = 1; ///< product of the radices of faster digits
    int of(int coordinate) const noexcept { return radix == 1 ? 0 : coordinate / step % radix; }
};

/// The choices that determine a layout.
struct layout_choice {
    processor_grid grid;
    /// Number of parts of each label. Within a group their product is the grid's factor; isolated
    /// labels are not cut.
    std::vector<int> parts;
    /// Rank of each label within its group, by which the digits of the group's coordinate and of
    /// its steps are ordered: the lowest runs fastest, equal ones in the order of labels. Empty
    /// means all equal.
    std::vector<int> places;
    /// Number of pieces into which a team cuts each panel label of an operand further.
    std::array<std::vector<int>, 3> further;
    /// The operands, A or B, of which every rank has its whole panel.
    std::array<bool, 3> copied{};
    /// Groups in the order in which their coordinates run with the rank, fastest first. By default
    /// the ranks that add up one block of D are neighbours.
    std::array<int, 4> order{3, 2, 1, 0};
    /// Rank r is on node r / ranks_per_node. 0: all ranks are on one.
    int ranks_per_node = 0;
    /// The part of the grid, by group, that the ranks of a node are: ranks run through it first,
    /// then from node to node. All 1: they run through the whole grid.
    grid_position node_part{1, 1, 1, 1};
    /// Number of steps of each label's part; empty means one step.
    std::vector<index_t> steps;
    /// Ranks of a team take steps along k in turns if its pieces are cut along k.
    bool in_turns = false;
    /// The panel label of D along which a step's panel is cut for the sum over pk, so that one part
    /// travels while the next is computed, and the number of parts.
    std::size_t sum_mode = 0;
    index_t sum_parts = 1;

    /// Cuts panels into the smallest pieces.
    void cut_further(const labelled_problem &problem, bool evenly, split_tables &tables);
    /// How the operand's largest panel can be cut into pieces: in any way, or evenly where this
    /// makes pieces no larger. Evenly means that pieces of A and B are not cut along k: a step
    /// along k then arrives from the whole team instead of from the few who own that part of k.
    /// Those of D are not cut along its longest mode: a part of the sum then goes to the whole
    /// team.
    const split_table &ways_to_cut_further(const labelled_problem &problem, tensor_id operand,
                                           bool evenly, split_tables &tables) const;
    /// How many times as long as evenly cut ones parts of the operand travel.
    int unevenness(const labelled_problem &problem, tensor_id operand) const;
    extents_t largest_panel(const labelled_problem &problem, tensor_id operand) const;
    /// Ranks that need the same panel.
    int sharers(tensor_id operand) const noexcept {
        return operand == A ? grid.n : operand == B ? grid.m : grid.k;
    }
    /// Ranks that exchange its pieces.
    int team_size(tensor_id operand) const noexcept {
        return copied[operand] ? 1 : sharers(operand);
    }
    /// The place in a team of a rank at this position.
    int place_at(tensor_id operand, const grid_position &position) const noexcept {
        return copied[operand] ? 0 : position[team_group(operand)];
    }
    grid_position position_of(int rank) const noexcept;
    bool runs_by_nodes() const noexcept { return node_part != grid_position{1, 1, 1, 1}; }
    bool share_node(int rank, int other) const noexcept {
        return ranks_per_node == 0 || rank / ranks_per_node == other / ranks_per_node;
    }
    /// The coordinate in which the ranks that share a panel differ.
    static std::size_t team_group(tensor_id operand) noexcept {
        constexpr label_class groups[] = {label_class::n, label_class::m, label_class::k};
        return static_cast<std::size_t>(groups[operand]);
    }
    /// The grid with the sizes of teams as factors of m, n and k.
    processor_grid teams() const noexcept {
        return {grid.batch, team_size(B), team_size(A), team_size(D)};
    }
};

/// Finds the digit of each label. Those of a group are ordered by their places, then by number.
void find_digits(const labelled_problem &problem, const layout_choice &choice,
                 std::vector<coordinate_digit> &digits);

class layouts {
public:
    layouts() = default;
    layouts(std::shared_ptr<const labelled_problem> problem, layout_choice choice);

    const processor_grid &grid() const noexcept { return choice_.grid; }
    const layout_choice &choice() const noexcept { return choice_; }
    bool takes_part(int rank) const noexcept { return rank < choice_.grid.size(); }
    grid_position position_of(int rank) const noexcept { return choice_.position_of(rank); }
    int rank_at(grid_position position) const noexcept;

    /// Ranks that share one panel of the operand, and exchange its pieces: pn for A, pm for B, pk
    /// for D; 1 if each of them has the whole panel.
    int team_size(tensor_id operand) const noexcept { return choice_.team_size(operand); }
    /// Ranks that share `operand`'s panel with `rank`, in the order of the coordinate in which they
    /// differ, and the place of `rank` among them.
    std::vector<int> team_of(tensor_id operand, int rank) const;
    int place_in_team(tensor_id operand, int rank) const noexcept;

    /// The place in a team of a rank at this position.
    int place_at(tensor_id operand, const grid_position &position) const noexcept {
        return choice_.place_at(operand, position);
    }
    /// The part of a label that belongs to a coordinate of its group, and the piece of it that
    /// belongs to a place in an operand's team.
    int part_at(std::size_t label, int coordinate) const noexcept {
        return parts_[label].of(coordinate);
    }
    int piece_at(tensor_id operand, std::size_t mode, int place) const noexcept {
        return further_[operand][mode].of(place);
    }

    const std::vector<int> &panel_labels(tensor_id operand) const noexcept {
        return panel_labels_[operand];
    }

    /// Number of pieces along each mode of pieces().
    std::vector<int> piece_grid(tensor_id operand) const;
    /// All pieces as a distribution, in the order of the operand's distinct labels, isolated ones
    /// included and whole; in as many copies as ranks have the same panel. O(P order).
    distribution pieces(tensor_id operand, int ranks) const;
    /// The block of `rank` in pieces().
    slice whole_piece_of(tensor_id operand, int rank) const;
    /// In the order of panel_labels(operand).
    slice panel_of(tensor_id operand, int rank) const { return box(operand, rank, false); }
    /// The piece without its isolated labels, like panel_of().
    slice piece_of(tensor_id operand, int rank) const { return box(operand, rank, true); }

    const step_index &step_counts() const noexcept { return step_counts_; }
    /// The part of panel_of() that a step multiplies; depends on the step's groups that the
    /// operand has. The same for a whole team, unless it takes steps in turns.
    slice panel_of(tensor_id operand, int rank, const step_index &step) const;
    /// Extents that no step's part passes on this rank.
    extents_t largest_step(tensor_id operand, int rank) const;
    bool is_stepped(tensor_id operand, std::size_t mode) const noexcept {
        return step_digits_[static_cast<std::size_t>(panel_labels_[operand][mode])].radix > 1;
    }
    /// True if a step may find its whole part in one rank's piece: some mode of the panel is cut
    /// into pieces and steps.
    bool steps_cut_pieces(tensor_id operand) const noexcept;
    /// True if a team cuts this mode of the panel further into pieces.
    bool is_cut_further(tensor_id operand, std::size_t mode) const noexcept {
        return further_[operand][mode].radix > 1;
    }
    /// True if what each of a team owns of a step's part is one run of that: pieces are cut along
    /// the last mode only.
    bool arrives_in_place(tensor_id operand) const noexcept;
    /// True if every step's part of a piece is one run in memory.
    bool sends_in_place(tensor_id operand) const noexcept;
    /// True if what several of a team need from another node arrives there once, and one of them
    /// passes it on. In turns they need different parts at a time.
    bool passes_on(tensor_id operand) const noexcept;
    /// How often a rank gathers each part of its panel of A or B: parts stay until another one is
    /// needed.
    index_t loads(tensor_id operand) const noexcept;

    /// Bytes of memory beside this object and the problem, about (base/footprint.hpp).
    std::size_t allocated() const noexcept;

    /// Returns the words that `rank` receives in the contraction proper; `words`: of an element of
    /// each operand.
    index_t words_received(int rank, const std::array<index_t, 3> &words = {1, 1, 1}) const;
    /// Returns the multiply-adds of the rank's block of the contraction.
    double multiply_adds(int rank) const;

private:
    using digit = coordinate_digit;

    struct step_digit {
        index_t radix = 1;
        index_t step = 1;
    };

    struct range {
        index_t begin, end;
    };
    static constexpr int whole_panel = -1; ///< instead of a place in a team
    /// Returns what the panel of a rank at this position, or the piece that belongs to a place in
    /// the team, has of a panel label.
    range range_of(tensor_id operand, std::size_t mode, const grid_position &position,
                   int place) const noexcept;
    slice box(tensor_id operand, int rank, bool piece) const;
    /// The number of elements in all ranges.
    index_t size_at(tensor_id operand, const grid_position &position, int place) const noexcept;
    /// By how many steps along a label a rank is ahead of the first one.
    index_t turn_of(std::size_t label, int rank) const noexcept;

    std::shared_ptr<const labelled_problem> problem_;
    layout_choice choice_;
    std::vector<digit> parts_;            ///< of each label in its group's coordinate
    std::vector<step_digit> step_digits_; ///< of each label in its group's step
    step_index step_counts_{1, 1, 1, 1};
    std::array<std::vector<int>, 3> panel_labels_;
    std::array<std::vector<digit>, 3> further_; ///< of each panel label within the team
};

/// Returns the part of an operand that `rank` holds, as one range per distinct label. A repeated
/// label has the intersection of its modes' ranges: the diagonal's elements.
slice region_of(const distribution &spread, const operand_labels &labels, int rank);

} // namespace tenfold::dist_impl
