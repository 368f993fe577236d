// Tests tensors of all element types, and contractions of several types.
#include <string.h>

#include "ranks.h"

static const tenfold_type all_types[] = {TENFOLD_F32, TENFOLD_F64,  TENFOLD_C32,
                                         TENFOLD_C64, TENFOLD_BF16, TENFOLD_F16,
                                         TENFOLD_I8,  TENFOLD_U8,   TENFOLD_I32};
enum { type_count = sizeof all_types / sizeof all_types[0] };

static int is_integer(tenfold_type type) { return type >= TENFOLD_I8; }

static tenfold_dist_tensor *make_typed(tenfold_type type, int32_t order, const int64_t *extents,
                                       double value) {
    const tenfold_scalar element = {value, 0};
    tenfold_dist_tensor *tensor = NULL;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_create(everyone, type, order, extents, NULL, &tensor));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_fill(tensor, &element));
    return tensor;
}

/// Whether all elements are `value`: the least one and the greatest one are.
static int is_all(const tenfold_dist_tensor *tensor, double value) {
    double least = -1, greatest = -1;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_minimum(tensor, &least, NULL));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_maximum(tensor, &greatest, NULL));
    return least == value && greatest == value;
}

/// What each type has: creation, parts, numbers, sums, elements by lists, files, random numbers.
static void of_every_type(tenfold_type type) {
    const int64_t extents[] = {6, 5}, place[] = {5, 4};
    const tenfold_scalar half = {0.5, 0}, two = {2, 0};
    tenfold_dist_tensor *const x = make_typed(type, 2, extents, 3);
    tenfold_dist_tensor *const y = make_typed(type, 2, extents, 1);
    tenfold_dist_part part = TENFOLD_INIT(tenfold_dist_part);
    tenfold_scalar sum = {0, 0}, dot = {0, 0};
    unsigned char element[16] = {0}, zeros[16] = {0};
    double norm = 0;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_local(x, &part));
    CHECK(part.type == type);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_axpy(&two, x, y)); // 7
    CHECK_CODE(TENFOLD_OK, tenfold_dist_sum(x, &sum));
    CHECK(sum.re == 90 && sum.im == 0);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_dot(x, y, &dot)); // 630, and 118 modulo 256
    if (type == TENFOLD_I8 || type == TENFOLD_U8)
        CHECK(dot.re == 118);
    else if (type == TENFOLD_BF16) // 8 bits
        CHECK(dot.re == 632);
    else
        CHECK(dot.re == 630);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_norm1(y, &norm));
    CHECK(norm == 210);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_read_elements(x, 1, place, element));
    CHECK(memcmp(element, zeros, sizeof element) != 0);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_write_elements(y, is_last(), place, zeros));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_norm1(y, &norm));
    CHECK(norm == 203);
    if (is_integer(type)) {
        FAILS_ON_ALL(TENFOLD_TYPE_MISMATCH, "the value is 0.5, but the tensor is",
                     tenfold_dist_fill(x, is_last() ? &half : &two));
        FAILS_ON_ALL(TENFOLD_TYPE_MISMATCH, "the factor is 0.5, but the tensor is",
                     tenfold_dist_scale(&half, x));
        FAILS_ON_ALL(TENFOLD_TYPE_MISMATCH, "integers are not filled with random numbers",
                     tenfold_dist_fill_uniform(x, 1, 0, 1));
    } else {
        CHECK_CODE(TENFOLD_OK, tenfold_dist_scale(&half, x));
        CHECK_CODE(TENFOLD_OK, tenfold_dist_sum(x, &sum));
        CHECK(sum.re == 45);
        CHECK_CODE(TENFOLD_OK, tenfold_dist_fill_normal(x, 1, 100, 1));
        CHECK_CODE(TENFOLD_OK, tenfold_dist_norm_max(x, &norm));
        CHECK(norm > 90 && norm < 150);
    }
    tenfold_dist_destroy(y);
    tenfold_dist_destroy(x);
}

static void bounds_of_integers(void) {
    const struct {
        tenfold_type type;
        double least, greatest;
    } all[] = {
        {TENFOLD_I8, -128, 127}, {TENFOLD_U8, 0, 255}, {TENFOLD_I32, -2147483648.0, 2147483647}};
    const int64_t extents[] = {3};
    for (int i = 0; i < 3; ++i) {
        const tenfold_scalar below = {all[i].least - 1, 0}, above = {all[i].greatest + 1, 0};
        const tenfold_scalar much = {1e300, 0}, least = {all[i].least, 0};
        tenfold_dist_tensor *const x = make_typed(all[i].type, 1, extents, all[i].greatest);
        CHECK(is_all(x, all[i].greatest));
        FAILS_ON_ALL(TENFOLD_TYPE_MISMATCH, "the value is", tenfold_dist_fill(x, &below));
        FAILS_ON_ALL(TENFOLD_TYPE_MISMATCH, "the value is", tenfold_dist_fill(x, &above));
        FAILS_ON_ALL(TENFOLD_TYPE_MISMATCH, "the value is 1.0000000000000001e+300",
                     tenfold_dist_fill(x, &much));
        CHECK(is_all(x, all[i].greatest));
        CHECK_CODE(TENFOLD_OK, tenfold_dist_fill(x, &least));
        CHECK(is_all(x, all[i].least));
        tenfold_dist_destroy(x);
    }
}

