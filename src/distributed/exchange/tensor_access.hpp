// The library's own way to the elements of a distributed tensor.
#pragma once

#include <string>

#include <tenfold/dist.hpp>
#include <tenfold/error.hpp>

namespace tenfold::dist_impl {

struct tensor_access {
    /// This rank's elements, for a function that leaves copies equal.
    template <class T> static T *elements(dist_tensor<T> &tensor) noexcept {
        return tensor.data_.get();
    }

    /// Throws errc::invalid_argument if copies may differ. `what`: the tensor, for messages.
    template <class T>
    static void check_copies(const dist_tensor<T> &tensor, const std::string &what) {
        if (tensor.written_by_hand_)
            throw error(errc::invalid_argument,
                        what + " has " + std::to_string(tensor.spread_.copies()) +
                            " copies, which may differ since local() or data() gave access to "
                            "write one of them, or since a call that writes them failed or was "
                            "stopped; call refresh() before it is read");
    }

    /// After a call that writes copies has ended before its end.
    template <class T> static void copies_may_differ(dist_tensor<T> &tensor) noexcept {
        tensor.written_by_hand_ = tensor.spread_.copies() > 1;
    }

    /// After every element was written in all copies.
    template <class T> static void copies_are_equal(dist_tensor<T> &tensor) noexcept {
        tensor.written_by_hand_ = false;
    }
};

} // namespace tenfold::dist_impl
