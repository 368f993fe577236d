// Lists of tasks from which ranks take some as soon as they have finished others, and sums of what
// each rank has found. Link tenfold::dist.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>

#include <tenfold/control.hpp>
#include <tenfold/dist.hpp>

namespace [[gnu::visibility("default")]] tenfold {

struct task_options {
    /// What each task costs, in any unit, if that is known: then tasks are handed out in the order
    /// of falling costs, equal ones in the order of their numbers. Empty: in the order of their
    /// numbers, as if all cost the same.
    std::span<const double> costs = {};
    /// So many tasks at a time, or a multiple of that; fewer at the end of the list. Ranks whose
    /// threads share the tasks of a piece set it to world::threads().
    index_t grain = 1;
    /// On all ranks or on none. A stop on any rank ends the call on all of them with errc::stopped.
    /// Progress is told between pieces, as the part of the list that is handed out.
    const execution_control *control = nullptr;
};

namespace dist_impl {
class task_list;
}

/// What a function of tasks may ask while it works.
class task_service {
public:
    task_service(const task_service &) = delete;
    task_service &operator=(const task_service &) = delete;

    /// Local. Lets ranks that wait for tasks have some: rank 0 hands them out, between its own
    /// pieces and here. A function whose pieces take long calls it every few milliseconds; it takes
    /// about a microsecond. Returns false when the rest need not be done, because the call has
    /// failed elsewhere, as far as this rank knows, or was stopped here. Calls of other threads
    /// than the one that called for_each_piece() only return that.
    bool serve();

private:
    friend struct internals;
    explicit task_service(dist_impl::task_list *list) noexcept : list_(list) {}

    dist_impl::task_list *list_;
};

/// Does some tasks, which `tasks` numbers from 0.
using piece_function = std::function<void(std::span<const index_t> tasks, task_service &others)>;

/// Collective. Calls f(tasks, others), on the calling thread of each rank, for pieces of the tasks
/// [0, count) until all are done; each task is in one piece of one rank. All ranks pass the same
/// arguments but for what f does.
///
/// A piece is a quarter of an equal share of the cost that is left, so that there are few messages
/// at first, and all ranks end together, even if other programs use some of their cores. Each rank
/// begins with a piece that it need not ask for, and asks for its next one when it begins with
/// another, so that the answer is there when it is needed. On one rank without a control the first
/// piece has all tasks.
///
/// f does not make collective calls on this world, which throw errc::invalid_argument, because
/// other ranks do not make them: tensors that tasks read are on every rank. Results go to the ranks
/// that need them after this call, by all_reduce() for instance. If f throws on one rank, no
/// further tasks are handed out, and all ranks throw the error of the lowest such rank when they
/// have done what they have. A rank that waits for others does so under settings::watchdog_seconds,
/// which must exceed what a piece takes. Throws errc::invalid_argument for a negative count, a
/// grain below 1, and costs that are negative or not finite; errc::extent_mismatch unless there are
/// `count` costs; errc::out_of_memory.
void for_each_piece(const world &where, index_t count, const piece_function &f,
                    const task_options &options = {});

/// Collective. The same one by one: f(task).
///     std::vector<double> energies(triples.size());
///     for_each_task(everyone, std::ssize(triples), [&](index_t task) {
///         energies[task] = energy_of(triples[task]);
///     });
///     all_reduce(everyone, std::span(energies), reduction::sum); // 0 on the other ranks
template <class F>
requires std::is_invocable_v<const F &, index_t>
void for_each_task(const world &where, index_t count, const F &f,
                   const task_options &options = {}) {
    for_each_piece(
        where, count,
        [&f](std::span<const index_t> tasks, task_service &others) {
            for (const index_t task : tasks) {
                if (!others.serve())
                    return;
                f(task);
            }
        },
        options);
}

/// What all_reduce() does with the values of the ranks.
enum class reduction : std::uint8_t { sum, min, max };

namespace dist_impl {

/// Combines `count` values of `from` with those of `into`.
using combine_values = void (*)(void *into, const void *from, std::size_t count);
struct reduced_values {
    void *data;
    std::size_t count;
    std::size_t item_bytes;
    combine_values combine;
};
void reduce_values(const world &where, const reduced_values &values, reduction how);

template <class V> bool is_nan(V x) noexcept {
    if constexpr (std::is_floating_point_v<V>)
        return std::isnan(x);
    else
        return false;
}
template <class V, class Combine>
void combine_with(void *into, const void *from, std::size_t count, const Combine &combine) {
    for (std::size_t i = 0; i < count; ++i)
        static_cast<V *>(into)[i] =
            combine(static_cast<V *>(into)[i], static_cast<const V *>(from)[i]);
}
template <class V> combine_values combining(reduction how) {
    if (how == reduction::sum)
        return [](void *into, const void *from, std::size_t count) {
            combine_with<V>(into, from, count, [](V a, V b) { return static_cast<V>(a + b); });
        };
    if (how == reduction::min)
        return [](void *into, const void *from, std::size_t count) {
            combine_with<V>(into, from, count, [](V a, V b) { return b < a || is_nan(b) ? b : a; });
        };
    return [](void *into, const void *from, std::size_t count) {
        combine_with<V>(into, from, count, [](V a, V b) { return a < b || is_nan(b) ? b : a; });
    };
}

} // namespace dist_impl

/// Collective. Replaces numbers, element by element, by their sums over all ranks, or by the least
/// or greatest ones; arrays of one length on all ranks. All ranks get the same bits; those of sums
/// of floating-point numbers depend on the number of ranks, unless all but one are 0. A NaN on any
/// rank is the result.
template <class V, std::size_t extent>
requires(std::is_arithmetic_v<V> &&
         !std::is_same_v<V, bool>) void all_reduce(const world &where, std::span<V, extent> values,
                                                   reduction how) {
    dist_impl::reduce_values(
        where, {values.data(), values.size(), sizeof(V), dist_impl::combining<V>(how)}, how);
}
/// Collective. Returns the same of one number of each rank.
template <class V>
requires(std::is_arithmetic_v<V> && !std::is_same_v<V, bool>) V
    all_reduce(const world &where, V mine, reduction how) {
    all_reduce(where, std::span<V>(&mine, 1), how);
    return mine;
}

} // namespace tenfold
