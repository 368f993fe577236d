// Keys of handles and executors, and what they change.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <tenfold/c/types.h>

#include "check.h"

static void *word(intptr_t number) { return (void *)number; }

static void is_set(TAPP_attr attr, TAPP_key key, intptr_t expected) {
    void *value = NULL;
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_attr_get(attr, key, &value));
    CHECK((intptr_t)value == expected);
}

/// A value that can be set, and what is beside the allowed ones.
typedef struct key_values {
    TAPP_key key;
    intptr_t value, wrong, other_wrong;
} key_values;

static void keys_of_both(TAPP_attr attr) {
    const key_values all[] = {{TENFOLD_TAPP_THREADS, 2, 0, 4097},
                              {TENFOLD_TAPP_WORKSPACE_LIMIT, 0, -1, INTPTR_MIN},
                              {TENFOLD_TAPP_REPRODUCIBLE, 1, -1, 2},
                              {TENFOLD_TAPP_TUNING, 1, -1, 3}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        const TAPP_key key = all[i].key;
        void *value = &value;
        CHECK_CODE(TENFOLD_TAPP_NOT_SET, TAPP_attr_get(attr, key, &value));
        CHECK(value == &value);
        CHECK_CODE(TENFOLD_TAPP_OK, TAPP_attr_set(attr, key, word(all[i].value)));
        is_set(attr, key, all[i].value);
        CHECK_CODE(TENFOLD_TAPP_VALUE, TAPP_attr_set(attr, key, word(all[i].wrong)));
        CHECK_CODE(TENFOLD_TAPP_VALUE, TAPP_attr_set(attr, key, word(all[i].other_wrong)));
        is_set(attr, key, all[i].value);
        CHECK_CODE(TENFOLD_TAPP_OK, TAPP_attr_clear(attr, key));
        CHECK_CODE(TENFOLD_TAPP_NOT_SET, TAPP_attr_get(attr, key, &value));
        CHECK_CODE(TENFOLD_TAPP_OK, TAPP_attr_clear(attr, key));
    }
    CHECK_CODE(TENFOLD_TAPP_KEY, TAPP_attr_set(attr, 1, NULL));
    CHECK_CODE(TENFOLD_TAPP_KEY, TAPP_attr_clear(attr, 1));
    CHECK_CODE(TENFOLD_TAPP_NULL_POINTER, TAPP_attr_get(attr, TENFOLD_TAPP_THREADS, NULL));
}

