// Who holds what while a contraction runs on a grid (pb, pm, pn, pk).
//
// Rank r has coordinates (cb, cm, cn, ck), ck fastest, so that the ranks that add up one block of D
// are neighbours. Its *panel* of A is the block (cb, cm, ck), which the pn ranks that differ in cn
// share; each of them owns one *piece* of it, and they all-gather. B likewise over pm. Of D every
// rank computes the panel (cb, cm, cn), which the pk ranks that differ in ck reduce-scatter to
// pieces. Pieces are cuts of panels along the same labels, so pieces form a Cartesian distribution.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <tenfold/dist_plan.hpp>

#include "dist_plan/labels.hpp"

namespace tenfold::dist_impl {

struct grid_position {
    int batch, m, n, k;
};

class layouts {
  public:
    layouts() = default;
    /// `parts`: into how many parts each label is cut; within a group their product is the grid's
    /// factor, and isolated labels are not cut.
    layouts(std::shared_ptr<const labelled_problem> problem, processor_grid grid,
            const std::vector<int> &parts, int ranks);

    const processor_grid &grid() const noexcept { return grid_; }
    bool takes_part(int rank) const noexcept { return rank < grid_.size(); }
    grid_position position_of(int rank) const noexcept;
    int rank_at(grid_position position) const noexcept;

    /// Ranks that share one panel of the operand: pn for A, pm for B, pk for D.
    int team_size(operand_id operand) const noexcept;
    /// Ranks that share `operand`'s panel with `rank`, in the order of the coordinate in which they
    /// differ, and the place of `rank` among them.
    std::vector<int> team_of(operand_id operand, int rank) const;
    int place_in_team(operand_id operand, int rank) const noexcept;

    const std::vector<int> &panel_labels(operand_id operand) const noexcept {
        return panel_labels_[operand];
    }

    /// In the order of the operand's distinct labels, isolated ones included and whole.
    const distribution &pieces(operand_id operand) const noexcept { return pieces_[operand]; }
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
    distribution make_pieces(operand_id operand, int ranks) const;

    std::shared_ptr<const labelled_problem> problem_;
    processor_grid grid_;
    std::vector<digit> parts_; ///< of each label in its group's coordinate
    std::array<std::vector<int>, 3> panel_labels_;
    std::array<std::vector<digit>, 3> further_; ///< of each panel label within the team
    std::array<distribution, 3> pieces_;
};

/// What `rank` holds of an operand in label space: one range per distinct label. A repeated label
/// has the intersection of its modes' ranges: the diagonal's elements.
slice region_of(const distribution &spread, const operand_labels &labels, int rank);

} // namespace tenfold::dist_impl
