// A dense tensor whose element type is known at run time only.
#pragma once

#include <cstddef>
#include <memory>

#include <tenfold/operand.hpp>

namespace tenfold::apps_impl {

class host_array {
public:
    /// Does not initialise the elements. Aligned as tenfold::tensor. Throws errc::overflow and
    /// errc::out_of_memory.
    host_array(data_type type, layout shape)
        : type_(type), shape_(std::move(shape)),
          memory_(static_cast<std::byte *>(base::allocate_aligned(storage_bytes(shape_, type_)))) {}

    data_type type() const noexcept { return type_; }
    const layout &shape() const noexcept { return shape_; }
    byte_count size() const noexcept { return {shape_.size() * size_of(type_)}; }

    std::byte *data() noexcept { return memory_.get(); }
    const std::byte *data() const noexcept { return memory_.get(); }

    operator input() const { return {type_, memory_.get(), shape_}; }
    operator output() { return {type_, memory_.get(), shape_}; }

private:
    data_type type_;
    layout shape_;
    std::unique_ptr<std::byte, base::aligned_deleter> memory_;
};

} // namespace tenfold::apps_impl
