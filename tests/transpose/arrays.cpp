#include "arrays.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "base/context_of.hpp"
#include "base/machine.hpp"
#include "base/scalars.hpp"
#include "base/with_any_type.hpp"

namespace tenfold::testing {
namespace {

constexpr int canary = 0xc5;

index_t components(data_type type) { return is_complex(type) ? 2 : 1; }
index_t component_size(data_type type) { return size_of(type) / components(type); }

void store(char *to, data_type type, double value) {
    const auto put = [&](auto typed) { std::memcpy(to, &typed, sizeof typed); };
    base::with_any_type(real_type_of(type), [&]<class T>(T) {
        if constexpr (element_traits<T>::is_integer)
            put(static_cast<T>(std::isnan(value) ? 0x5a : static_cast<std::int64_t>(value)));
        else
            put(base::scalar_cast<T>(value));
    });
}

} // namespace

array::array(data_type type, const layout &shape, index_t shift, index_t margin)
    : type_(type), shape_(shape) {
    const index_t element = size_of(type);
    before_ = margin + shift * component_size(type) - shape.lowest() * element;
    size_ = before_ + (shape.highest() + 1) * element + margin;
    const auto rounded = static_cast<std::size_t>((size_ + 63) / 64 * 64);
    // Overruns are detected at the end of the block. Without a margin, elements end there, whatever
    // their alignment.
    char *block = static_cast<char *>(margin == 0 ? std::malloc(static_cast<std::size_t>(size_))
                                                  : std::aligned_alloc(64, rounded));
    memory_ = std::shared_ptr<char>(block, std::free);
    fill_with_canaries();
}

char *array::origin() noexcept { return memory_.get() + before_; }

std::vector<unsigned char> array::bytes() const { return {memory_.get(), memory_.get() + size_}; }

void array::set_bytes(const std::vector<unsigned char> &bytes) {
    std::memcpy(memory_.get(), bytes.data(), bytes.size());
}

void array::fill_with_canaries() {
    std::memset(memory_.get(), canary, static_cast<std::size_t>(size_));
}

template <class Visit> void array::for_each_component(Visit visit) {
    if (shape_.empty())
        return;
    extents_t index(static_cast<std::size_t>(shape_.order()), 0);
    for (;;) {
        char *element = origin() + shape_.offset_of(index) * size_of(type_);
        for (index_t k = 0; k < components(type_); ++k)
            visit(element + k * component_size(type_));
        std::size_t k = 0;
        while (k < index.size() && ++index[k] == shape_.extent(static_cast<int>(k)))
            index[k++] = 0;
        if (k == index.size())
            return;
    }
}

void array::fill_with_integers(random_source &random) {
    // Exact when scaled and added; integers are modulo what their type holds.
    const std::int64_t most = size_of(type_) == 1 ? 127 : size_of(type_) == 2 ? 30 : 1000;
    for_each_component([&](char *to) {
        const auto value = static_cast<double>(random.integer(1, most));
        store(to, type_, random.chance(0.5) ? value : -value);
    });
}

void array::poison() {
    for_each_component(
        [&](char *to) { store(to, type_, std::numeric_limits<double>::quiet_NaN()); });
}

const std::vector<std::unique_ptr<context>> &contexts() {
    static const std::vector<std::unique_ptr<context>> all = [] {
        std::vector<std::unique_ptr<context>> made;
        std::vector<isa> sets = base::machine_of(context::global()).isas;
        if (const auto asked = settings::from_environment().isa)
            sets = {*asked};
        for (const isa set : sets) {
            settings chosen;
            chosen.isa = set;
            chosen.threads = 1;
            made.push_back(std::make_unique<context>(chosen));
        }
        return made;
    }();
    return all;
}

layout random_layout(random_source &random, const extents_t &extents, bool zero_strides,
                     index_t of_line) {
    std::vector<std::size_t> memory_order(extents.size());
    std::iota(memory_order.begin(), memory_order.end(), std::size_t{0});
    if (random.chance(0.3))
        random.shuffle(memory_order);
    const bool padded = random.chance(0.4);
    const bool lines = random.chance(0.25); // every row begins at a cache line
    const bool signs = random.chance(0.2);
    index_t step = random.chance(0.1) ? random.integer(2, 3) : 1;
    extents_t strides(extents.size());
    for (const std::size_t k : memory_order) {
        strides[k] = signs && random.chance(0.5) ? -step : step;
        if (zero_strides && random.chance(0.3)) {
            strides[k] = 0;
            continue;
        }
        step *= std::max<index_t>(extents[k], 1) + (padded ? random.integer(0, 5) : 0);
        if (lines || (padded && random.chance(0.3)))
            step = (step + of_line - 1) / of_line * of_line;
    }
    return {extents, strides};
}

} // namespace tenfold::testing
