#include "contract/front/batch_overlap.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "tensor/overlap.hpp"

namespace tenfold::contract_impl {
namespace {

using tensor_impl::byte_range;
using tensor_impl::share_memory;
using tensor_impl::wide;

wide number_of(const void *address) noexcept {
    return wide{static_cast<std::intptr_t>(reinterpret_cast<std::uintptr_t>(address))};
}

tensor_impl::placement placed(const batch_tensor &tensor, index_t i) noexcept {
    return {tensor.place.at(i), tensor.element_size, tensor.shape};
}

byte_range bytes_of(const batch_tensor &tensor) noexcept {
    return tensor_impl::bytes_of(*tensor.shape, tensor.element_size);
}

bool in_steps(const batch_tensor &tensor) noexcept { return tensor.place.addresses == nullptr; }

/// The first address and the last one.
std::pair<wide, wide> ends_of(const batch_place &place, index_t count) noexcept {
    if (place.addresses == nullptr)
        return std::minmax(number_of(place.first),
                           number_of(place.first) + wide{count - 1} * place.step);
    const auto [low, high] = std::minmax_element(
        place.addresses, place.addresses + count,
        [](const void *x, const void *y) { return number_of(x) < number_of(y); });
    return {number_of(*low), number_of(*high)};
}

/// The bytes that all tensors of a batch span.
byte_range span_of(const batch_tensor &tensor, index_t count) noexcept {
    const byte_range one = bytes_of(tensor);
    const auto [low, high] = ends_of(tensor.place, count);
    return {low + one.begin, high + one.end};
}

bool are_apart(const byte_range &x, const byte_range &y) noexcept {
    return x.end <= y.begin || y.end <= x.begin;
}

/// Whether each D begins where the one before it has ended, or the other way round.
bool follow_one_another(const batch_tensor &d, index_t count) noexcept {
    const byte_range one = bytes_of(d);
    const wide size = one.end - one.begin;
    if (in_steps(d))
        return d.place.step >= size || -wide{d.place.step} >= size;
    bool rise = true, fall = true;
    for (index_t i = 1; i < count && (rise || fall); ++i) {
        const wide step = number_of(d.place.at(i)) - number_of(d.place.at(i - 1));
        rise = rise && step >= size;
        fall = fall && -step >= size;
    }
    return rise || fall;
}

/// At equal distances, if the addresses are.
batch_place as_steps(const batch_place &place, index_t count) noexcept {
    if (place.addresses == nullptr || count < 2)
        return place;
    const wide step = number_of(place.at(1)) - number_of(place.at(0));
    for (index_t i = 2; i < count; ++i)
        if (number_of(place.at(i)) - number_of(place.at(i - 1)) != step)
            return place;
    return {nullptr, static_cast<const std::byte *>(place.at(0)), static_cast<index_t>(step)};
}

/// All tensors of a batch as one: the batch is its last mode. Throws errc::overflow.
layout with_batch(const batch_tensor &tensor, index_t count) {
    extents_t extents = tensor.shape->extents();
    extents_t strides = tensor.shape->strides();
    extents.push_back(count);
    strides.push_back(tensor.place.step / tensor.element_size);
    return {std::move(extents), std::move(strides)};
}

bool steps_are_elements(const batch_tensor &tensor) noexcept {
    return in_steps(tensor) && tensor.place.step % tensor.element_size == 0;
}

/// The D in order of their addresses.
class sorted_outputs {
public:
    sorted_outputs(const batch_tensor &d, index_t count) : d_(d), bytes_(bytes_of(d)) {
        for (index_t i = 0; i < count; ++i)
            order_.push_back(i);
        std::ranges::sort(order_, {}, [&](index_t i) { return number_of(d_.place.at(i)); });
    }

    /// Whether two of them share an element; -1, or the number of one of those.
    index_t overlapping() const noexcept {
        for (std::size_t first = 0; first < order_.size(); ++first)
            for (std::size_t next = first + 1; next < order_.size(); ++next) {
                if (start(next) >= start(first) + (bytes_.end - bytes_.begin))
                    break;
                if (share_memory(placed(d_, order_[first]), placed(d_, order_[next])))
                    return order_[next];
            }
        return -1;
    }

    bool touches(const batch_tensor &tensor, index_t i) const noexcept {
        const byte_range one = bytes_of(tensor);
        const wide at = number_of(tensor.place.at(i));
        const auto begin = std::ranges::partition_point(order_, [&](index_t k) {
            return number_of(d_.place.at(k)) + bytes_.end <= at + one.begin;
        });
        for (auto k = begin;
             k != order_.end() && number_of(d_.place.at(*k)) + bytes_.begin < at + one.end; ++k) {
            const bool is_d = tensor.may_be_d && *k == i && tensor.place.at(i) == d_.place.at(i);
            if (!is_d && share_memory(placed(tensor, i), placed(d_, *k)))
                return true;
        }
        return false;
    }

private:
    wide start(std::size_t place) const noexcept { return number_of(d_.place.at(order_[place])); }

    const batch_tensor &d_;
    byte_range bytes_;
    std::vector<index_t> order_;
};

/// The exact tests where address ranges meet. Throws.
batch_status check_closely(batch_tensor d, std::span<const batch_tensor> read, index_t count) {
    d.place = as_steps(d.place, count);
    const bool d_in_steps = steps_are_elements(d);
    const byte_range span_of_d = span_of(d, count);
    std::optional<sorted_outputs> sorted;
    const auto outputs = [&]() -> const sorted_outputs & {
        return sorted ? *sorted : sorted.emplace(d, count);
    };
    const layout all_d = d_in_steps ? with_batch(d, count) : layout();
    if (d_in_steps) {
        if (all_d.overlaps_itself())
            return {status(errc::overlap, d.name)};
    } else if (const index_t found = outputs().overlapping(); found >= 0) {
        return {status(errc::overlap, d.name), found};
    }
    for (batch_tensor tensor : read) {
        tensor.place = as_steps(tensor.place, count);
        if (are_apart(span_of(tensor, count), span_of_d))
            continue;
        if (d_in_steps && steps_are_elements(tensor)) {
            if (tensor.may_be_d && tensor.place.first == d.place.first &&
                (tensor.place.step == d.place.step || count == 1))
                continue; // the D do not overlap each other
            const layout all = with_batch(tensor, count);
            if (!share_memory({tensor.place.first, tensor.element_size, &all},
                              {d.place.first, d.element_size, &all_d}))
                continue;
            // Some contraction's tensor is D of the same one, perhaps: the pairs tell.
        }
        for (index_t i = 0; i < count; ++i)
            if (outputs().touches(tensor, i))
                return {status(errc::overlap, tensor.name), i};
    }
    return {};
}

} // namespace

batch_status check_batch_overlap(const batch_tensor &d, std::span<const batch_tensor> read,
                                 index_t count) noexcept {
    const byte_range span_of_d = span_of(d, count);
    const bool apart = std::ranges::all_of(read, [&](const batch_tensor &tensor) {
        const bool is_d = tensor.may_be_d && in_steps(tensor) && in_steps(d) &&
                          tensor.place.first == d.place.first && tensor.place.step == d.place.step;
        return is_d || are_apart(span_of(tensor, count), span_of_d);
    });
    if (apart && follow_one_another(d, count))
        return {};
    try {
        return check_closely(d, read, count);
    } catch (const std::bad_alloc &) {
        return {status(errc::out_of_memory)};
    } catch (const error &refused) {
        return {status(refused.code())};
    }
}

} // namespace tenfold::contract_impl
