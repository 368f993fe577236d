// Callers' arrays that hold parts of distributed tensors.
#pragma once

#include <string>
#include <utility>

#include <tenfold/dist.hpp>

#include "distributed/capi/convert.hpp"

namespace tenfold::capi_impl {

/// Where a slice lies: in the tensor, and in a caller's array.
template <class Data> struct transfer {
    slice where = {{}, {}, true};
    layout shape;
    Data *data = nullptr;
};

/// What messages and errors' fields call an array.
struct array_name {
    std::string text = "the array";
    std::string field = "array";
};

/// A slice of a distributed tensor and a caller's array for it. NULL for `array`: no slice. Throws
/// errc::invalid_argument, errc::type_mismatch, and what layout's constructors throw.
template <class Data> transfer<Data> transfer_of(const tenfold_dist_tensor &tensor,
                                                 const std::int64_t *offsets,
                                                 const tenfold_tensor *array, Data *data,
                                                 const array_name &name_of_array = {}) {
    if (array == nullptr)
        return {};
    const input described = input_of(*array, data, {name_of_array.text.c_str()});
    if (described.conjugated())
        refuse(name_of_array.text + " is conjugated; here it cannot be");
    if (described.type() != type_of(tensor))
        throw error(errc::type_mismatch,
                    name_of_array.text + " is " + std::string(name(described.type())) +
                        ", the tensor " + std::string(name(type_of(tensor))),
                    {.first = {.name = name_of_array.field, .type = described.type()},
                     .second = {.name = "tensor", .type = type_of(tensor)}});
    // Member by member: of an aggregate that is returned in braces, GCC 12 destroys members twice
    // if one of them throws.
    transfer<Data> found;
    found.shape = described.shape();
    found.where.extents = found.shape.extents();
    found.where.offsets = offsets != nullptr ? extents_t(offsets, offsets + array->order)
                                             : extents_t(found.where.extents.size());
    found.where.none = false;
    found.data = data;
    return found;
}

/// Calls the caller's function for all positions of a block that has some.
template <class T> void fill_block(const extents_t &offsets, const tensor_view<T> &block,
                                   tenfold_element_function function, void *user) {
    extents_t position = offsets;
    for (index_t i = 0; i < block.size(); ++i) {
        if (const std::int32_t code = function(position.data(), block.data() + i, user); code != 0)
            refuse("the function that fills the tensor returned " + std::to_string(code) +
                   " at position " + position_text(position));
        for (std::size_t mode = 0; mode < position.size(); ++mode) {
            if (++position[mode] < offsets[mode] + block.extent(static_cast<int>(mode)))
                break;
            position[mode] = offsets[mode];
        }
    }
}

} // namespace tenfold::capi_impl
