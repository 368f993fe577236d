// Boxes that callers hold of a tensor, on any ranks.
#pragma once

#include <vector>

#include <tenfold/dist_interchange.hpp>

#include "base/function_ref.hpp"
#include "distributed/comm/agreement.hpp"

namespace tenfold::dist_impl {

/// Makes this rank's boxes, within an agreed step; may throw.
template <class T> using make_boxes = base::function_ref<std::vector<dist_box<T>>()>;

/// How boxes are imported or exported.
struct box_operation {
    const char *name;
    const char *headers; ///< the step that finds memory for what boxes others have
    const char *buffers; ///< the step that finds memory for elements
    describe_call describe;
    bool is_complete = false; ///< every element must be in a box
};

/// Collective. import_boxes(), where the boxes are made.
template <class T>
void import_made(dist_tensor<T> &to, const box_operation &what, make_boxes<const T> boxes);

/// What boxes took on this rank, in bytes.
struct box_report {
    index_t received = 0; ///< of other ranks' elements
    index_t memory = 0;   ///< of messages in both directions
};
/// Collective. export_boxes(), where the boxes are made.
template <class T>
box_report export_made(const dist_tensor<T> &from, const box_operation &what, make_boxes<T> boxes);

} // namespace tenfold::dist_impl
