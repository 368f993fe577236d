// Tests numbers that cannot be: negative ones, ranks that are not there, such as overflow. No rank
// waits, and nothing is written.
#include <string.h>

#include "ranks.h"

static const int64_t huge = INT64_MAX / 2;

static void distributions(void) {
    const int64_t extents[] = {4, 3}, negative[] = {4, -3};
    const int32_t grid[] = {2, 1}, none[] = {0, 1}, large[] = {1 << 30, 1 << 30},
                  minus[] = {-2, -1};
    const int32_t owners[] = {0, 9}, twice[] = {1, 1}, below[] = {0, -1};
    tenfold_distribution_parts parts = TENFOLD_INIT(tenfold_distribution_parts);
    tenfold_distribution *made = NULL;
    int32_t rank = 0, cell = 0, copy = 0;
    int64_t elements = 0;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create(-1, extents, grid, 2, NULL, &made));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create(2, negative, grid, 2, NULL, &made));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create(2, extents, NULL, 2, NULL, &made));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create(2, extents, none, 2, NULL, &made));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create(2, extents, minus, 2, NULL, &made));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create(2, extents, large, 2, NULL, &made));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create(2, extents, grid, 0, NULL, &made));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create(2, extents, grid, -2, NULL, &made));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create(2, extents, grid, 2, owners, &made));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create(2, extents, grid, 2, twice, &made));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create(2, extents, grid, 2, below, &made));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create_block(2, extents, INT32_MAX, &made));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_distribution_create_block(2, extents, -1, &made));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_distribution_create_block(2, negative, 2, &made));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create_on_rank(2, extents, 2, 2, &made));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create_on_rank(2, extents, 2, -1, &made));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create_replicated(2, extents, 4, 0, &made));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_create_replicated(2, extents, 4, 5, &made));
    parts.order = 2;
    parts.extents = extents;
    parts.grid = grid;
    parts.ranks = 2;
    parts.copies = -1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_distribution_create_from_parts(&parts, &made));
    parts.copies = INT32_MAX;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_distribution_create_from_parts(&parts, &made));
    CHECK(made == NULL);
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_create(2, extents, grid, 2, NULL, &made));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_distribution_owner(made, negative, &rank));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_block(made, -1, NULL, NULL, &elements));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_distribution_block(made, 2, NULL, NULL, &elements));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_distribution_cell(made, 2, &cell, &copy));
    tenfold_distribution_destroy(made);
}

static void tensors(void) {
    const int64_t large[] = {huge, huge}, position[] = {5}, outside[] = {-1};
    const tenfold_tensor array = TENSOR(TENFOLD_F64, 4);
    const tenfold_tensor narrow = TENSOR(TENFOLD_F32, 4), flat = {TENFOLD_F64, -1, NULL, NULL, 0};
    tenfold_dist_tensor *const x = MAKE(1, 4), *made = NULL;
    const tenfold_dist_term term = {{1, 0}, x};
    double data[4] = {0}, before[4];
    int64_t found = 0, places[4] = {0};
    for (int64_t i = 0; i < 4; ++i)
        before[i] = value_at(&i, 1, 1);
    FAILS_ON_ALL(TENFOLD_OVERFLOW, "",
                 tenfold_dist_create(everyone, TENFOLD_F64, 2, large, NULL, &made));
    FAILS_ON_ALL(
        TENFOLD_INVALID_ARGUMENT, "order is -7",
        tenfold_dist_create(everyone, TENFOLD_F64, is_last() ? -7 : 1, position, NULL, &made));
    CHECK(made == NULL);
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "", tenfold_dist_gather(x, -1, &array, data));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "", tenfold_dist_gather(x, rank_count, &array, data));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "", tenfold_dist_scatter(x, INT32_MIN, &array, data));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "order is -1",
                 tenfold_dist_read(x, NULL, is_last() ? &flat : &array, data));
    FAILS_ON_ALL(TENFOLD_TYPE_MISMATCH, "",
                 tenfold_dist_write(x, NULL, is_last() ? &narrow : NULL, data));
    FAILS_ON_ALL(TENFOLD_EXTENT_MISMATCH, "",
                 tenfold_dist_read(x, is_last() ? outside : NULL, &array, data));
    FAILS_ON_ALL(TENFOLD_EXTENT_MISMATCH, "", tenfold_dist_write(x, large, &array, data));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "",
                 tenfold_dist_read_elements(x, is_last() ? -1 : 0, NULL, data));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "", tenfold_dist_read_elements(x, 1, outside, data));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "", tenfold_dist_add_elements(x, 1, position, data));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "",
                 tenfold_dist_largest(x, -1, NULL, NULL, NULL, &found));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_largest(x, huge, NULL, places, data, &found));
    CHECK(found == 4); // no more than there are
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "", tenfold_dist_import_boxes(x, NULL, -1));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "", tenfold_dist_combine(&term, INT32_MIN, x));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "", tenfold_dist_map(x, NULL, -1, NULL, NULL));
    CHECK(holds(x, before));
    tenfold_dist_destroy(x);
}