/// D(m, n) = sum of A(m, k) B(k, n), of small integers, which all types hold.
static void mixtures(void) {
    static const tenfold_type all[][3] = {
        {TENFOLD_BF16, TENFOLD_BF16, TENFOLD_F32}, {TENFOLD_BF16, TENFOLD_BF16, TENFOLD_BF16},
        {TENFOLD_F16, TENFOLD_F16, TENFOLD_F32},   {TENFOLD_F16, TENFOLD_F32, TENFOLD_F16},
        {TENFOLD_F32, TENFOLD_F64, TENFOLD_F64},   {TENFOLD_I8, TENFOLD_I8, TENFOLD_I32},
        {TENFOLD_U8, TENFOLD_I8, TENFOLD_I32},     {TENFOLD_I32, TENFOLD_I32, TENFOLD_I32}};
    const int64_t mk[] = {6, 7}, kn[] = {7, 5}, mn[] = {6, 5};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        tenfold_dist_tensor *const a = make_typed(all[i][0], 2, mk, 3);
        tenfold_dist_tensor *const b = make_typed(all[i][1], 2, kn, 2);
        tenfold_dist_tensor *const d = make_typed(all[i][2], 2, mn, 1);
        const tenfold_dist_input inputs[] = {{a, 0}, {b, 0}, {b, 0}};
        const tenfold_scalar alpha = {2, 0}, beta = {-4, 0};
        tenfold_dist_options options = TENFOLD_INIT(tenfold_dist_options);
        options.alpha = &alpha;
        options.beta = &beta;
        CHECK_CODE(TENFOLD_OK, tenfold_dist_contract("mn=mk*kn", inputs, 2, d, &options, NULL));
        CHECK(is_all(d, 80)); // 2 * 42 - 4
        tenfold_dist_destroy(d);
        // Three inputs, with an intermediate of the type of the sums.
        tenfold_dist_tensor *const e = make_typed(all[i][2], 2, mk, 0);
        CHECK_CODE(TENFOLD_OK, tenfold_dist_contract("ml=mk*kn*ln", inputs, 3, e, NULL, NULL));
        CHECK(is_all(e, 420)); // 3 * 2 * 2 * 7 * 5, a number of bf16, too
        tenfold_dist_destroy(e);
        tenfold_dist_destroy(b);
        tenfold_dist_destroy(a);
    }
}

/// A real tensor times a conjugated complex one, and one input as a conversion.
static void complex_and_conversions(void) {
    const int64_t mk[] = {4, 3}, kn[] = {3, 2}, mn[] = {4, 2};
    const tenfold_scalar number = {1, 2};
    tenfold_dist_tensor *const real = make_typed(TENFOLD_F32, 2, mk, 2);
    tenfold_dist_tensor *const turned = make_typed(TENFOLD_C64, 2, kn, 0);
    tenfold_dist_tensor *const d = make_typed(TENFOLD_C64, 2, mn, 0);
    tenfold_dist_tensor *const half = make_typed(TENFOLD_F16, 2, mk, 0);
    tenfold_dist_tensor *const other = make_typed(TENFOLD_F16, 2, mn, 0);
    const tenfold_dist_input inputs[] = {{real, 0}, {turned, 1}};
    tenfold_scalar sum = {0, 0};
    CHECK_CODE(TENFOLD_OK, tenfold_dist_fill(turned, &number));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_contract("mn=mk*kn", inputs, 2, d, NULL, NULL));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_sum(d, &sum));
    CHECK(sum.re == 48 && sum.im == -96); // 8 times 3 * 2 * (1 - 2i)
    CHECK_CODE(TENFOLD_OK, tenfold_dist_contract("mk=mk", inputs, 1, half, NULL, NULL));
    CHECK(is_all(half, 2));
    FAILS_ON_ALL(TENFOLD_TYPE_MISMATCH, "B is c64 and D is f16; D must be c64",
                 tenfold_dist_contract("mn=mk*kn",
                                       (const tenfold_dist_input[]){{half, 0}, {turned, 0}}, 2,
                                       other, NULL, NULL));
    tenfold_dist_destroy(other);
    tenfold_dist_destroy(half);
    tenfold_dist_destroy(d);
    tenfold_dist_destroy(turned);
    tenfold_dist_destroy(real);
}

