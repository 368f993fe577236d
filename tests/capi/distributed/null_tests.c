// Tests NULL where something is needed: an error on every rank if one rank passes it to a
// collective call, and no crash.
#include "ranks.h"

/// A local call that lacks `what`.
#define LACKS(what, call)                                                                          \
    do {                                                                                           \
        CHECK_CODE(TENFOLD_INVALID_ARGUMENT, call);                                                \
        CHECK_MESSAGE(what " is NULL");                                                            \
    } while (0)

/// A collective call that lacks `what` on the last rank.
#define LACKS_ON_ONE(what, call) FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, what " is NULL", call)

static void destroying_nothing(void) {
    tenfold_world_destroy(NULL);
    tenfold_distribution_destroy(NULL);
    tenfold_dist_destroy(NULL);
    tenfold_dist_plan_destroy(NULL);
    tenfold_dist_record_destroy(NULL);
    tenfold_stored_destroy(NULL);
    tenfold_dist_trace_destroy(NULL);
    tenfold_planned_layouts_destroy(NULL);
    tenfold_item_list_destroy(NULL);
}

static void worlds_and_distributions(void) {
    const int64_t extents[] = {2};
    const int32_t grid[] = {1};
    tenfold_distribution_parts parts = TENFOLD_INIT(tenfold_distribution_parts);
    tenfold_distribution *spread = NULL;
    const char *text;
    int64_t elements;
    int32_t number;
    MPI_Comm comm;
    LACKS("world", tenfold_world_rank(NULL, &number));
    LACKS("rank", tenfold_world_rank(everyone, NULL));
    LACKS("world", tenfold_world_size(NULL, &number));
    LACKS("size", tenfold_world_size(everyone, NULL));
    LACKS("world", tenfold_world_threads(NULL, &number));
    LACKS("threads", tenfold_world_threads(everyone, NULL));
    LACKS("world", tenfold_world_ranks_per_node(NULL, &number));
    LACKS("ranks_per_node", tenfold_world_ranks_per_node(everyone, NULL));
    LACKS("world", tenfold_world_comm(NULL, &comm));
    LACKS("comm", tenfold_world_comm(everyone, NULL));
    LACKS("world", tenfold_world_agree(NULL, TENFOLD_OK, NULL));
    LACKS("distribution", tenfold_distribution_create(1, extents, grid, 1, NULL, NULL));
    LACKS("distribution", tenfold_distribution_create_block(1, extents, 1, NULL));
    LACKS("distribution", tenfold_distribution_create_on_rank(1, extents, 1, 0, NULL));
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_create_block(1, extents, 1, &spread));
    LACKS("distribution", tenfold_distribution_describe(NULL, &parts));
    LACKS("parts", tenfold_distribution_describe(spread, NULL));
    LACKS("distribution", tenfold_distribution_text(NULL, &text));
    LACKS("text", tenfold_distribution_text(spread, NULL));
    LACKS("distribution", tenfold_distribution_block(NULL, 0, NULL, NULL, NULL));
    LACKS("distribution", tenfold_distribution_owner(NULL, extents, &number));
    LACKS("position", tenfold_distribution_owner(spread, NULL, &number));
    LACKS("rank", tenfold_distribution_owner(spread, extents, NULL));
    LACKS("distribution", tenfold_distribution_create_replicated(1, extents, 1, 1, NULL));
    LACKS("distribution", tenfold_distribution_create_from_parts(&parts, NULL));
    LACKS("distribution", tenfold_distribution_cell(NULL, 0, &number, NULL));
    LACKS("distribution", tenfold_distribution_largest_block(NULL, &elements));
    LACKS("elements", tenfold_distribution_largest_block(spread, NULL));
    LACKS("one", tenfold_distribution_equal(NULL, spread, &number));
    LACKS("other", tenfold_distribution_equal(spread, NULL, &number));
    LACKS("equal", tenfold_distribution_equal(spread, spread, NULL));
    tenfold_distribution_destroy(spread);
}

