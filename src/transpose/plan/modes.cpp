#include "transpose/plan/modes.hpp"

#include <algorithm>

#include <tenfold/error.hpp>

namespace tenfold::transpose_impl {
namespace {

/// Returns true if `outer` continues `inner` in both tensors.
bool continues(const mode &inner, const mode &outer) noexcept {
    index_t end_a = 0;
    index_t end_b = 0;
    return !__builtin_mul_overflow(inner.stride_a, inner.extent, &end_a) &&
           !__builtin_mul_overflow(inner.stride_b, inner.extent, &end_b) &&
           outer.stride_a == end_a && outer.stride_b == end_b;
}

/// Fuses until no pair is left. Modes are sorted by stride in B, so an outer mode never precedes
/// its inner one.
void fuse(std::vector<mode> &modes) {
    for (std::size_t inner = 0; inner < modes.size(); ++inner)
        for (std::size_t outer = inner + 1; outer < modes.size();) {
            if (!continues(modes[inner], modes[outer])) {
                ++outer;
                continue;
            }
            modes[inner].extent *= modes[outer].extent;
            modes[inner].members.insert(modes[inner].members.end(), modes[outer].members.begin(),
                                        modes[outer].members.end());
            modes.erase(modes.begin() + static_cast<std::ptrdiff_t>(outer));
            outer = inner + 1; // the longer mode may now reach one that was skipped
        }
}

} // namespace

void mirror(mode &which, reduced_problem &problem) noexcept {
    problem.offset_a += which.stride_a * (which.extent - 1);
    problem.offset_b += which.stride_b * (which.extent - 1);
    which.stride_a = -which.stride_a;
    which.stride_b = -which.stride_b;
}

reduced_problem reduce(std::span<const int> permutation, const layout &a, const layout &b) {
    reduced_problem problem;
    problem.empty = b.empty();
    if (problem.empty)
        return problem;

    problem.same_places = true;
    for (int k = 0; k < b.order(); ++k) {
        if (b.extent(k) == 1)
            continue;
        mode one{b.extent(k), a.stride(permutation[static_cast<std::size_t>(k)]), b.stride(k), {k}};
        problem.same_places = problem.same_places && one.stride_a == one.stride_b;
        if (one.stride_b < 0)
            mirror(one, problem);
        problem.modes.push_back(std::move(one));
    }
    std::sort(problem.modes.begin(), problem.modes.end(),
              [](const mode &one, const mode &other) { return one.stride_b < other.stride_b; });
    fuse(problem.modes);
    return problem;
}

bool pair_up(reduced_problem &problem) {
    std::vector<mode> &modes = problem.modes;
    if (modes.size() < 2 || modes.front().extent != 2 || modes.front().stride_a != 1 ||
        modes.front().stride_b != 1)
        return false;
    const auto even = [](index_t number) { return number % 2 == 0; };
    const bool pairs = even(problem.offset_a) && even(problem.offset_b) &&
                       std::all_of(modes.begin() + 1, modes.end(), [&](const mode &one) {
                           return even(one.stride_a) && even(one.stride_b);
                       });
    if (!pairs)
        return false;
    modes.erase(modes.begin());
    for (mode &one : modes) {
        one.stride_a /= 2;
        one.stride_b /= 2;
    }
    problem.offset_a /= 2;
    problem.offset_b /= 2;
    return true;
}

void check(std::span<const int> permutation, const layout &a, const layout &b) {
    const auto order = static_cast<std::size_t>(b.order());
    if (a.order() != b.order())
        throw error(errc::order_mismatch,
                    "A has " + std::to_string(a.order()) + " modes, B has " +
                        std::to_string(b.order()),
                    {.first = {.name = "A", .order = a.order()},
                     .second = {.name = "B", .order = b.order()}});
    if (permutation.size() != order)
        throw error(errc::invalid_argument,
                    "the permutation has " + std::to_string(permutation.size()) +
                        " entries, the tensors have " + std::to_string(order) + " modes");
    std::vector<bool> seen(order, false);
    for (std::size_t k = 0; k < order; ++k) {
        const int from = permutation[k];
        if (from < 0 || static_cast<std::size_t>(from) >= order ||
            seen[static_cast<std::size_t>(from)])
            throw error(errc::invalid_argument,
                        "entry " + std::to_string(k) + " of the permutation is " +
                            std::to_string(from) + "; it must name each of the modes 0 to " +
                            std::to_string(order - 1) + " once");
        seen[static_cast<std::size_t>(from)] = true;
        const int mode_b = static_cast<int>(k);
        if (a.extent(from) != b.extent(mode_b))
            throw error(errc::extent_mismatch,
                        "A mode " + std::to_string(from) + " has extent " +
                            std::to_string(a.extent(from)) + ", B mode " + std::to_string(mode_b) +
                            " has extent " + std::to_string(b.extent(mode_b)),
                        {.first = {.name = "A", .mode = from, .extent = a.extent(from)},
                         .second = {.name = "B", .mode = mode_b, .extent = b.extent(mode_b)}});
    }
    if (b.overlaps_itself())
        throw error(errc::overlap,
                    "B overlaps itself: " + b.describe() +
                        "; every element needs a place of its own",
                    {.first = {.name = "B"}});
}

} // namespace tenfold::transpose_impl
