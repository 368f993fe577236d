// Lists of items that ranks give each other, and lists of tasks that they share.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tenfold/dist_gather.hpp>
#include <tenfold/dist_tasks.hpp>

#include "capi/structs.hpp"
#include "distributed/capi/collective.hpp"
#include "distributed/capi/convert.hpp"

using namespace tenfold::capi_impl;

struct tenfold_item_list {
    std::size_t item_bytes;
    std::size_t count = 0;
    std::vector<std::byte> bytes = {};
};

/// What a function in C asks of tasks. It cannot pass an exception on, so this keeps it.
struct tenfold_task_service {
    explicit tenfold_task_service(tenfold::task_service &others) : own(others) {}

    bool serve() {
        try {
            if (own.serve())
                return true;
        } catch (...) {
            const std::lock_guard lock(mutex);
            problem = std::current_exception();
            throw;
        }
        has_ended = true;
        return false;
    }

    tenfold::task_service &own;
    std::atomic<bool> has_ended{false}; ///< the function was told that the rest need not be done
    std::mutex mutex;
    std::exception_ptr problem = nullptr; ///< of serve()
};

namespace {

using list_handle = std::unique_ptr<tenfold_item_list>;

/// So many items have this many bytes, which an index can count. Throws errc::overflow.
std::size_t bytes_of(std::size_t count, std::size_t item_bytes) {
    constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
    if (count > most / item_bytes)
        throw tenfold::error(tenfold::errc::overflow, std::to_string(count) + " items of " +
                                                          std::to_string(item_bytes) +
                                                          " bytes have more than 2^63 - 1 bytes");
    return count * item_bytes;
}

/// Where a list's items are received.
tenfold::dist_impl::resizable room_in(tenfold_item_list &list) {
    return {[&list](std::size_t count) {
                list.bytes.resize(bytes_of(count, list.item_bytes));
                list.count = count;
            },
            [&list] { return static_cast<void *>(list.bytes.data()); }, 0, list.item_bytes};
}

/// What a rank brings to a call.
struct prepared_lists {
    list_handle made;
    tenfold::dist_impl::item_list items{nullptr, 0};
    std::span<const tenfold::index_t> counts = {};
};

/// Memory for a handle, before the collective call that fills its list.
prepared_lists prepare_lists(tenfold_item_list **place, const char *what, std::size_t item_bytes) {
    require(place, what);
    if (item_bytes == 0)
        refuse("item_bytes is 0; it is 1 or more");
    prepared_lists own;
    own.made = std::make_unique<tenfold_item_list>(tenfold_item_list{item_bytes});
    return own;
}

/// Makes a collective call: move(prepared_lists, resizable).
template <class Prepare, class Move>
tenfold_error exchange_lists(const tenfold_world *world, tenfold_item_list **place,
                             const Prepare &prepare, const Move &move) noexcept {
    return guarded([&] {
        if (place != nullptr)
            *place = nullptr;
        require(world, "world");
        collective(world->shared, prepare, [&](prepared_lists &own) {
            move(std::as_const(own), room_in(*own.made));
            *place = own.made.release();
        });
    });
}

/// Without a root, every rank gets the lists.
tenfold_error gather_lists(const tenfold_world *world, const tenfold::dist_impl::item_list &items,
                           std::size_t item_bytes, std::optional<int> root,
                           tenfold_item_list **all) noexcept {
    const auto prepare = [&] {
        prepared_lists own = prepare_lists(all, "all", item_bytes);
        require_count(static_cast<std::int64_t>(items.count), items.data, "items");
        bytes_of(items.count, item_bytes);
        own.items = items;
        return own;
    };
    return exchange_lists(world, all, prepare, [&](const prepared_lists &own, const auto &to) {
        tenfold::dist_impl::gather_lists(world->shared, own.items, to, root);
    });
}

/// The number of items that the root gives away. Negative counts are refused behind this.
std::size_t sum_of(std::span<const tenfold::index_t> counts, std::size_t item_bytes) {
    std::size_t sum = 0;
    for (const tenfold::index_t count : counts)
        if (count > 0) {
            sum += static_cast<std::size_t>(count); // of two indices at most, which it can hold
            bytes_of(sum, item_bytes);
        }
    return sum;
}

struct prepared_tasks {
    std::shared_ptr<const taken_control> control;
    tenfold::task_options options;
};

/// Makes a collective call: work(task_options).
template <class Function, class Work>
tenfold_error hand_out(const tenfold_world *world, std::int64_t count, Function function,
                       const tenfold_task_options *options, const Work &work) noexcept {
    const auto prepare = [&] {
        if (function == nullptr)
            refuse("function is NULL");
        const tenfold_task_options given = taken(options, "options");
        prepared_tasks own;
        own.control = std::make_shared<const taken_control>(given.control);
        own.options.control = own.control->get();
        if (given.costs != nullptr && count > 0)
            own.options.costs = {given.costs, static_cast<std::size_t>(count)};
        if (given.grain != 0)
            own.options.grain = given.grain;
        return own;
    };
    return guarded([&] {
        require(world, "world");
        collective(world->shared, prepare, [&](const prepared_tasks &own) { work(own.options); });
    });
}

std::string returned(std::int32_t code) {
    return "the function of tasks returned " + std::to_string(code);
}

} // namespace