/// Handles that no rank has: each rank finds out for itself.
static void handles(void) {
    const tenfold_scalar one = {1, 0};
    const tenfold_tensor array = TENSOR(TENFOLD_F64, 2);
    tenfold_dist_part part = TENFOLD_INIT(tenfold_dist_part);
    tenfold_dist_tensor *made;
    tenfold_world *world;
    tenfold_distribution *spread;
    tenfold_stored_list *list;
    tenfold_item_list *items;
    tenfold_scalar dot;
    double data[2] = {0, 0};
    LACKS("world", tenfold_dist_create(NULL, TENFOLD_F64, 0, NULL, NULL, &made));
    LACKS("tensor", tenfold_dist_local(NULL, &part));
    LACKS("tensor", tenfold_dist_local_to_write(NULL, &part));
    LACKS("tensor", tenfold_dist_refresh(NULL));
    LACKS("tensor", tenfold_dist_distribution(NULL, &spread));
    LACKS("tensor", tenfold_dist_world(NULL, &world));
    LACKS("tensor", tenfold_dist_fill(NULL, &one));
    LACKS("tensor", tenfold_dist_fill_by(NULL, NULL, NULL));
    LACKS("tensor", tenfold_dist_read(NULL, NULL, &array, data));
    LACKS("tensor", tenfold_dist_write(NULL, NULL, &array, data));
    LACKS("tensor", tenfold_dist_gather_slice(NULL, NULL, &array, data));
    LACKS("tensor", tenfold_dist_gather(NULL, 0, &array, data));
    LACKS("tensor", tenfold_dist_scatter(NULL, 0, &array, data));
    LACKS("tensor", tenfold_dist_redistribute(NULL, NULL, &made));
    LACKS("tensor", tenfold_dist_norm(NULL, data));
    LACKS("a", tenfold_dist_dot(NULL, NULL, &dot));
    LACKS("y", tenfold_dist_copy(NULL, NULL));
    LACKS("d", tenfold_dist_combine(NULL, 0, NULL));
    LACKS("y", tenfold_dist_axpy(&one, NULL, NULL));
    LACKS("x", tenfold_dist_scale(&one, NULL));
    LACKS("b", tenfold_dist_transpose("a=a", NULL, NULL, NULL, NULL, NULL));
    LACKS("d", tenfold_dist_map(NULL, NULL, 0, NULL, NULL));
    LACKS("tensor", tenfold_dist_sum(NULL, &dot));
    LACKS("tensor", tenfold_dist_norm1(NULL, data));
    LACKS("tensor", tenfold_dist_norm_max(NULL, data));
    LACKS("tensor", tenfold_dist_minimum(NULL, data, NULL));
    LACKS("tensor", tenfold_dist_maximum(NULL, data, NULL));
    LACKS("tensor", tenfold_dist_scalar(NULL, &dot));
    LACKS("tensor", tenfold_dist_largest(NULL, 0, NULL, NULL, NULL, NULL));
    LACKS("tensor", tenfold_dist_fill_uniform(NULL, 1, 0, 1));
    LACKS("tensor", tenfold_dist_fill_normal(NULL, 1, 0, 1));
    LACKS("tensor", tenfold_dist_read_elements(NULL, 0, NULL, data));
    LACKS("tensor", tenfold_dist_write_elements(NULL, 0, NULL, data));
    LACKS("tensor", tenfold_dist_add_elements(NULL, 0, NULL, data));
    LACKS("tensor", tenfold_dist_import_boxes(NULL, NULL, 0));
    LACKS("tensor", tenfold_dist_export_boxes(NULL, NULL, 0));
    LACKS("tensor", tenfold_dist_import_block_cyclic(NULL, NULL, data));
    LACKS("tensor", tenfold_dist_export_block_cyclic(NULL, NULL, data));
    LACKS("d", tenfold_dist_contract("a=a", NULL, 1, NULL, NULL, NULL));
    LACKS("d", tenfold_dist_contract_recorded("a=a", NULL, 1, NULL, NULL, NULL));
    LACKS("world", tenfold_world_split(NULL, 0, &world));
    LACKS("world", tenfold_world_split_by_node(NULL, &world));
    LACKS("x", tenfold_dist_copy_to_part(NULL, NULL));
    LACKS("x", tenfold_dist_copy_from_part(NULL, NULL));
    LACKS("p", tenfold_dist_pack_pairs(NULL, 0, TENFOLD_PAIRS_SYMMETRIC, NULL));
    LACKS("x", tenfold_dist_unpack_pairs(NULL, 0, TENFOLD_PAIRS_SYMMETRIC, NULL));
    LACKS("world", tenfold_gather_lists(NULL, 8, data, 1, 0, &items));
    LACKS("world", tenfold_all_gather_lists(NULL, 8, data, 1, &items));
    LACKS("world", tenfold_scatter_lists(NULL, 8, data, NULL, 0, &items));
    LACKS("world", tenfold_for_each_task(NULL, 0, NULL, NULL, NULL));
    LACKS("world", tenfold_for_each_piece(NULL, 0, NULL, NULL, NULL));
    LACKS("world", tenfold_dist_save(NULL, "x", NULL, 0, NULL));
    LACKS("world", tenfold_dist_load(NULL, "x", NULL, 0, NULL));
    LACKS("tensor", tenfold_dist_save_npy("x", NULL, NULL));
    LACKS("tensor", tenfold_dist_load_npy("x", NULL, NULL));
    LACKS("world", tenfold_dist_save_hdf5(NULL, "x", NULL, 0, NULL));
    LACKS("world", tenfold_dist_load_hdf5(NULL, "x", NULL, 0, NULL));
    LACKS("world", tenfold_dist_stored(NULL, "x", &list));
    LACKS("world", tenfold_dist_stored_npy(NULL, "x", &list));
    LACKS("world", tenfold_dist_stored_hdf5(NULL, "x", "y", &list));
}

