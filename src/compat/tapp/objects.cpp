#include "compat/tapp/objects.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <new>
#include <vector>

namespace tenfold::tapp_impl {
namespace {

// A number: kind, place in the table, and how many objects the place has had before. 2^31 of them
// share a place before a number comes again.
constexpr int bits_of_place = 28;
constexpr int bits_below_generation = bits_of_kind + bits_of_place;
constexpr std::uint32_t generations = std::uint32_t{1} << 31;
static_assert(sizeof(std::intptr_t) == 8, "numbers of objects have 63 bits");

struct place {
    std::atomic<std::intptr_t> number = 0; ///< of the object that is here; 0: none
    std::atomic<object *> held = nullptr;
    std::uint32_t generation = 0; ///< of the next object; guarded by the table's mutex
};

constexpr std::size_t places_of_block = 1024;
using block = std::array<place, places_of_block>;

/// Places are in blocks that stay where they are, so that readers need no lock.
struct table {
    std::mutex mutex;
    std::array<std::atomic<block *>, 16384> blocks{};
    std::size_t used = 0;           ///< places that have been given out once
    std::vector<std::size_t> freed; ///< has room for all of them

    place *at(std::size_t index) noexcept {
        const std::size_t number = index / places_of_block;
        if (number >= blocks.size())
            return nullptr;
        block *const found = blocks[number].load(std::memory_order_acquire);
        return found != nullptr ? &(*found)[index % places_of_block] : nullptr;
    }

    /// With the mutex.
    std::size_t take() {
        if (!freed.empty()) {
            const std::size_t index = freed.back();
            freed.pop_back();
            return index;
        }
        if (at(used) == nullptr) {
            if (used / places_of_block >= blocks.size())
                throw std::bad_alloc();
            freed.reserve(used + places_of_block);
            blocks[used / places_of_block].store(new block, std::memory_order_release);
        }
        return used++;
    }
};

/// Never destroyed: objects may be asked for while the process ends.
table &all() {
    static table *const made = new table;
    return *made;
}

std::size_t index_of(std::intptr_t number) noexcept {
    return static_cast<std::size_t>(number >> bits_of_kind) &
           ((std::size_t{1} << bits_of_place) - 1);
}

} // namespace

std::intptr_t publish(kind of, std::unique_ptr<object> made) {
    table &objects = all();
    const std::lock_guard lock(objects.mutex);
    const std::size_t index = objects.take();
    place &here = *objects.at(index);
    const std::intptr_t number =
        static_cast<std::intptr_t>(here.generation) << bits_below_generation |
        static_cast<std::intptr_t>(index) << bits_of_kind | static_cast<std::intptr_t>(of);
    here.generation = (here.generation + 1) % generations;
    here.held.store(made.release(), std::memory_order_relaxed);
    here.number.store(number, std::memory_order_release);
    return number;
}

object *find(std::intptr_t number) noexcept {
    const place *const here = number > 0 ? all().at(index_of(number)) : nullptr;
    if (here == nullptr || here->number.load(std::memory_order_acquire) != number)
        return nullptr;
    return here->held.load(std::memory_order_relaxed);
}

bool destroy(std::intptr_t number) noexcept {
    std::unique_ptr<object> taken; // destroyed without the lock
    table &objects = all();
    const std::lock_guard lock(objects.mutex);
    if (find(number) == nullptr)
        return false;
    place &here = *objects.at(index_of(number));
    here.number.store(0, std::memory_order_release);
    taken.reset(here.held.exchange(nullptr, std::memory_order_relaxed));
    objects.freed.push_back(index_of(number));
    return true;
}

} // namespace tenfold::tapp_impl
