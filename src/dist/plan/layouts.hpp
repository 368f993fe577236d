// Who holds what while a contraction runs on a grid (pb, pm, pn, pk).
//
// Rank r has coordinates (cb, cm, cn, ck), one of which runs fastest. Its *panel* of A is the block
// (cb, cm, ck), which the pn ranks that differ in cn share; each of them owns one *piece* of it,
// and they all-gather. B likewise over pm. Of D every rank computes the panel (cb, cm, cn), which
// the pk ranks that differ in ck reduce-scatter to pieces. Pieces are cuts of panels along the same
// labels, so pieces form a Cartesian distribution.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <tenfold/dist_plan.hpp>

#include "dist_plan/labels.hpp"

namespace tenfold::dist_impl {

/// Coordinates by group: batch, m, n, k.
using grid_position = std::array<int, 4>;
grid_position factors_of(const processor_grid &grid) noexcept;

/// What is chosen; the rest follows.
struct layout_choice {
    processor_grid grid;
    /// Into how many parts each label is cut: within a group their product is the grid's factor;
    /// isolated labels are not cut.
    std::vector<int> parts;
    /// Into how many pieces each panel label of an operand is cut further, within a team.
    std::array<std::vector<int>, 3> further;
    /// Groups by how fast their coordinate runs with the rank, fastest first. By default the ranks
    /// that add up one block of D are neighbours.
    std::array<int, 4> order{3, 2, 1, 0};

    /// Into the smallest pieces.
    void cut_further(const labelled_problem &problem);
    int team_size(operand_id operand) const noexcept {
        return operand == operand_a ? grid.n : operand == operand_b ? grid.m : grid.k;
    }
};

class layouts {
public:
    layouts() = default;
    layouts(std::shared_ptr<const labelled_problem> problem, layout_choice choice);

    const processor_grid &grid() const noexcept { return choice_.grid; }
    bool takes_part(int rank) const noexcept { return rank < choice_.grid.size(); }
    grid_position position_of(int rank) const noexcept;
    int rank_at(grid_position position) const noexcept;

    /// Ranks that share one panel of the operand: pn for A, pm for B, pk for D.
    int team_size(operand_id operand) const noexcept { return choice_.team_size(operand); }
    /// Ranks that share `operand`'s panel with `rank`, in the order of the coordinate in which they
    /// differ, and the place of `rank` among them.
    std::vector<int> team_of(operand_id operand, int rank) const;
    int place_in_team(operand_id operand, int rank) const noexcept;

    const std::vector<int> &panel_labels(operand_id operand) const noexcept {
        return panel_labels_[operand];
    }

    /// All pieces as a distribution, in the order of the operand's distinct labels, isolated ones
    /// included and whole; O(P order).
    distribution pieces(operand_id operand, int ranks) const;
    /// The block of `rank` in pieces().
    slice whole_piece_of(operand_id operand, int rank) const;
    /// In the order of panel_labels(operand).
    slice panel_of(operand_id operand, int rank) const { return box(operand, rank, false); }
    /// The piece without its isolated labels, like panel_of().
    slice piece_of(operand_id operand, int rank) const { return box(operand, rank, true); }

    /// Payload that `rank` receives in the contraction proper.
    index_t words_received(int rank) const;
    /// Of the rank's block of the contraction.
    double multiply_adds(int rank) const;

private:
    /// Digit of a coordinate in mixed radix: the coordinate of a group of labels, taken apart.
    struct digit {
        int radix = 1;
        int step = 1; ///< product of the radices before
        int of(int coordinate) const noexcept { return coordinate / step % radix; }
    };

    slice box(operand_id operand, int rank, bool piece) const;

    std::shared_ptr<const labelled_problem> problem_;
    layout_choice choice_;
    std::vector<digit> parts_; ///< of each label in its group's coordinate
    std::array<std::vector<int>, 3> panel_labels_;
    std::array<std::vector<digit>, 3> further_; ///< of each panel label within the team
};

/// What `rank` holds of an operand in label space: one range per distinct label. A repeated label
/// has the intersection of its modes' ranges: the diagonal's elements.
slice region_of(const distribution &spread, const operand_labels &labels, int rank);

} // namespace tenfold::dist_impl
