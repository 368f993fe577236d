// The extents of an output, for callers who have to make it.
#include <algorithm>
#include <vector>

#include "capi/convert.hpp"
#include "capi/structs.hpp"

using namespace tenfold::capi_impl;

namespace {

static_assert(TENFOLD_MOST_MODES == tenfold::most_modes);

void give_extents(const tenfold::contraction_spec &spec, const tenfold_tensor *inputs,
                  std::int64_t *extents, std::int32_t *order) {
    std::vector<tenfold::layout> shapes;
    const auto count = static_cast<std::int32_t>(spec.inputs.size());
    for (std::int32_t i = 0; i < count; ++i)
        shapes.push_back(shape_of(inputs[i], {.index = i, .count = count}).to_layout());
    const tenfold::extents_t found = tenfold::output_extents(spec, shapes);
    std::copy(found.begin(), found.end(), extents);
    *order = static_cast<std::int32_t>(found.size());
}

} // namespace

tenfold_error tenfold_output_extents(const char *expression, const tenfold_tensor *inputs,
                                     int32_t input_count, const tenfold_contract_options *options,
                                     int64_t *extents, int32_t *order) {
    return guarded([&] {
        require(expression, "expression");
        require(extents, "extents");
        require(order, "order");
        tenfold::contraction_spec spec = tenfold::parse(expression, orders_of(inputs, input_count));
        if (taken(options, "contract options").broadcast != 0)
            spec.broadcast = true;
        give_extents(spec, inputs, extents, order);
    });
}

tenfold_error tenfold_output_extents_of_labels(const tenfold_label_lists *labels,
                                               const tenfold_tensor *inputs, int64_t *extents,
                                               int32_t *order) {
    return guarded([&] {
        require(labels, "labels");
        require(extents, "extents");
        require(order, "order");
        const tenfold::contraction_spec spec =
            tenfold::parse(lists_of(labels), orders_of(inputs, labels->input_count));
        give_extents(spec, inputs, extents, order);
    });
}
