// The library's own way to the elements of a distributed tensor.
#pragma once

#include <string>

#include <tenfold/dist_mixed.hpp>
#include <tenfold/error.hpp>

namespace tenfold::dist_impl {

struct tensor_access {
    /// This rank's elements, for a function that leaves copies equal.
    template <class T> static T *elements(dist_tensor<T> &tensor) noexcept {
        return tensor.data_.get();
    }

    /// Collective. As the constructor, but copies no extents: a rank without memory for them would
    /// throw alone. `operation`: a string literal.
    template <class T> static dist_tensor<T> make(const char *operation, const world &where,
                                                  const extents_t &extents, distribution &spread) {
        dist_tensor<T> made(where);
        made.create(operation, extents, &spread);
        return made;
    }

    template <class T> static any_dist_tensor any(const dist_tensor<T> &tensor) noexcept {
        auto &its = const_cast<dist_tensor<T> &>(tensor);
        return {data_type_of<T>,      &tensor,        &tensor.world_,  &tensor.spread_,
                &tensor.local_slice_, tensor.number_, its.data_.get(), &its.written_by_hand_};
    }

    /// Throws errc::invalid_argument if copies may differ. `what`: the tensor, for messages.
    template <class T>
    static void check_copies(const dist_tensor<T> &tensor, const std::string &what) {
        check_copies(any(tensor), what);
    }
    static void check_copies(const any_dist_tensor &tensor, const std::string &what) {
        if (*tensor.written_by_hand)
            throw error(errc::invalid_argument,
                        what + " has " + std::to_string(tensor.spread->copies()) +
                            " copies, which may differ since local() or data() gave access to "
                            "write one of them, or since a call that writes them failed or was "
                            "stopped; call refresh() before it is read");
    }

    /// After a call that writes copies has ended before its end.
    template <class T> static void copies_may_differ(dist_tensor<T> &tensor) noexcept {
        tensor.written_by_hand_ = tensor.spread_.copies() > 1;
    }

    static void copies_may_differ(const any_dist_tensor &tensor) noexcept {
        *tensor.written_by_hand = tensor.spread->copies() > 1;
    }

    /// After every element was written in all copies.
    template <class T> static void copies_are_equal(dist_tensor<T> &tensor) noexcept {
        tensor.written_by_hand_ = false;
    }
};

} // namespace tenfold::dist_impl
