// Handles, executors, statuses and products as numbers.
#include <stdint.h>

#include "check.h"

static void objects_are_destroyed_once(void) {
    TAPP_handle handle = 0, other = 0;
    TAPP_executor exec = 0;
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_create_handle(&handle));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_create_executor(&exec));
    CHECK(handle != 0 && exec != 0 && handle != exec);
    CHECK_CODE(TENFOLD_TAPP_HANDLE, TAPP_destroy_handle(exec));
    CHECK_CODE(TENFOLD_TAPP_EXECUTOR, TAPP_destroy_executor(handle));
    CHECK_CODE(TENFOLD_TAPP_PRODUCT, TAPP_destroy_tensor_product(handle));
    CHECK_CODE(TENFOLD_TAPP_TENSOR_INFO, TAPP_destroy_tensor_info(handle));
    CHECK_CODE(TENFOLD_TAPP_STATUS, TAPP_destroy_status(handle));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_handle(handle));
    CHECK_CODE(TENFOLD_TAPP_HANDLE, TAPP_destroy_handle(handle));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_create_handle(&other)); // in the same place
    CHECK(other != handle);
    CHECK_CODE(TENFOLD_TAPP_HANDLE, TAPP_destroy_handle(handle));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_handle(other));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_executor(exec));
    CHECK_CODE(TENFOLD_TAPP_EXECUTOR, TAPP_destroy_executor(exec));
}

static void numbers_that_are_nobodys(void) {
    const intptr_t numbers[] = {
        -1, 1, 2, 3, 4, 5, 6, 77777, INTPTR_MAX, INTPTR_MIN, (intptr_t)&numbers[0]};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        CHECK_CODE(TENFOLD_TAPP_HANDLE, TAPP_destroy_handle(numbers[i]));
        CHECK_CODE(TENFOLD_TAPP_EXECUTOR, TAPP_destroy_executor(numbers[i]));
        CHECK_CODE(TENFOLD_TAPP_TENSOR_INFO, TAPP_destroy_tensor_info(numbers[i]));
        if (numbers[i] != 6) // that of a product that failed with code 0, which none does
            CHECK_CODE(TENFOLD_TAPP_PRODUCT, TAPP_destroy_tensor_product(numbers[i]));
        if (numbers[i] != 5) // that of a status of success
            CHECK_CODE(TENFOLD_TAPP_STATUS, TAPP_destroy_status(numbers[i]));
    }
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_handle(0));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_executor(0));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_status(0));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_tensor_product(0));
}

static void null_results(void) {
    request what = matrix_product(TAPP_F64);
    CHECK_CODE(TENFOLD_TAPP_NULL_POINTER, TAPP_create_handle(NULL));
    CHECK_EXPLAINED("handle is null", TENFOLD_TAPP_NULL_POINTER);
    CHECK_CODE(TENFOLD_TAPP_NULL_POINTER, TAPP_create_executor(NULL));
    CHECK_CODE(TENFOLD_TAPP_NULL_POINTER, plan(&what, NULL));
}

/// Many at a time, in more than one block of the table.
static void many_objects(void) {
    enum { count = 3000 };
    static TAPP_executor all[count];
    for (int i = 0; i < count; ++i)
        CHECK_CODE(TENFOLD_TAPP_OK, TAPP_create_executor(&all[i]));
    for (int i = 0; i < count; ++i)
        CHECK_CODE(TENFOLD_TAPP_OK,
                   TAPP_attr_set(all[i], TENFOLD_TAPP_THREADS, (void *)(intptr_t)(i + 1)));
    for (int i = 0; i < count; ++i) {
        void *value = NULL;
        CHECK_CODE(TENFOLD_TAPP_OK, TAPP_attr_get(all[i], TENFOLD_TAPP_THREADS, &value));
        CHECK((intptr_t)value == i + 1);
        CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_executor(all[i]));
    }
}

/// Programs that TAPP's reference implementation serves pass handles that they never made.
static void handles_that_were_never_made(void) {
    const double one = 1, zero = 0;
    matrix_data data = make_data();
    request what = matrix_product(TAPP_F64);
    TAPP_tensor_product product = 0;
    what.handle = (TAPP_handle)&data;
    CHECK_CODE(TENFOLD_TAPP_OK, plan(&what, &product));
    CHECK_CODE(TENFOLD_TAPP_OK,
               TAPP_execute_product(product, 0, NULL, &one, data.a, data.b, &zero, NULL, data.d));
    CHECK(has_result(&data, 1, 0));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_tensor_product(product));
}

/// Infos and the handle may be destroyed, or changed, before the product is executed: plan() of
/// these tests always destroys the infos.
static void products_keep_what_they_need(void) {
    const double one = 1, zero = 0;
    matrix_data data = make_data();
    request what = matrix_product(TAPP_F64);
    TAPP_tensor_product product = 0;
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_create_handle(&what.handle));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_attr_set(what.handle, TENFOLD_TAPP_THREADS, (void *)2));
    CHECK_CODE(TENFOLD_TAPP_OK, plan(&what, &product));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_handle(what.handle));
    CHECK_CODE(TENFOLD_TAPP_OK,
               TAPP_execute_product(product, 0, NULL, &one, data.a, data.b, &zero, NULL, data.d));
    CHECK(has_result(&data, 1, 0));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_tensor_product(product));
}

static void statuses(void) {
    const double one = 1, zero = 0;
    matrix_data data = make_data();
    request what = matrix_product(TAPP_F64);
    TAPP_tensor_product product = 0;
    TAPP_status status = 0;
    void *value = &value;
    CHECK_CODE(TENFOLD_TAPP_OK, plan(&what, &product));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_execute_product(product, 0, &status, &one, data.a, data.b,
                                                     &zero, NULL, data.d));
    CHECK(status != 0);
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_attr_get(status, TENFOLD_TAPP_CODE, &value));
    CHECK((intptr_t)value == TENFOLD_TAPP_OK);
    CHECK_CODE(TENFOLD_TAPP_NOT_SET, TAPP_attr_get(status, TENFOLD_TAPP_ENTRY, &value));
    CHECK_CODE(TENFOLD_TAPP_KEY, TAPP_attr_get(status, TENFOLD_TAPP_THREADS, &value));
    CHECK_CODE(TENFOLD_TAPP_KEY, TAPP_attr_set(status, TENFOLD_TAPP_CODE, NULL));
    CHECK_CODE(TENFOLD_TAPP_KEY, TAPP_attr_clear(status, TENFOLD_TAPP_CODE));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_status(status));
    CHECK_CODE(TENFOLD_TAPP_C_IS_NULL,
               TAPP_execute_product(product, 0, &status, &one, data.a, data.b, &one, NULL, data.d));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_attr_get(status, TENFOLD_TAPP_CODE, &value));
    CHECK((intptr_t)value == TENFOLD_TAPP_C_IS_NULL);
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_status(status));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_tensor_product(product));
}

void object_tests(void) {
    objects_are_destroyed_once();
    numbers_that_are_nobodys();
    null_results();
    many_objects();
    handles_that_were_never_made();
    products_keep_what_they_need();
    statuses();
}
