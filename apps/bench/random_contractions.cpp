#include "apps/bench/random_contractions.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace tenfold::apps_impl {
namespace {

constexpr std::size_t least_order = 2;
constexpr std::size_t most_order = 7;
constexpr std::uint64_t most_of_a_class = 5; ///< free labels of A, of B, or contracted labels
constexpr std::uint64_t most_batch = 2;

/// The labels of the modes, numbered.
struct modes {
    std::vector<std::size_t> a, b, d;
    std::size_t labels = 0;
    std::optional<std::size_t> isolated; ///< in A or B only

    void add(std::uint64_t count, bool in_a, bool in_b, bool in_d) {
        for (; count > 0; --count, ++labels) {
            if (in_a)
                a.push_back(labels);
            if (in_b)
                b.push_back(labels);
            if (in_d)
                d.push_back(labels);
        }
    }
};

bool has_orders(const modes &one) {
    for (const auto *tensor : {&one.a, &one.b, &one.d})
        if (tensor->size() < least_order || tensor->size() > most_order)
            return false;
    return true;
}

modes propose_modes(portable_random &random) {
    modes result;
    if (random.below(10) < 3)
        result.add(1 + random.below(most_batch), true, true, true);
    // Draws the most labels per class first. Otherwise few labels would be rare, and hardly any
    // tensor would have two modes.
    const std::uint64_t most = 1 + random.below(most_of_a_class);
    result.add(random.below(most + 1), true, false, true);
    result.add(random.below(most + 1), false, true, true);
    result.add(random.below(most + 1), true, true, false);
    if (random.below(8) == 0) {
        const bool in_a = random.below(2) == 0;
        result.isolated = result.labels;
        result.add(1, in_a, !in_a, false);
    }
    if (random.below(8) == 0) {
        auto &tensor = random.below(2) == 0 ? result.a : result.b;
        if (!tensor.empty())
            tensor.push_back(tensor[random.below(tensor.size())]);
    }
    random.shuffle(result.a);
    random.shuffle(result.b);
    random.shuffle(result.d);
    return result;
}

/// Returns extents by label. All labels but an isolated one share the logarithm of the
/// multiply-adds; the extent of the isolated one is drawn separately.
std::vector<index_t> propose_extents(portable_random &random, const modes &one,
                                     const contraction_limits &limits) {
    const log2_value work = random_between(random, limits.log2_least_work * log2_unit,
                                           limits.log2_most_work * log2_unit);
    const std::size_t sharing = one.labels - (one.isolated ? 1 : 0);
    const log2_value least = log2_unit; // of 2, the least extent of all limits
    if (work < sharing * least || sharing == 0)
        return {};
    std::vector<index_t> extents = share_among(random, sharing, work, least);
    if (one.isolated)
        extents.push_back(limits.least_extent +
                          static_cast<index_t>(random.below(static_cast<std::uint64_t>(
                              limits.largest_extent - limits.least_extent + 1))));
    return extents;
}

/// The number of elements of a tensor in memory.
index_t elements(const std::vector<std::size_t> &tensor, const std::vector<index_t> &extents) {
    index_t product = 1;
    for (const std::size_t label : tensor)
        product *= extents[label];
    return product;
}

bool fits(const modes &one, const std::vector<index_t> &extents, const contraction_limits &limits) {
    const auto inside = [&](index_t extent) {
        return extent >= limits.least_extent && extent <= limits.largest_extent;
    };
    if (extents.empty() || !std::all_of(extents.begin(), extents.end(), inside))
        return false;
    index_t work = 1;
    for (std::size_t label = 0; label < extents.size(); ++label)
        work *= label == one.isolated ? 1 : extents[label];
    return work >= index_t{1} << limits.log2_least_work &&
           work <= index_t{1} << limits.log2_most_work &&
           elements(one.a, extents) + elements(one.b, extents) + elements(one.d, extents) <=
               limits.most_elements;
}

/// Returns "abcd-aebf-dfce a=48,...", with letters by first appearance in D, A and B.
std::string describe(const modes &one, const std::vector<index_t> &extents) {
    std::vector<char> letters(one.labels, 0);
    char next = 'a';
    std::string sizes;
    std::string expression;
    for (const auto *tensor : {&one.d, &one.a, &one.b}) {
        expression += expression.empty() ? "" : "-";
        for (const std::size_t label : *tensor) {
            if (letters[label] == 0) {
                letters[label] = next++;
                sizes += (sizes.empty() ? "" : ",") + std::string(1, letters[label]) + "=" +
                         std::to_string(extents[label]);
            }
            expression += letters[label];
        }
    }
    return expression + " " + sizes;
}

/// Draws until the case is within the limits. The modes are drawn again as well, because some have
/// too few labels for that much work.
std::string random_contraction(portable_random &random, const contraction_limits &limits) {
    while (true) {
        const modes proposed = propose_modes(random);
        if (!has_orders(proposed))
            continue;
        const std::vector<index_t> extents = propose_extents(random, proposed, limits);
        if (fits(proposed, extents, limits))
            return describe(proposed, extents);
    }
}

} // namespace

std::string random_contractions(const random_request &request, const contraction_limits &limits) {
    portable_random random(request.seed);
    std::string list;
    for (int number = 0; number < request.count; ++number) {
        const std::string digits = std::to_string(number);
        list += "c" + std::string(digits.size() < 3 ? 3 - digits.size() : 0, '0') + digits + " " +
                random_contraction(random, limits) + "\n";
    }
    return list;
}

} // namespace tenfold::apps_impl