void tenfold_item_list_destroy(tenfold_item_list *list) { delete list; }

tenfold_error tenfold_item_list_get(const tenfold_item_list *list, const void **items,
                                    int64_t *count) {
    return guarded([&] {
        require(list, "list");
        require(items, "items");
        require(count, "count");
        *items = list->count > 0 ? list->bytes.data() : nullptr;
        *count = static_cast<std::int64_t>(list->count);
    });
}

tenfold_error tenfold_gather_lists(const tenfold_world *world, size_t item_bytes, const void *items,
                                   int64_t count, int32_t root, tenfold_item_list **all) {
    return gather_lists(world, {items, static_cast<std::size_t>(count)}, item_bytes, root, all);
}

tenfold_error tenfold_all_gather_lists(const tenfold_world *world, size_t item_bytes,
                                       const void *items, int64_t count, tenfold_item_list **all) {
    return gather_lists(world, {items, static_cast<std::size_t>(count)}, item_bytes, std::nullopt,
                        all);
}

tenfold_error tenfold_scatter_lists(const tenfold_world *world, size_t item_bytes,
                                    const void *items, const int64_t *counts, int32_t root,
                                    tenfold_item_list **mine) {
    const auto prepare = [&] {
        prepared_lists own = prepare_lists(mine, "mine", item_bytes);
        if (world->shared.rank() != root)
            return own;
        require(counts, "counts");
        own.counts = {counts, static_cast<std::size_t>(world->shared.size())};
        own.items = {items, sum_of(own.counts, item_bytes)};
        if (own.items.count > 0)
            require(items, "items");
        return own;
    };
    return exchange_lists(world, mine, prepare, [&](const prepared_lists &own, const auto &to) {
        tenfold::dist_impl::scatter_lists(world->shared, own.items, own.counts, to, root);
    });
}

tenfold_error tenfold_task_service_serve(tenfold_task_service *others, int32_t *goes_on) {
    return guarded([&] {
        require(others, "others");
        require(goes_on, "goes_on");
        *goes_on = 0;
        *goes_on = others->serve() ? 1 : 0;
    });
}

tenfold_error tenfold_for_each_piece(const tenfold_world *world, int64_t count,
                                     tenfold_piece_function function, void *user,
                                     const tenfold_task_options *options) {
    const auto piece = [&](std::span<const tenfold::index_t> tasks, tenfold::task_service &own) {
        tenfold_task_service others(own);
        const std::int32_t code =
            function(tasks.data(), static_cast<std::int64_t>(tasks.size()), &others, user);
        if (others.problem)
            std::rethrow_exception(others.problem);
        if (code != 0 && !others.has_ended)
            refuse(returned(code) + " in the piece that begins with task " +
                   std::to_string(tasks.front()));
    };
    return hand_out(world, count, function, options, [&](const tenfold::task_options &own) {
        tenfold::for_each_piece(world->shared, count, piece, own);
    });
}

tenfold_error tenfold_for_each_task(const tenfold_world *world, int64_t count,
                                    tenfold_task_function function, void *user,
                                    const tenfold_task_options *options) {
    const auto one = [&](tenfold::index_t task) {
        if (const std::int32_t code = function(task, user); code != 0)
            refuse(returned(code) + " at task " + std::to_string(task));
    };
    return hand_out(world, count, function, options, [&](const tenfold::task_options &own) {
        tenfold::for_each_task(world->shared, count, one, own);
    });
}