/// What a contraction's options are set to, on the last rank or on all.
static void options(void) {
    tenfold_dist_tensor *const a = MAKE(1, 4, 4), *const d = MAKE(2, 4, 4);
    const tenfold_dist_input inputs[] = {{a, 0}, {a, 0}};
    tenfold_dist_options given = TENFOLD_INIT(tenfold_dist_options);
    tenfold_distribution *spread = NULL;
    tenfold_dist_plan *plan = NULL;
#define REFUSES(member, value)                                                                     \
    do {                                                                                           \
        given.member = (value);                                                                    \
        FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "",                                                 \
                     tenfold_dist_contract("mn=mk*kn", inputs, 2, d, &given, NULL));               \
        memset(&given, 0, sizeof given);                                                           \
        given.size = sizeof given;                                                                 \
    } while (0)
    REFUSES(algorithm, 99);
    REFUSES(tuning, 7);
    REFUSES(threads, -1);
    REFUSES(workspace_limit, -2);
    REFUSES(grid_m, -1);
    REFUSES(grid_k, 1 << 30);
    REFUSES(step_k, -1);
    REFUSES(ranks_per_node, -1);
    if (rank_count > 1)
        REFUSES(threads, is_last() ? -1 : 0);
#undef REFUSES
    CHECK_CODE(TENFOLD_OK, tenfold_dist_distribution(d, &spread));
    {
        const tenfold_distribution *const operands[] = {spread, spread, spread};
        CHECK_CODE(TENFOLD_ORDER_MISMATCH,
                   tenfold_dist_plan_create("mn=mk*kn", TENFOLD_F64, operands, 2, NULL, &plan));
        CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
                   tenfold_dist_plan_create("mn=mk*kn", -1, operands, 3, NULL, &plan));
        CHECK_CODE(
            TENFOLD_INVALID_ARGUMENT,
            tenfold_dist_plan_create("mn=mk*kn", TENFOLD_F64, operands, INT32_MIN, NULL, &plan));
        CHECK(plan == NULL);
        CHECK_CODE(TENFOLD_OK,
                   tenfold_dist_plan_create("mn=mk*kn", TENFOLD_F64, operands, 3, NULL, &plan));
        {
            tenfold_distribution *layout = NULL;
            CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_plan_layout(plan, -1, &layout));
            CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_plan_layout(plan, 3, &layout));
            CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
                       tenfold_dist_plan_step_layout(plan, 0, 3, &layout));
            CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
                       tenfold_dist_plan_step_layout(plan, 1, 0, &layout));
            CHECK(layout == NULL);
        }
        tenfold_dist_plan_destroy(plan);
    }
    tenfold_distribution_destroy(spread);
    tenfold_dist_destroy(a);
    tenfold_dist_destroy(d);
}

