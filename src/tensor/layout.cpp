#include <tenfold/tensor_view.hpp>

#include <tenfold/error.hpp>
#include <tenfold/operand.hpp>
#include <tenfold/tensor.hpp>

#include "base/checked.hpp"
#include "tensor/overlap.hpp"

namespace tenfold {
namespace {

std::string list(const extents_t &numbers) {
    std::string text = "(";
    for (std::size_t k = 0; k < numbers.size(); ++k)
        text += (k == 0 ? "" : ", ") + std::to_string(numbers[k]);
    return text + ")";
}

index_t checked_size(const extents_t &extents) {
    // The usual extents in one pass, as contractions of small tensors take less than a microsecond.
    index_t product = 1;
    bool usual = true;
    for (const index_t extent : extents)
        usual = usual && extent > 0 && !__builtin_mul_overflow(product, extent, &product);
    if (usual)
        return product;
    bool empty = false;
    for (std::size_t k = 0; k < extents.size(); ++k) {
        if (extents[k] < 0)
            throw error(errc::invalid_argument, "mode " + std::to_string(k) + " has extent " +
                                                    std::to_string(extents[k]) +
                                                    "; extents are 0 or more");
        empty = empty || extents[k] == 0;
    }
    if (empty) // whatever the other extents are
        return 0;
    index_t size = 1;
    for (const index_t extent : extents)
        size = base::checked_multiply(size, extent, "number of elements");
    return size;
}

/// Dense strides; mode(0), mode(1), ... are the modes from the fastest on.
template <class ModeAt> extents_t dense_strides(const extents_t &extents, ModeAt mode) {
    extents_t strides(extents.size());
    index_t step = 1;
    for (std::size_t k = 0; k < extents.size(); ++k) {
        strides[mode(k)] = step;
        // An empty tensor has no elements, so any stride that fits will do.
        if (__builtin_mul_overflow(step, std::max<index_t>(extents[mode(k)], 1), &step))
            step = 1;
    }
    return strides;
}

error_details orders(std::size_t given, std::size_t needed) {
    return {.first = {.order = static_cast<index_t>(given)},
            .second = {.order = static_cast<index_t>(needed)}};
}

error_details bounded(std::size_t mode, index_t extent, index_t bound) {
    return {.first = {.mode = static_cast<int>(mode), .extent = extent},
            .second = {.mode = static_cast<int>(mode), .extent = bound}};
}

} // namespace

layout::layout(extents_t extents) : extents_(std::move(extents)), size_(checked_size(extents_)) {
    strides_ = dense_strides(extents_, [](std::size_t k) { return k; });
}

layout::layout(extents_t extents, extents_t strides)
    : extents_(std::move(extents)), strides_(std::move(strides)), size_(checked_size(extents_)) {
    if (extents_.size() != strides_.size())
        throw error(errc::order_mismatch,
                    std::to_string(extents_.size()) + " extents but " +
                        std::to_string(strides_.size()) + " strides",
                    orders(strides_.size(), extents_.size()));
    if (empty())
        return;
    index_t reach = 0; // bounds highest() - lowest(), so that both fit too
    for (std::size_t k = 0; k < extents_.size(); ++k) {
        if (extents_[k] == 1)
            continue;
        if (strides_[k] == INT64_MIN)
            throw error(errc::overflow, "mode " + std::to_string(k) + " has stride -2^63");
        reach = base::checked_add(reach,
                                  base::checked_multiply(extents_[k] - 1, std::abs(strides_[k]),
                                                         "position of an element"),
                                  "position of an element");
    }
}

layout layout_arrays::to_layout() const {
    extents_t copied(extents.begin(), extents.end());
    if (strides == nullptr)
        return layout(std::move(copied));
    return {std::move(copied), extents_t(strides, strides + extents.size())};
}

layout layout::row_major(extents_t extents) {
    checked_size(extents);
    const std::size_t order = extents.size();
    extents_t strides = dense_strides(extents, [order](std::size_t k) { return order - 1 - k; });
    return {std::move(extents), std::move(strides)};
}

layout layout::within(extents_t extents, const extents_t &outer) {
    if (extents.size() != outer.size())
        throw error(errc::order_mismatch,
                    std::to_string(extents.size()) + " extents but " +
                        std::to_string(outer.size()) + " outer extents",
                    orders(outer.size(), extents.size()));
    for (std::size_t k = 0; k < extents.size(); ++k)
        if (extents[k] > outer[k])
            throw error(errc::extent_mismatch,
                        "mode " + std::to_string(k) + ": extent " + std::to_string(extents[k]) +
                            " does not fit into outer extent " + std::to_string(outer[k]),
                        bounded(k, extents[k], outer[k]));
    return {std::move(extents), layout(outer).strides_};
}

index_t layout::lowest() const noexcept {
    index_t position = 0;
    if (!empty())
        for (std::size_t k = 0; k < extents_.size(); ++k)
            position += std::min<index_t>(0, strides_[k] * (extents_[k] - 1));
    return position;
}

index_t layout::highest() const noexcept {
    index_t position = 0;
    if (!empty())
        for (std::size_t k = 0; k < extents_.size(); ++k)
            position += std::max<index_t>(0, strides_[k] * (extents_[k] - 1));
    return position;
}

layout layout::block(const extents_t &offsets, const extents_t &extents) const {
    if (offsets.size() != extents_.size() || extents.size() != extents_.size())
        throw error(errc::order_mismatch,
                    "a block of a tensor of order " + std::to_string(extents_.size()) +
                        " needs as many offsets and extents",
                    orders(offsets.size() != extents_.size() ? offsets.size() : extents.size(),
                           extents_.size()));
    for (std::size_t k = 0; k < extents.size(); ++k)
        if (offsets[k] < 0 || extents[k] < 0 || offsets[k] > extents_[k] - extents[k])
            throw error(errc::extent_mismatch,
                        "mode " + std::to_string(k) + ": block at " + std::to_string(offsets[k]) +
                            " of extent " + std::to_string(extents[k]) +
                            " does not lie within extent " + std::to_string(extents_[k]),
                        bounded(k, extents[k], extents_[k]));
    return {extents, strides_};
}

index_t layout::checked_offset_of(std::span<const index_t> position) const {
    if (position.size() != extents_.size())
        throw error(errc::order_mismatch,
                    std::to_string(position.size()) +
                        (position.size() == 1 ? " index" : " indices") + " for a tensor of order " +
                        std::to_string(extents_.size()) + "; it takes one per mode",
                    orders(position.size(), extents_.size()));
    for (std::size_t k = 0; k < position.size(); ++k)
        if (position[k] < 0 || position[k] >= extents_[k])
            throw error(errc::invalid_argument,
                        "mode " + std::to_string(k) + ": index " + std::to_string(position[k]) +
                            " does not lie within extent " + std::to_string(extents_[k]));
    return offset_of(position);
}

bool layout::overlaps_itself() const { return tensor_impl::overlaps_itself(extents_, strides_); }

std::string layout::describe() const {
    return "extents " + list(extents_) + ", strides " + list(strides_);
}

byte_count storage_bytes(const layout &shape, data_type type) {
    index_t size = 0;
    if (__builtin_mul_overflow(shape.size(), size_of(type), &size))
        throw error(errc::overflow,
                    "extents " + list(shape.extents()) + " of " + std::string(name(type)) +
                        " need " + std::to_string(shape.size()) + " x " +
                        std::to_string(size_of(type)) + " bytes, which does not fit 64 bits");
    return bytes(size);
}

} // namespace tenfold