static void places_and_arguments(void) {
    const int64_t extents[] = {4};
    const tenfold_scalar one = {1, 0};
    tenfold_dist_tensor *const tensor = MAKE(1, 4);
    tenfold_dist_tensor *made = NULL;
    tenfold_distribution *spread = NULL;
    tenfold_stored_list *list = NULL;
    tenfold_scalar dot;
    double norm;
    int32_t count;
    LACKS_ON_ONE("tensor", tenfold_dist_create(everyone, TENFOLD_F64, 1, extents, NULL,
                                               is_last() ? NULL : &made));
    CHECK(made == NULL);
    LACKS_ON_ONE("extents", tenfold_dist_create(everyone, TENFOLD_F64, 1,
                                                is_last() ? NULL : extents, NULL, &made));
    CHECK(made == NULL);
    LACKS_ON_ONE("value", tenfold_dist_fill(tensor, is_last() ? NULL : &one));
    LACKS_ON_ONE("function", tenfold_dist_fill_by(tensor, NULL, NULL));
    LACKS_ON_ONE("norm", tenfold_dist_norm(tensor, is_last() ? NULL : &norm));
    LACKS_ON_ONE("dot", tenfold_dist_dot(tensor, tensor, is_last() ? NULL : &dot));
    LACKS_ON_ONE("b", tenfold_dist_dot(tensor, is_last() ? NULL : tensor, &dot));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_distribution(tensor, &spread));
    LACKS_ON_ONE("made", tenfold_dist_redistribute(tensor, spread, is_last() ? NULL : &made));
    LACKS_ON_ONE("distribution",
                 tenfold_dist_redistribute(tensor, is_last() ? NULL : spread, &made));
    CHECK(made == NULL);
    LACKS_ON_ONE("list", tenfold_dist_stored(everyone, "x", is_last() ? NULL : &list));
    CHECK(list == NULL);
    LACKS("part", tenfold_dist_local(tensor, NULL));
    LACKS("part", tenfold_dist_local_to_write(tensor, NULL));
    LACKS("distribution", tenfold_dist_distribution(tensor, NULL));
    LACKS("world", tenfold_dist_world(tensor, NULL));
    LACKS("list", tenfold_stored_count(NULL, &count));
    LACKS("list", tenfold_stored_get(NULL, 0, NULL));
    tenfold_distribution_destroy(spread);
    tenfold_dist_destroy(tensor);
}

static void operations(void) {
    const tenfold_process_grid grid = {1, 1, 0, 0};
    const int32_t descriptor[] = {1, 0, 4, 1, 1, 1, 0, 0, 4};
    tenfold_dist_tensor *const tensor = MAKE(1, 4);
    tenfold_block_cyclic matrix = {0};
    tenfold_scalar number;
    double values[4] = {0};
    int64_t count;
    LACKS_ON_ONE("x", tenfold_dist_copy(is_last() ? NULL : tensor, tensor));
    LACKS_ON_ONE("x", tenfold_dist_axpy(NULL, is_last() ? NULL : tensor, tensor));
    LACKS_ON_ONE("factor", tenfold_dist_scale(NULL, tensor));
    LACKS_ON_ONE("terms", tenfold_dist_combine(NULL, 1, tensor));
    LACKS_ON_ONE("expression", tenfold_dist_transpose(NULL, tensor, NULL, tensor, NULL, NULL));
    LACKS_ON_ONE("a", tenfold_dist_transpose("a=a", NULL, NULL, tensor, NULL, NULL));
    LACKS_ON_ONE("function", tenfold_dist_map(tensor, NULL, 0, NULL, NULL));
    LACKS_ON_ONE("sum", tenfold_dist_sum(tensor, is_last() ? NULL : &number));
    LACKS_ON_ONE("norm", tenfold_dist_norm1(tensor, NULL));
    LACKS_ON_ONE("norm", tenfold_dist_norm_max(tensor, NULL));
    LACKS_ON_ONE("value", tenfold_dist_minimum(tensor, is_last() ? NULL : values, NULL));
    LACKS_ON_ONE("value", tenfold_dist_maximum(tensor, NULL, NULL));
    LACKS_ON_ONE("value", tenfold_dist_scalar(tensor, NULL));
    LACKS_ON_ONE("found", tenfold_dist_largest(tensor, 0, NULL, NULL, NULL, NULL));
    LACKS_ON_ONE("values", tenfold_dist_largest(tensor, 1, NULL, NULL, NULL, &count));
    LACKS_ON_ONE("values", tenfold_dist_read_elements(tensor, 1, NULL, NULL));
    LACKS_ON_ONE("boxes", tenfold_dist_import_boxes(tensor, NULL, 1));
    LACKS_ON_ONE("boxes", tenfold_dist_export_boxes(tensor, NULL, is_last()));
    LACKS_ON_ONE("matrix", tenfold_dist_import_block_cyclic(tensor, NULL, values));
    LACKS_ON_ONE("matrix", tenfold_dist_export_block_cyclic(tensor, NULL, values));
    LACKS("descriptor", tenfold_block_cyclic_from_descriptor(NULL, &grid, &matrix));
    LACKS("grid", tenfold_block_cyclic_from_descriptor(descriptor, NULL, &matrix));
    LACKS("matrix", tenfold_block_cyclic_from_descriptor(descriptor, &grid, NULL));
    LACKS("matrix", tenfold_block_cyclic_local(NULL, &count, &count));
    LACKS("rows", tenfold_block_cyclic_local(&matrix, NULL, &count));
    LACKS("columns", tenfold_block_cyclic_local(&matrix, &count, NULL));
    tenfold_dist_destroy(tensor);
}