static void refused_mixtures(void) {
    const int64_t extents[] = {4, 4};
    tenfold_dist_tensor *const unsigned_one = make_typed(TENFOLD_U8, 2, extents, 3);
    tenfold_dist_tensor *const bytes = make_typed(TENFOLD_I8, 2, extents, 3);
    tenfold_dist_tensor *const integers = make_typed(TENFOLD_I32, 2, extents, 7);
    const tenfold_dist_input twice[] = {{unsigned_one, 0}, {unsigned_one, 0}};
    const tenfold_dist_input inputs[] = {{bytes, 0}, {bytes, 0}};
    const tenfold_scalar half = {0.5, 0};
    tenfold_dist_options options = TENFOLD_INIT(tenfold_dist_options);
    FAILS_ON_ALL(TENFOLD_TYPE_MISMATCH, "",
                 tenfold_dist_contract("mn=mk*kn", twice, 2, integers, NULL, NULL));
    tenfold_dist_tensor *const narrow = make_typed(TENFOLD_I8, 2, extents, 7);
    FAILS_ON_ALL(TENFOLD_TYPE_MISMATCH, "",
                 tenfold_dist_contract("mn=mk*kn", inputs, 2, narrow, NULL, NULL));
    CHECK(is_all(narrow, 7));
    tenfold_dist_destroy(narrow);
    options.alpha = &half;
    FAILS_ON_ALL(TENFOLD_TYPE_MISMATCH, "alpha and beta of a contraction of integers",
                 tenfold_dist_contract("mn=mk*kn", inputs, 2, integers, &options, NULL));
    CHECK(is_all(integers, 7));
    // Ranks that pass tensors of different types.
    if (rank_count > 1) {
        tenfold_dist_input other[2];
        memcpy(other, inputs, sizeof other);
        other[1].tensor = is_last() ? unsigned_one : bytes;
        FAILS_ON_ALL(TENFOLD_DISAGREEMENT, "type",
                     tenfold_dist_contract("mn=mk*kn", other, 2, integers, NULL, NULL));
    }
    tenfold_dist_destroy(integers);
    tenfold_dist_destroy(bytes);
    tenfold_dist_destroy(unsigned_one);
}

static void plans(void) {
    const int64_t extents[] = {64, 64};
    const tenfold_type half[] = {TENFOLD_BF16, TENFOLD_BF16, TENFOLD_F32};
    const tenfold_type whole[] = {TENFOLD_F32, TENFOLD_F32, TENFOLD_F32};
    const tenfold_type wrong[] = {TENFOLD_F64, TENFOLD_F32, TENFOLD_F32};
    const tenfold_type three[] = {TENFOLD_I8, TENFOLD_I8, TENFOLD_I8, TENFOLD_I32};
    tenfold_distribution *spread = NULL;
    tenfold_dist_options options = TENFOLD_INIT(tenfold_dist_options);
    tenfold_dist_plan_summary of_half = TENFOLD_INIT(tenfold_dist_plan_summary);
    tenfold_dist_plan_summary of_whole = TENFOLD_INIT(tenfold_dist_plan_summary);
    tenfold_dist_plan *plan = NULL;
    uint64_t hash = 0, same = 1;
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_create_block(2, extents, 4, &spread));
    const tenfold_distribution *const operands[] = {spread, spread, spread, spread};
    options.grid_batch = options.grid_k = 1;
    options.grid_m = options.grid_n = 2;
    CHECK_CODE(TENFOLD_OK,
               tenfold_dist_plan_create_mixed("ab=ak*kb", half, operands, 3, &options, &plan));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_summarise(plan, &of_half));
    tenfold_dist_plan_destroy(plan);
    CHECK_CODE(TENFOLD_OK,
               tenfold_dist_plan_create_mixed("ab=ak*kb", whole, operands, 3, &options, &plan));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_summarise(plan, &of_whole));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_hash(plan, &hash));
    tenfold_dist_plan_destroy(plan);
    CHECK(of_half.bytes_received > 0 && 2 * of_half.bytes_received == of_whole.bytes_received);
    CHECK_CODE(TENFOLD_OK,
               tenfold_dist_plan_create("ab=ak*kb", TENFOLD_F32, operands, 3, &options, &plan));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_plan_hash(plan, &same));
    CHECK(hash == same);
    tenfold_dist_plan_destroy(plan);
    CHECK_CODE(TENFOLD_OK,
               tenfold_dist_plan_create_mixed("ad=ab*bc*cd", three, operands, 4, NULL, &plan));
    tenfold_dist_plan_destroy(plan);
    plan = (tenfold_dist_plan *)&plan;
    CHECK_CODE(TENFOLD_TYPE_MISMATCH,
               tenfold_dist_plan_create_mixed("ab=ak*kb", wrong, operands, 3, NULL, &plan));
    CHECK(plan == NULL);
    CHECK_MESSAGE("A is f64 and D is f32; D must be f64 or c64");
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_dist_plan_create_mixed("ab=ak*kb", (const tenfold_type[]){0, 0, 99},
                                              operands, 3, NULL, &plan));
    CHECK_MESSAGE("not of unknown (99)");
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT,
               tenfold_dist_plan_create_mixed("ab=ak*kb", NULL, operands, 3, NULL, &plan));
    CHECK_MESSAGE("types is NULL");
    tenfold_distribution_destroy(spread);
}

void type_tests(void) {
    for (int i = 0; i < type_count; ++i)
        of_every_type(all_types[i]);
    bounds_of_integers();
    mixtures();
    complex_and_conversions();
    refused_mixtures();
    plans();
}