static void layouts_and_programs(void) {
    const int64_t extents[] = {4, 4}, negative[] = {4, -4};
    const char *const expressions[] = {"C[i,j]=A[i,k]*B[k,j]"};
    const int64_t minus = -1;
    tenfold_named_extents tensors[] = {{"A", extents, 2}, {"B", extents, 2}, {"C", extents, 2}};
    tenfold_shared_contractions given = TENFOLD_INIT(tenfold_shared_contractions);
    tenfold_planned_layouts *made = NULL;
    tenfold_program *program = NULL;
    tenfold_program_plan *plan = NULL;
    tenfold_program_options how = TENFOLD_INIT(tenfold_program_options);
    tenfold_range_size sizes[] = {{"row", 3}};
    given.expressions = expressions;
    given.expression_count = 1;
    given.tensors = tensors;
    given.tensor_count = 3;
    given.type = TENFOLD_F64;
    for (given.ranks = -1; given.ranks <= 0; ++given.ranks)
        CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_plan_layouts(&given, NULL, &made));
    given.ranks = 2;
    given.times = &minus;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_plan_layouts(&given, NULL, &made));
    given.times = NULL;
    given.type = TENFOLD_I8;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_plan_layouts(&given, NULL, &made));
    CHECK_MESSAGE("layouts are planned for tensors of f32, f64, c32, c64, not of i8");
    given.type = TENFOLD_F64;
    given.memory_per_rank = -1;
    given.copies = 1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_plan_layouts(&given, NULL, &made));
    CHECK_MESSAGE("memory_per_rank is -1 bytes");
    given.memory_per_rank = 0;
    given.expression_count = -1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_plan_layouts(&given, NULL, &made));
    given.expression_count = 1;
    tensors[0].extents = negative;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_plan_layouts(&given, NULL, &made));
    CHECK(made == NULL);

    CHECK_CODE(TENFOLD_OK, tenfold_program_parse(
                               "index i: row\ninput A[i]\noutput n\nn = A[i]*A[i]\n", &program));
    if (program == NULL)
        return;
    sizes[0].size = -3;
    CHECK(tenfold_program_plan_create(program, sizes, 1, 2, NULL, &plan) != TENFOLD_OK);
    sizes[0].size = 3;
    CHECK(tenfold_program_plan_create(program, sizes, 1, 0, NULL, &plan) != TENFOLD_OK);
    CHECK(tenfold_program_plan_create(program, sizes, -1, 2, NULL, &plan) != TENFOLD_OK);
    how.memory_per_rank = -1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_program_plan_create(program, sizes, 1, 2, &how, &plan));
    how.memory_per_rank = 0;
    how.repetitions = -1;
    CHECK(tenfold_program_plan_create(program, sizes, 1, 2, &how, &plan) != TENFOLD_OK);
    CHECK(plan == NULL);
    tenfold_program_destroy(program);
}

static void matrices(void) {
    const int32_t descriptor[] = {1, 0, -4, 4, 0, -1, 7, 7, -2};
    const tenfold_process_grid grid = {0, -1, 3, 3};
    const double local[16] = {0};
    tenfold_block_cyclic matrix;
    tenfold_dist_tensor *const x = MAKE(1, 4, 4);
    int64_t rows = -1, columns = -1;
    memset(&matrix, 0, sizeof matrix);
    if (tenfold_block_cyclic_from_descriptor(descriptor, &grid, &matrix) == TENFOLD_OK) {
        CHECK_CODE(TENFOLD_OK, tenfold_block_cyclic_local(&matrix, &rows, &columns));
        CHECK(rows == 0 && columns == 0);
        CHECK(tenfold_dist_import_block_cyclic(x, &matrix, local) != TENFOLD_OK);
    }
    tenfold_dist_destroy(x);
}

static void files(void) {
    tenfold_dist_tensor *const x = MAKE(1, 4);
    const tenfold_named_tensor named = {"x", x};
    tenfold_file_options options = TENFOLD_INIT(tenfold_file_options);
    tenfold_stored_list *list = NULL;
    tenfold_stored_tensor stored = TENFOLD_INIT(tenfold_stored_tensor);
    options.block_bytes = -1;
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "", tenfold_dist_save_npy("never.npy", x, &options));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "",
                 tenfold_dist_save(everyone, "never", &named, 1, &options));
    options.block_bytes = 0;
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "count is -1",
                 tenfold_dist_save(everyone, "never", &named, is_last() ? -1 : 1, &options));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "tensors is NULL",
                 tenfold_dist_load(everyone, "never", NULL, 1, NULL));
    FAILS_ON_ALL(TENFOLD_IO, "", tenfold_dist_stored(everyone, "/nowhere/never", &list));
    CHECK(list == NULL);
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_stored_get(NULL, -1, &stored));
    tenfold_dist_destroy(x);
}

void wrong_number_tests(void) {
    distributions();
    tensors();
    options();
    layouts_and_programs();
    matrices();
    files();
}
