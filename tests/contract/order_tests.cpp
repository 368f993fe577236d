// Compares the order in which plans contract many inputs with an exhaustive search. The search here
// is independent of the library: it reads expressions as text and tries every pair at every step.
#include <algorithm>
#include <bit>
#include <cctype>
#include <limits>
#include <map>

#include <gtest/gtest.h>

#include <tenfold/tenfold.hpp>

#include "support/random.hpp"

namespace tenfold::testing {
namespace {

using label_mask = std::uint64_t; ///< bit 0: 'a', bit 26: 'A'
using extents_by_label = std::map<char, index_t>;

/// An expression in numpy's notation with single letters. Every label is in two inputs or more, or
/// in the output, so that no label can be summed in advance.
struct network_text {
    std::vector<std::string> inputs;
    std::string output;

    explicit network_text(const std::string &expression) {
        const std::size_t arrow = expression.find("->");
        output = expression.substr(arrow + 2);
        std::size_t begin = 0;
        for (std::size_t i = 0; i <= arrow; ++i)
            if (i == arrow || expression[i] == ',') {
                inputs.push_back(expression.substr(begin, i - begin));
                begin = i + 1;
            }
    }
    network_text(std::vector<std::string> from, std::string to)
        : inputs(std::move(from)), output(std::move(to)) {}

    std::string expression() const {
        std::string text;
        for (const std::string &one : inputs)
            text += (text.empty() ? "" : ",") + one;
        return text + "->" + output;
    }
};

label_mask mask_of(const std::string &labels) {
    label_mask mask = 0;
    for (const char label : labels)
        mask |= label_mask{1} << (std::islower(label) != 0 ? label - 'a' : label - 'A' + 26);
    return mask;
}

class exhaustive_search {
public:
    exhaustive_search(const network_text &text, const extents_by_label &extents)
        : output_(mask_of(text.output)), extents_(52, 1) {
        for (const auto &[label, extent] : extents)
            extents_[static_cast<std::size_t>(std::countr_zero(mask_of({label})))] =
                static_cast<double>(extent);
        std::vector<label_mask> tensors;
        for (const std::string &one : text.inputs)
            tensors.push_back(mask_of(one));
        descend(tensors, 0);
    }

    /// Multiply-adds of the cheapest order.
    double best() const { return best_; }
    /// Multiply-adds of the most expensive order.
    double worst() const { return worst_; }
    int orders() const { return orders_; }

private:
    double positions(label_mask labels) const {
        double product = 1;
        for (; labels != 0; labels &= labels - 1)
            product *= extents_[static_cast<std::size_t>(std::countr_zero(labels))];
        return product;
    }

    // Tries all orders, without pruning expensive ones.
    void descend(const std::vector<label_mask> &tensors, double cost) {
        if (tensors.size() == 1) {
            best_ = std::min(best_, cost);
            worst_ = std::max(worst_, cost);
            ++orders_;
            return;
        }
        for (std::size_t i = 0; i < tensors.size(); ++i)
            for (std::size_t j = i + 1; j < tensors.size(); ++j) {
                std::vector<label_mask> rest;
                label_mask needed = output_;
                for (std::size_t k = 0; k < tensors.size(); ++k)
                    if (k != i && k != j) {
                        rest.push_back(tensors[k]);
                        needed |= tensors[k];
                    }
                const label_mask both = tensors[i] | tensors[j];
                rest.push_back(both & needed);
                descend(rest, cost + positions(both));
            }
    }