static void keys_of_handles(void) {
    TAPP_handle handle;
    void *value = NULL;
    char path[] = "nowhere.json";
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_create_handle(&handle));
    keys_of_both(handle);
    CHECK_CODE(TENFOLD_TAPP_KEY, TAPP_attr_get(handle, TENFOLD_TAPP_CONTEXT, &value));
    CHECK_CODE(TENFOLD_TAPP_KEY, TAPP_attr_set(handle, TENFOLD_TAPP_CONTEXT, word(handle)));

    CHECK_CODE(TENFOLD_TAPP_NOT_SET, TAPP_attr_get(handle, TENFOLD_TAPP_ISA, &value));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_attr_set(handle, TENFOLD_TAPP_ISA, word(TENFOLD_ISA_GENERIC)));
    is_set(handle, TENFOLD_TAPP_ISA, TENFOLD_ISA_GENERIC);
    CHECK_CODE(TENFOLD_TAPP_VALUE, TAPP_attr_set(handle, TENFOLD_TAPP_ISA, word(0)));
    CHECK_CODE(TENFOLD_TAPP_VALUE, TAPP_attr_set(handle, TENFOLD_TAPP_ISA, word(99)));
    CHECK_CODE(TENFOLD_TAPP_VALUE, TAPP_attr_set(handle, TENFOLD_TAPP_ISA, word(INTPTR_MAX)));
    // No machine has both.
    const TAPP_error avx2 = TAPP_attr_set(handle, TENFOLD_TAPP_ISA, word(TENFOLD_ISA_AVX2));
    const TAPP_error neon = TAPP_attr_set(handle, TENFOLD_TAPP_ISA, word(TENFOLD_ISA_NEON));
    CHECK(avx2 == TENFOLD_TAPP_UNSUPPORTED || neon == TENFOLD_TAPP_UNSUPPORTED);
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_attr_clear(handle, TENFOLD_TAPP_ISA));
    CHECK_CODE(TENFOLD_TAPP_NOT_SET, TAPP_attr_get(handle, TENFOLD_TAPP_ISA, &value));

    CHECK_CODE(TENFOLD_TAPP_NOT_SET, TAPP_attr_get(handle, TENFOLD_TAPP_BACKEND, &value));
    CHECK_CODE(TENFOLD_TAPP_OK,
               TAPP_attr_set(handle, TENFOLD_TAPP_BACKEND, word(TENFOLD_BACKEND_NATIVE)));
    is_set(handle, TENFOLD_TAPP_BACKEND, TENFOLD_BACKEND_NATIVE);
    CHECK_CODE(TENFOLD_TAPP_VALUE, TAPP_attr_set(handle, TENFOLD_TAPP_BACKEND, word(7)));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_attr_clear(handle, TENFOLD_TAPP_BACKEND));

    CHECK_CODE(TENFOLD_TAPP_NOT_SET, TAPP_attr_get(handle, TENFOLD_TAPP_WISDOM, &value));
    CHECK_CODE(TENFOLD_TAPP_VALUE, TAPP_attr_set(handle, TENFOLD_TAPP_WISDOM, NULL));
    const TAPP_error wisdom = TAPP_attr_set(handle, TENFOLD_TAPP_WISDOM, path);
    if (wisdom != TENFOLD_TAPP_UNSUPPORTED) { // a build without JSON
        CHECK_CODE(TENFOLD_TAPP_OK, wisdom);
        memset(path, 'x', sizeof path - 1);
        CHECK_CODE(TENFOLD_TAPP_OK, TAPP_attr_get(handle, TENFOLD_TAPP_WISDOM, &value));
        CHECK(value != NULL && strcmp((const char *)value, "nowhere.json") == 0);
    }
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_attr_clear(handle, TENFOLD_TAPP_WISDOM));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_handle(handle));
    CHECK_CODE(TENFOLD_TAPP_HANDLE, TAPP_attr_set(handle, TENFOLD_TAPP_THREADS, word(1)));
    CHECK_CODE(TENFOLD_TAPP_HANDLE, TAPP_attr_get(handle, TENFOLD_TAPP_THREADS, &value));
    CHECK_CODE(TENFOLD_TAPP_HANDLE, TAPP_attr_clear(0, TENFOLD_TAPP_THREADS));
}

static void keys_of_executors(void) {
    TAPP_handle handle;
    TAPP_executor exec;
    void *value = NULL;
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_create_handle(&handle));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_create_executor(&exec));
    keys_of_both(exec);
    CHECK_CODE(TENFOLD_TAPP_KEY, TAPP_attr_get(exec, TENFOLD_TAPP_ISA, &value));
    CHECK_CODE(TENFOLD_TAPP_NOT_SET, TAPP_attr_get(exec, TENFOLD_TAPP_CONTEXT, &value));
    CHECK_CODE(TENFOLD_TAPP_HANDLE, TAPP_attr_set(exec, TENFOLD_TAPP_CONTEXT, word(exec)));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_attr_set(exec, TENFOLD_TAPP_CONTEXT, word(handle)));
    is_set(exec, TENFOLD_TAPP_CONTEXT, handle);
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_attr_clear(exec, TENFOLD_TAPP_CONTEXT));
    CHECK_CODE(TENFOLD_TAPP_NOT_SET, TAPP_attr_get(exec, TENFOLD_TAPP_CONTEXT, &value));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_executor(exec));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_handle(handle));
}

