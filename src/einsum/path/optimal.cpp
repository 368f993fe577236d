// Dynamic programming over subsets of the inputs. The result of contracting a subset does not
// depend on the order, so the cheapest way to contract it is the cheapest split into two subsets,
// each contracted in its cheapest way.
//
// Splits into tensors without a common label are considered too. Pfeifer et al. show that most such
// outer products can be skipped if every label is in two tensors. With hyperedges that is false:
// "a,b,abc->abc" is cheapest by way of "ab". Up to ten inputs it is enough to skip what exceeds the
// best way found so far.
#include <algorithm>
#include <bit>
#include <limits>

#include "einsum/path/tree.hpp"

namespace tenfold::einsum_impl {
namespace {

using subset = std::uint32_t; ///< one bit per input

/// One way to contract a subset.
struct way {
    double multiply_adds = 0;
    double peak = 0;
    subset left = 0; ///< 0 for a single input
    std::size_t left_way = 0, right_way = 0;
};

/// The Pareto front of ways to contract a subset, by multiply-adds and peak, cheapest first.
class front {
public:
    explicit front(std::size_t most) : most_(most) {}

    bool beaten(double multiply_adds, double peak) const {
        for (const way &one : ways_) {
            if (one.multiply_adds > multiply_adds)
                return false;
            // If there is room for one way only, cost decides first, and the peak between equal
            // costs.
            if (one.peak <= peak || (most_ == 1 && one.multiply_adds < multiply_adds))
                return true;
        }
        return false;
    }
    void insert(const way &added) {
        if (beaten(added.multiply_adds, added.peak))
            return;
        std::erase_if(ways_, [&](const way &one) {
            return one.multiply_adds >= added.multiply_adds &&
                   (one.peak >= added.peak || most_ == 1);
        });
        const auto place = std::find_if(ways_.begin(), ways_.end(), [&](const way &one) {
            return one.multiply_adds > added.multiply_adds;
        });
        ways_.insert(place, added);
        if (ways_.size() > most_)
            thin_out();
    }
    const std::vector<way> &ways() const noexcept { return ways_; }

private:
    /// Drops the way between the two neighbours whose costs differ least. Both ends are kept, so
    /// that the cheapest way and the one with the least peak remain exact.
    void thin_out() {
        std::size_t closest = 1;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t i = 1; i + 1 < ways_.size(); ++i) {
            const double ratio = ways_[i + 1].multiply_adds / ways_[i - 1].multiply_adds;
            if (ratio < least) {
                least = ratio;
                closest = i;
            }
        }
        ways_.erase(ways_.begin() + static_cast<std::ptrdiff_t>(closest));
    }

    std::size_t most_;
    std::vector<way> ways_;
};

class search {
public:
    search(const network &net, bool frugal)
        : net_(net), inputs_(net.operands.size()), all_((subset{1} << inputs_) - 1),
          fronts_(all_ + 1, front(frugal ? most_ways : 1)), tensors_(all_ + 1) {
        for (subset set = 1; set <= all_; ++set) {
            if (std::has_single_bit(set)) {
                tensors_[set] = input_tensor(net_, static_cast<std::size_t>(std::countr_zero(set)));
                fronts_[set].insert({});
                continue;
            }
            tensors_[set] = result_tensor(net_, labels_that_stay(set));
            // The first input is always in the left part, so that each split occurs once.
            const subset first = set & (~set + 1);
            for (subset left = (set - 1) & set; left != 0; left = (left - 1) & set)
                if ((left & first) != 0)
                    try_split(set, left);
        }
    }

    std::vector<std::vector<path_node>> trees() const {
        std::vector<std::vector<path_node>> found;
        for (const way &one : fronts_[all_].ways()) {
            found.emplace_back();
            append_nodes(all_, one, found.back());
        }
        return found;
    }

private:
    static constexpr std::size_t most_ways = 16;

    /// Labels of a subset that other tensors or the output still need.
    label_set labels_that_stay(subset set) const {
        label_set inside(net_.label_count());
        label_set outside = net_.output;
        for (std::size_t i = 0; i < inputs_; ++i)
            ((set >> i & 1) != 0 ? inside : outside) |= net_.operands[i];
        return inside &= outside;
    }

    void try_split(subset set, subset left) {
        const subset right = set & ~left;
        front &best = fronts_[set];
        const std::vector<way> &to_left = fronts_[left].ways();
        const std::vector<way> &to_right = fronts_[right].ways();
        if (best.beaten(to_left.front().multiply_adds + to_right.front().multiply_adds,
                        std::max(to_left.back().peak, to_right.back().peak)))
            return;
        const pair_choice forms = cheapest_forms(net_, tensors_[left], tensors_[right]);
        const double result = set == all_ ? 0 : tensors_[set].elements;
        for (std::size_t l = 0; l < to_left.size(); ++l)
            for (std::size_t r = 0; r < to_right.size(); ++r)
                best.insert(
                    {to_left[l].multiply_adds + to_right[r].multiply_adds + forms.multiply_adds,
                     peak_of(forms, to_left[l].peak, to_right[r].peak, result).peak, left, l, r});
    }

    std::size_t append_nodes(subset set, const way &one, std::vector<path_node> &nodes) const {
        if (one.left == 0)
            return static_cast<std::size_t>(std::countr_zero(set));
        const subset right = set & ~one.left;
        const std::size_t from_left =
            append_nodes(one.left, fronts_[one.left].ways()[one.left_way], nodes);
        const std::size_t from_right =
            append_nodes(right, fronts_[right].ways()[one.right_way], nodes);
        nodes.push_back({from_left, from_right});
        return inputs_ + nodes.size() - 1;
    }

    const network &net_;
    std::size_t inputs_;
    subset all_;
    std::vector<front> fronts_; ///< by subset
    std::vector<path_tensor> tensors_;
};

} // namespace

std::vector<std::vector<path_node>> optimal_trees(const network &net, bool frugal) {
    return search(net, frugal).trees();
}

} // namespace tenfold::einsum_impl