    label_mask output_;
    std::vector<double> extents_;
    double best_ = std::numeric_limits<double>::infinity();
    double worst_ = 0;
    int orders_ = 0;
};

contraction_plan plan_of(const network_text &text, const extents_by_label &extents) {
    const auto shape_of = [&](const std::string &labels) {
        extents_t shape;
        for (const char label : labels)
            shape.push_back(extents.at(label));
        const extents_t no_strides(shape.size(), 0); // zero strides, so that no size is too large
        return layout(shape, no_strides);
    };
    std::vector<input> inputs;
    for (const std::string &labels : text.inputs)
        inputs.emplace_back(data_type::f64, nullptr, shape_of(labels));
    extents_t d;
    for (const char label : text.output)
        d.push_back(extents.at(label));
    return make_plan(text.expression(), inputs, output(data_type::f64, nullptr, layout(d)));
}

/// Returns the ratio of the most expensive order's cost to the cheapest one's.
double expect_cheapest_order(const network_text &text, const extents_by_label &extents) {
    std::string trace = text.expression();
    for (const auto &[label, extent] : extents)
        trace += std::string(" ") + label + "=" + std::to_string(extent);
    SCOPED_TRACE(trace);
    const exhaustive_search all(text, extents);
    const plan_summary summary = plan_of(text, extents).summary();
    EXPECT_NEAR(summary.flops, 2 * all.best(), 2e-12 * all.best()); // sums of up to six steps
    double flops = 0;
    for (const step_summary &step : summary.steps)
        flops += step.flops;
    if (text.inputs.size() > 2) {
        EXPECT_EQ(summary.steps.size(), text.inputs.size() - 1);
        EXPECT_NEAR(flops, summary.flops, 1e-12 * flops);
    }
    return all.worst() / all.best();
}

/// Uses smaller extents for more labels, because the bytes of the output have to fit 64 bits.
extents_by_label random_extents(random_source &random, const network_text &text) {
    extents_by_label extents;
    for (const std::string &labels : text.inputs)
        for (const char label : labels)
            extents.emplace(label, 1);
    const index_t most = extents.size() > 9 ? 12 : 64;
    for (auto &[label, extent] : extents)
        extent = random.integer(1, most);
    return extents;
}

TEST(Order, TheSearchTriesAllOrders) {
    // n inputs have n! (n - 1)! / 2^(n - 1) orders.
    const extents_by_label ones{{'a', 1}, {'b', 1}, {'c', 1}, {'d', 1},
                                {'e', 1}, {'f', 1}, {'g', 1}, {'h', 1}};
    EXPECT_EQ(exhaustive_search(network_text("ab,bc,cd->ad"), ones).orders(), 3);
    EXPECT_EQ(exhaustive_search(network_text("ab,bc,cd,de->ae"), ones).orders(), 18);
    EXPECT_EQ(exhaustive_search(network_text("ab,bc,cd,de,ef,fg,gh->ah"), ones).orders(), 56700);
    const exhaustive_search chain(network_text("ab,bc,cd->ad"),
                                  {{'a', 10}, {'b', 100}, {'c', 5}, {'d', 50}});
    EXPECT_EQ(chain.best(), 7500);
    EXPECT_EQ(chain.worst(), 2 * 10 * 100 * 5 * 50); // first and last matrix first: outer product
}

struct classic {
    const char *expression;
    extents_by_label extents;
};

const std::vector<classic> &classics() {
    // Occupied i j k l, virtual a b c d.
    const extents_by_label orbitals{{'i', 10}, {'j', 10}, {'k', 10}, {'l', 10},
                                    {'a', 40}, {'b', 40}, {'c', 40}, {'d', 40}};
    // Bonds of a state, of an operator, and spins.
    const extents_by_label chain{{'a', 32}, {'b', 32}, {'c', 32}, {'d', 32}, {'p', 32}, {'q', 32},
                                 {'v', 5},  {'w', 5},  {'x', 5},  {'y', 5},  {'s', 2},  {'t', 2},
                                 {'u', 2},  {'n', 2},  {'m', 2},  {'z', 2},  {'A', 32}, {'B', 32}};
    const extents_by_label tucker{{'i', 50}, {'j', 40}, {'k', 30}, {'l', 20}, {'m', 12}, {'n', 9},
                                  {'a', 5},  {'b', 6},  {'c', 7},  {'d', 8},  {'e', 4},  {'f', 3}};
    extents_by_label few_tokens{{'b', 2},  {'h', 8},  {'q', 16}, {'k', 16}, {'d', 64},
                                {'v', 64}, {'x', 99}, {'y', 99}, {'z', 99}, {'o', 99}};
    extents_by_label many_tokens = few_tokens;
    many_tokens['q'] = many_tokens['k'] = 2048;
    static const std::vector<classic> all = {
        // attention without its softmax, alone and with the projections of a layer
        {"bhqd,bhkd,bhkv->bhqv", few_tokens},
        {"bhqd,bhkd,bhkv->bhqv", many_tokens},
        {"bqx,xhd,bky,yhd,bkz,zhv,hvo->bqo", few_tokens},
        {"bqx,xhd,bky,yhd,bkz,zhv,hvo->bqo", many_tokens},
        // matrix product states: norms, expectation values, environments, effective operators
        {"sa,sA,atb,AtB,bu,Bu->", chain},
        {"sa,svt,tb,am,vmn,bn->", chain},
        {"avb,asp,vwst,btq->pwq", chain},
        {"avb,vwst,cwd,btd->asc", chain},
        {"avb,vwst,wxun,cxd,btnd->asuc", chain},
        {"avyb,asp,vwsu,yxut,btq->pwxq", chain},
        {"avb,asp,vwst,btq,pmc,wxmz,qzd->cxd", chain},
        // Tucker: cores, mode products, whole tensors
        {"ijk,ia,jb,kc->abc", tucker},
        {"ijk,jb,kc->ibc", tucker},
        {"abc,ia,jb,kc->ijk", tucker},
        {"abcd,ia,jb,kc,ld->ijkl", tucker},
        {"abcdef,ia,jb,kc,ld,me,nf->ijklmn", tucker},
        // sums of outer products (CP), with a label in many inputs; weights of modes, where outer
        // products come first
        {"ijk,ja,ka->ia", tucker},
        {"ia,ja,ka,la,a->ijkl", tucker},
        {"ijkl,i,j,k,l->ijkl", tucker},
        {"ijk,i,j,ka,a->ija", tucker},
        // coupled cluster, doubles from one to four factors of amplitudes
        {"klcd,acik,dblj->abij", orbitals},
        {"klcd,cdij,abkl->abij", orbitals},
        {"klcd,ci,dj,abkl->abij", orbitals},
        {"klcd,ci,dj,ak,bl->abij", orbitals},
    };
    return all;
}

TEST(Order, OfTheClassicsIsTheCheapest) {
    double most = 1;
    for (const classic &one : classics())
        most = std::max(most, expect_cheapest_order(network_text(one.expression), one.extents));
    EXPECT_GT(most, 1e3) << "any order would have done";
}

TEST(Order, OfTheClassicsIsTheCheapestForOtherExtents) {
    for (const int test_case : cases(100)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const network_text text(random.pick(classics()).expression);
        expect_cheapest_order(text, random_extents(random, text));
        if (::testing::Test::HasFailure())
            return;
    }
}

/// A chain of matrices, or of tensors with one more mode, open or closed to a ring. The output
/// keeps some of its bonds. The order of the tensors and of their modes is random.
network_text random_chain(random_source &random, int inputs) {
    const bool ring = inputs > 2 && random.chance(0.3);
    const double legs = random.chance(0.3) ? 0 : random.real();
    const double kept = random.chance(0.5) ? 0 : 0.3;
    std::vector<std::string> tensors;
    std::string output;
    for (int i = 0; i < inputs; ++i) {
        const bool last = i + 1 == inputs;
        std::string labels{static_cast<char>('a' + i)};
        labels += static_cast<char>('a' + (last && ring ? 0 : i + 1));
        if (!ring && i == 0)
            output += labels[0];
        if ((!ring && last) || random.chance(kept))
            output += labels[1];
        if (random.chance(legs)) {
            labels += static_cast<char>('A' + i);
            output += labels[2];
        }
        std::vector<char> modes(labels.begin(), labels.end());
        random.shuffle(modes);
        tensors.emplace_back(modes.begin(), modes.end());
    }
    random.shuffle(tensors);
    return {tensors, output};
}

TEST(Order, OfRandomChainsIsTheCheapest) {
    for (const int test_case : cases(300)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        const int inputs = test_case % 15 == 0 ? 7 : static_cast<int>(random.integer(2, 6));
        const network_text text = random_chain(random, inputs);
        expect_cheapest_order(text, random_extents(random, text));
        if (::testing::Test::HasFailure())
            return;
    }
}

} // namespace
} // namespace tenfold::testing