/// Each attribute of an executor gives the right product, one after the other and all at once.
static void products_by_executors(void) {
    const double alpha = 2, beta = -3;
    request what = matrix_product(TAPP_F64);
    TAPP_tensor_product product;
    TAPP_executor exec;
    TAPP_handle handle;
    CHECK_CODE(TENFOLD_TAPP_OK, plan(&what, &product));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_create_handle(&handle));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_create_executor(&exec));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_attr_set(handle, TENFOLD_TAPP_ISA, word(TENFOLD_ISA_GENERIC)));
    const key_values all[] = {{TENFOLD_TAPP_THREADS, 2, 0, 0},
                              {TENFOLD_TAPP_WORKSPACE_LIMIT, 1 << 20, 0, 0},
                              {TENFOLD_TAPP_REPRODUCIBLE, 1, 0, 0},
                              {TENFOLD_TAPP_CONTEXT, handle, 0, 0},
                              {TENFOLD_TAPP_TUNING, 0, 0, 0}};
    for (int repeat = 0; repeat < 2; ++repeat) // planned, and found again
        for (int mask = 0; mask < 32; ++mask) {
            matrix_data data = make_data();
            for (int i = 0; i < 5; ++i)
                if (mask >> i & 1)
                    CHECK_CODE(TENFOLD_TAPP_OK,
                               TAPP_attr_set(exec, all[i].key, word(all[i].value)));
                else
                    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_attr_clear(exec, all[i].key));
            CHECK_CODE(TENFOLD_TAPP_OK, TAPP_execute_product(product, exec, NULL, &alpha, data.a,
                                                             data.b, &beta, data.c, data.d));
            CHECK(has_result(&data, alpha, beta));
        }
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_handle(handle)); // the executor keeps its context
    matrix_data data = make_data();
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_execute_product(product, exec, NULL, &alpha, data.a, data.b,
                                                     &beta, data.c, data.d));
    CHECK(has_result(&data, alpha, beta));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_executor(exec));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_tensor_product(product));
}

/// The limit is about tensors in another type, too; it comes from the executor, or else from the
/// handle.
static void workspace_limits(void) {
    const float one = 1, zero = 0;
    const float a[6] = {1, 2, 3, 4, 5, 6}, b[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    float d[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
    request what = matrix_product(TAPP_F32);
    what.precision = TAPP_F64F64_ACCUM_F64; // needs A, B and D in F64
    TAPP_tensor_product product;
    TAPP_executor exec;
    char text[300];
    long long least = 0;
    CHECK_CODE(TENFOLD_TAPP_OK, plan(&what, &product));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_create_executor(&exec));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_attr_set(exec, TENFOLD_TAPP_WORKSPACE_LIMIT, word(0)));
    CHECK_CODE(TENFOLD_TAPP_WORKSPACE,
               TAPP_execute_product(product, exec, NULL, &one, a, b, &zero, NULL, d));
    CHECK(d[0] == -1);
    TAPP_explain_error(TENFOLD_TAPP_WORKSPACE, sizeof text, text);
    CHECK(sscanf(text, "this contraction needs at least %lld bytes", &least) == 1);
    CHECK(least >= 8); // an element of D, at least
    CHECK_CODE(TENFOLD_TAPP_OK,
               TAPP_attr_set(exec, TENFOLD_TAPP_WORKSPACE_LIMIT, word((intptr_t)least - 1)));
    CHECK_CODE(TENFOLD_TAPP_WORKSPACE,
               TAPP_execute_product(product, exec, NULL, &one, a, b, &zero, NULL, d));
    CHECK_CODE(TENFOLD_TAPP_OK,
               TAPP_attr_set(exec, TENFOLD_TAPP_WORKSPACE_LIMIT, word((intptr_t)least)));
    CHECK_CODE(TENFOLD_TAPP_OK,
               TAPP_execute_product(product, exec, NULL, &one, a, b, &zero, NULL, d));
    CHECK(d[0] == 1 + 3 + 5 && d[1] == 2 + 4 + 6);
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_executor(exec));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_tensor_product(product));

    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_create_handle(&what.handle));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_attr_set(what.handle, TENFOLD_TAPP_WORKSPACE_LIMIT, word(0)));
    CHECK_CODE(TENFOLD_TAPP_WORKSPACE, plan(&what, &product));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_handle(what.handle));
}

void attribute_tests(void) {
    keys_of_handles();
    keys_of_executors();
    products_by_executors();
    workspace_limits();
}
