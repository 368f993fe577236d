// Copies of tensors in another type, for operands of mixed types.
#pragma once

#include <vector>

#include <tenfold/types.hpp>

namespace tenfold::tapp_impl {

/// A loop over one mode: strides in elements, of what is read and of what is written.
struct conversion_loop {
    index_t extent, stride_from, stride_to;
};

/// Copies elements and rounds each once, to nearest even where the new type is less. One thread.
class conversion {
public:
    /// `from` or `to` is a type that is computed in; complex numbers do not become real ones. The
    /// loops are taken as they are, the last one innermost.
    conversion(data_type from, data_type to, std::vector<conversion_loop> loops);

    void run(const void *from, void *to) const noexcept;

private:
    using row_function = void (*)(const void *from, index_t stride_from, void *to,
                                  index_t stride_to, index_t count) noexcept;

    void run_loop(std::size_t loop, const std::byte *from, std::byte *to) const noexcept;
    static row_function row_for(data_type from, data_type to);

    index_t bytes_from_, bytes_to_; ///< of an element
    row_function row_;
    std::vector<conversion_loop> loops_; ///< at least one
};

} // namespace tenfold::tapp_impl
