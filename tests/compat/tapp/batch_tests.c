// Products of one form, by arrays of addresses.
#include <stdint.h>
#include <string.h>

#include "check.h"

enum { entries = 3 };

typedef struct batch {
    matrix_data data[entries];
    const void *a[entries], *b[entries], *c[entries];
    void *d[entries];
} batch;

static void set_up(batch *all) {
    for (int i = 0; i < entries; ++i) {
        matrix_data *const one = &all->data[i];
        *one = make_data();
        all->a[i] = one->a;
        all->b[i] = one->b;
        all->c[i] = one->c;
        all->d[i] = one->d;
    }
}

static int entry_of(TAPP_status status) {
    void *value = NULL;
    return TAPP_attr_get(status, TENFOLD_TAPP_ENTRY, &value) == TENFOLD_TAPP_OK
               ? (int)(intptr_t)value
               : -1;
}

static void all_have_results(const batch *all, double alpha, double beta) {
    for (int i = 0; i < entries; ++i)
        CHECK(has_result(&all->data[i], alpha, beta));
}

static void batches(TAPP_tensor_product product) {
    const double two = 2, three = 3, zero = 0;
    batch all;
    TAPP_status status = 0;
    set_up(&all);
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_execute_batched_product(product, 0, &status, entries, &two,
                                                             all.a, all.b, &three, all.c, all.d));
    all_have_results(&all, 2, 3);
    CHECK(entry_of(status) == -1);

    set_up(&all); // C is not read
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_execute_batched_product(product, 0, NULL, entries, &two, all.a,
                                                             all.b, &zero, NULL, all.d));
    all_have_results(&all, 2, 0);

    set_up(&all); // A and B are not read
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_execute_batched_product(product, 0, NULL, entries, &zero, NULL,
                                                             NULL, &three, all.c, all.d));
    all_have_results(&all, 0, 3);

    set_up(&all); // in place, by one word for all and by one for each
    for (int i = 0; i < entries; ++i)
        memcpy(all.data[i].d, all.data[i].c, sizeof all.data[i].d);
    CHECK_CODE(TENFOLD_TAPP_OK,
               TAPP_execute_batched_product(product, 0, NULL, entries, &two, all.a, all.b, &three,
                                            (const void **)TAPP_IN_PLACE, all.d));
    all_have_results(&all, 2, 3);
    for (int i = 0; i < entries; ++i) {
        memcpy(all.data[i].d, all.data[i].c, sizeof all.data[i].d);
        all.c[i] = TAPP_IN_PLACE;
    }
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_execute_batched_product(product, 0, NULL, entries, &two, all.a,
                                                             all.b, &three, all.c, all.d));
    all_have_results(&all, 2, 3);

    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_execute_batched_product(product, 0, &status, 0, &two, NULL,
                                                             NULL, &three, NULL, NULL));
    CHECK(entry_of(status) == -1);
}

/// Nothing is written where an address is missing, and the entry is told.
static void failures(TAPP_tensor_product product) {
    const double one = 1;
    batch all, before;
    TAPP_status status = 0;
    CHECK_CODE(TENFOLD_TAPP_BATCHES, TAPP_execute_batched_product(product, 0, &status, -1, &one,
                                                                  NULL, NULL, &one, NULL, NULL));
    CHECK_EXPLAINED("-1", TENFOLD_TAPP_BATCHES);
    CHECK(entry_of(status) == -1);
    set_up(&all);
    before = all;
#define EXECUTE(a, b, c, d)                                                                        \
    TAPP_execute_batched_product(product, 0, &status, entries, &one, a, b, &one, c, d)
    CHECK_CODE(TENFOLD_TAPP_C_IS_NULL, EXECUTE(all.a, all.b, NULL, all.d));
    CHECK(entry_of(status) == 0);
    CHECK_CODE(TENFOLD_TAPP_NULL_POINTER, EXECUTE(NULL, all.b, all.c, all.d));
    CHECK_CODE(TENFOLD_TAPP_NULL_POINTER, EXECUTE(all.a, NULL, all.c, all.d));
    CHECK_CODE(TENFOLD_TAPP_NULL_POINTER, EXECUTE(all.a, all.b, all.c, NULL));
    all.c[1] = NULL;
    CHECK_CODE(TENFOLD_TAPP_C_IS_NULL, EXECUTE(all.a, all.b, all.c, all.d));
    CHECK(entry_of(status) == 1);
    all.c[1] = all.data[1].c;
    all.b[2] = NULL;
    CHECK_CODE(TENFOLD_TAPP_NULL_POINTER, EXECUTE(all.a, all.b, all.c, all.d));
    CHECK(entry_of(status) == 2);
    all.b[2] = all.data[2].b;
    CHECK(memcmp(all.data, before.data, sizeof all.data) == 0);

    for (int other = 0; other < entries; ++other) { // D of any entry may not be A of any
        all.a[1] = all.data[other].d;
        CHECK_CODE(TENFOLD_TAPP_OVERLAP, EXECUTE(all.a, all.b, all.c, all.d));
        CHECK(entry_of(status) == 1);
    }
    all.a[1] = all.data[1].a;
    all.d[1] = all.data[0].d;
    CHECK_CODE(TENFOLD_TAPP_OVERLAP, EXECUTE(all.a, all.b, all.c, all.d));
    CHECK(memcmp(all.data, before.data, sizeof all.data) == 0);
#undef EXECUTE
    CHECK_CODE(TENFOLD_TAPP_EXECUTOR, TAPP_execute_batched_product(product, 7, NULL, 1, &one, all.a,
                                                                   all.b, &one, all.c, all.d));
    CHECK_CODE(
        TENFOLD_TAPP_NULL_POINTER,
        TAPP_execute_batched_product(product, 0, NULL, 1, NULL, all.a, all.b, &one, all.c, all.d));
}

void batch_tests(void) {
    const double one = 1;
    request what = matrix_product(TAPP_F64);
    TAPP_tensor_product product;
    CHECK_CODE(TENFOLD_TAPP_OK, plan(&what, &product));
    batches(product);
    failures(product);
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_tensor_product(product));
    CHECK_CODE(TENFOLD_TAPP_PRODUCT, TAPP_execute_batched_product(product, 0, NULL, 0, &one, NULL,
                                                                  NULL, &one, NULL, NULL));
    what.d.strides[1] = 1;
    CHECK_CODE(TENFOLD_TAPP_ALIASING_IN_D, plan(&what, &product));
    CHECK_CODE(
        TENFOLD_TAPP_ALIASING_IN_D,
        TAPP_execute_batched_product(product, 0, NULL, 0, &one, NULL, NULL, &one, NULL, NULL));
}
