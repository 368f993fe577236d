// A dense tensor at a chosen position in memory.
#pragma once

#include <tenfold/operand.hpp>

#include "apps/bench/page_memory.hpp"

namespace tenfold::apps_impl {

/// The position of tensors: in which pages, and how far past a 64-byte boundary.
struct placement {
    page_kind pages = page_kind::as_allocated;
    index_t offset = 0; ///< bytes
};

class placed_array {
public:
    /// All zero. Throws errc::overflow, and as page_memory does.
    placed_array(data_type type, layout shape, const placement &where, int threads)
        : type_(type), shape_(std::move(shape)), offset_(where.offset),
          memory_({storage_bytes(shape_, type_).value + offset_}, where.pages, threads) {}

    data_type type() const noexcept { return type_; }
    const layout &shape() const noexcept { return shape_; }
    byte_count size() const noexcept { return {shape_.size() * size_of(type_)}; }

    std::byte *data() noexcept { return memory_.data() + offset_; }
    const std::byte *data() const noexcept { return memory_.data() + offset_; }

    /// The 64-byte boundary before the first element.
    std::byte *boundary() noexcept { return memory_.data(); }
    const std::byte *boundary() const noexcept { return memory_.data(); }

    operator input() const { return {type_, data(), shape_}; }
    operator output() { return {type_, data(), shape_}; }

private:
    data_type type_;
    layout shape_;
    index_t offset_;
    page_memory memory_;
};

} // namespace tenfold::apps_impl