static void plans(void) {
    const int64_t extents[] = {4};
    tenfold_dist_plan_summary summary = TENFOLD_INIT(tenfold_dist_plan_summary);
    tenfold_distribution *spread = NULL, *layout = NULL;
    tenfold_dist_plan *plan = NULL;
    const size_t *multiplied;
    const char *text;
    int32_t count;
    uint64_t hash;
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_create_block(1, extents, 2, &spread));
    const tenfold_distribution *const operands[] = {spread, spread};
    const tenfold_distribution *const lacking[] = {spread, NULL};
    LACKS("plan", tenfold_dist_plan_create("a=a", TENFOLD_F64, operands, 2, NULL, NULL));
    LACKS("expression", tenfold_dist_plan_create(NULL, TENFOLD_F64, operands, 2, NULL, &plan));
    LACKS("operands", tenfold_dist_plan_create("a=a", TENFOLD_F64, NULL, 2, NULL, &plan));
    LACKS("operand 1", tenfold_dist_plan_create("a=a", TENFOLD_F64, lacking, 2, NULL, &plan));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_create("a=a", TENFOLD_F64, operands, 2, NULL, &plan));
    LACKS("plan", tenfold_dist_plan_explain(NULL, &text));
    LACKS("text", tenfold_dist_plan_explain(plan, NULL));
    LACKS("plan", tenfold_dist_plan_json(NULL, &text));
    LACKS("text", tenfold_dist_plan_json(plan, NULL));
    LACKS("plan", tenfold_dist_plan_summarise(NULL, &summary));
    LACKS("summary", tenfold_dist_plan_summarise(plan, NULL));
    LACKS("plan", tenfold_dist_plan_step(NULL, 0, &summary, &text));
    LACKS("summary", tenfold_dist_plan_step(plan, 0, NULL, &text));
    LACKS("plan", tenfold_dist_plan_layout(NULL, 0, &layout));
    LACKS("distribution", tenfold_dist_plan_layout(plan, 0, NULL));
    LACKS("plan", tenfold_dist_plan_step_layout(NULL, 0, 0, &layout));
    LACKS("distribution", tenfold_dist_plan_step_layout(plan, 0, 0, NULL));
    LACKS("plan", tenfold_dist_plan_step_result(NULL, 0, &layout));
    LACKS("distribution", tenfold_dist_plan_step_result(plan, 0, NULL));
    LACKS("plan", tenfold_dist_plan_step_operands(NULL, 0, &multiplied, &count));
    LACKS("operands", tenfold_dist_plan_step_operands(plan, 0, NULL, &count));
    LACKS("count", tenfold_dist_plan_step_operands(plan, 0, &multiplied, NULL));
    LACKS("plan", tenfold_dist_plan_hash(NULL, &hash));
    LACKS("hash", tenfold_dist_plan_hash(plan, NULL));
    tenfold_dist_plan_destroy(plan);
    tenfold_distribution_destroy(spread);
}

void null_tests(void) {
    destroying_nothing();
    worlds_and_distributions();
    handles();
    places_and_arguments();
    operations();
    plans();
}
