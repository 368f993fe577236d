// Tests that threads share contexts and plans, and have errors of their own.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "check.h"

typedef struct shared_plan {
    const tenfold_context *context;
    const tenfold_contraction_plan *plan;
    pthread_mutex_t mutex; ///< for checks, which are not made for several threads
} shared_plan;

static void *work(void *argument) {
    shared_plan *const shared = argument;
    tenfold_contraction_plan *none = NULL;
    int is_right = 1;
    const int has_no_error = tenfold_last_error()[0] == '\0';
    matrix_product product;
    for (int i = 0; i < 200; ++i) {
        set_up(&product);
        is_right = is_right && tenfold_contraction_execute(shared->plan, &product.data, NULL) == 0;
        is_right = is_right && has_result(&product, 1, 0);
        is_right = is_right && tenfold_contract(shared->context, "ab-=ak*kb", &product.operands,
                                                &product.data, NULL, NULL) == 0;
    }
    is_right =
        is_right && tenfold_contraction_create(shared->context, "ab=ak*!b", &product.operands, NULL,
                                               &none) == TENFOLD_SYNTAX;
    pthread_mutex_lock(&shared->mutex);
    CHECK(has_no_error);
    CHECK(is_right);
    CHECK(last_details().position == 6);
    pthread_mutex_unlock(&shared->mutex);
    return NULL;
}

void thread_tests(void) {
    enum { count = 4 };
    tenfold_context *context = make_context();
    tenfold_contraction_plan *plan = NULL;
    matrix_product product;
    pthread_t threads[count];
    set_up(&product);
    CHECK_CODE(TENFOLD_OK,
               tenfold_contraction_create(context, "ab=ak*kb", &product.operands, NULL, &plan));
    product.input_data[0] = NULL;
    CHECK_CODE(TENFOLD_NULL_POINTER, tenfold_contraction_execute(plan, &product.data, NULL));
    shared_plan shared = {context, plan, PTHREAD_MUTEX_INITIALIZER};
    for (int i = 0; i < count; ++i)
        CHECK(pthread_create(&threads[i], NULL, work, &shared) == 0);
    for (int i = 0; i < count; ++i)
        pthread_join(threads[i], NULL);
    CHECK(last_details().code == TENFOLD_NULL_POINTER); // this thread's own
    tenfold_contraction_destroy(plan);
    tenfold_context_destroy(context);
}
