// Tests copies, redistributions and contractions whose messages travel in the background.
#include "ranks.h"

enum { m = 6, n = 5, k = 7 };

/// Where everything lies on the last rank.
static tenfold_distribution *elsewhere(int64_t rows, int64_t columns) {
    const int64_t extents[] = {rows, columns};
    tenfold_distribution *spread = NULL;
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_create_on_rank(2, extents, rank_count,
                                                               rank_count - 1, &spread));
    return spread;
}

/// What MAKE(salt, m, n) holds.
static void fill_expected(int salt, double *expected) {
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < m; ++i)
            expected[i + m * j] = value_at((const int64_t[]){i, j}, 2, salt);
}

static void product(double *expected) {
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < m; ++i) {
            double sum = 0;
            for (int64_t l = 0; l < k; ++l)
                sum += value_at((const int64_t[]){i, l}, 2, 1) *
                       value_at((const int64_t[]){l, j}, 2, 2);
            expected[i + m * j] = sum;
        }
}

static void copies(void) {
    const int64_t extents[] = {m, n};
    tenfold_distribution *const spread = elsewhere(m, n);
    tenfold_dist_tensor *const x = MAKE(1, m, n);
    tenfold_dist_tensor *y = NULL, *none = (tenfold_dist_tensor *)&none;
    tenfold_dist_report report = TENFOLD_INIT(tenfold_dist_report);
    tenfold_dist_future *future = NULL;
    double expected[m * n], norm, of_x;
    int32_t through = -1;
    fill_expected(1, expected);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_create(everyone, TENFOLD_F64, 2, extents, spread, &y));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_copy_async(x, y, &future));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_norm(x, &of_x)); // x may be read meanwhile, y not
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "copy_async", tenfold_dist_norm(y, &norm));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_future_test(future, &through));
    CHECK(through == 0 || through == 1);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_future_wait(future));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_future_wait(future));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_future_test(future, &through));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_future_take(future, &none));
    CHECK_MESSAGE("the future has no tensor");
    CHECK(none == NULL);
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_future_report(future, &report));
    CHECK_MESSAGE("the future has no report");
    tenfold_dist_future_destroy(future);
    CHECK(holds(y, expected));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_norm(y, &norm));
    CHECK(norm == of_x);
    tenfold_dist_destroy(y);
    tenfold_dist_destroy(x);
    tenfold_distribution_destroy(spread);
}

static void redistributions(void) {
    tenfold_distribution *const spread = elsewhere(m, n);
    tenfold_distribution *of_made = NULL;
    tenfold_dist_tensor *const x = MAKE(1, m, n);
    tenfold_dist_tensor *made = NULL, *again = NULL;
    tenfold_dist_future *future = NULL;
    double expected[m * n];
    int32_t equal = 0;
    fill_expected(1, expected);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_redistribute_async(x, spread, &future));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_future_take(future, &made)); // too early
    CHECK_CODE(TENFOLD_OK, tenfold_dist_future_wait(future));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_future_take(future, &made));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_future_take(future, &again));
    tenfold_dist_future_destroy(future);
    CHECK(again == NULL && holds(made, expected));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_distribution(made, &of_made));
    CHECK_CODE(TENFOLD_OK, tenfold_distribution_equal(of_made, spread, &equal));
    CHECK(equal == 1);
    tenfold_distribution_destroy(of_made);
    tenfold_dist_destroy(made);

    // Neither waited for, nor taken.
    CHECK_CODE(TENFOLD_OK, tenfold_dist_redistribute_async(x, spread, &future));
    tenfold_dist_future_destroy(future);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_redistribute_async(x, spread, &future));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_future_wait(future));
    tenfold_dist_future_destroy(future);
    tenfold_dist_destroy(x);
    tenfold_distribution_destroy(spread);
}

static void contractions(void) {
    tenfold_dist_tensor *const a = MAKE(1, m, k), *const b = MAKE(2, k, n),
                               *const d = MAKE(3, m, n), *const x = MAKE(1, m, n);
    const tenfold_dist_input inputs[] = {{a, 0}, {b, 0}}, one[] = {{x, 0}};
    const tenfold_scalar two = {2, 0};
    tenfold_dist_report report = TENFOLD_INIT(tenfold_dist_report);
    tenfold_dist_future *future = NULL;
    double expected[m * n];
    // The destroyed future leaves D as it was.
    CHECK_CODE(TENFOLD_OK, tenfold_dist_contract_async("mn=mk*kn", inputs, 2, d, NULL, &future));
    tenfold_dist_future_destroy(future);
    fill_expected(3, expected);
    CHECK(holds(d, expected));

    // Options need not outlive the call that begins.
    {
        tenfold_dist_options options = TENFOLD_INIT(tenfold_dist_options);
        options.alpha = &two;
        CHECK_CODE(TENFOLD_OK,
                   tenfold_dist_contract_async("mn=mk*kn", inputs, 2, d, &options, &future));
    }
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_future_report(future, &report));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_future_wait(future));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_future_report(future, &report));
    CHECK(report.step_count == 1 && report.seconds_max > 0 && report.peak_bytes_max > 0);
    tenfold_dist_future_destroy(future);
    product(expected);
    for (int i = 0; i < m * n; ++i)
        expected[i] *= 2;
    CHECK(holds(d, expected));

    CHECK_CODE(TENFOLD_OK, tenfold_dist_contract_async("mn=mn", one, 1, d, NULL, &future));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_future_wait(future));
    tenfold_dist_future_destroy(future);
    fill_expected(1, expected);
    CHECK(holds(d, expected));
    tenfold_dist_destroy(x);
    tenfold_dist_destroy(d);
    tenfold_dist_destroy(b);
    tenfold_dist_destroy(a);
}

static void errors(void) {
    tenfold_dist_tensor *const a = MAKE(1, m, k), *const b = MAKE(2, k, n),
                               *const d = MAKE(3, m, n);
    const tenfold_dist_input inputs[] = {{a, 0}, {b, 0}, {b, 0}};
    tenfold_dist_future *future = (tenfold_dist_future *)&future;
    FAILS_ON_ALL(TENFOLD_EXTENT_MISMATCH, "", tenfold_dist_copy_async(a, d, &future));
    CHECK(future == NULL);
    FAILS_ON_ALL(TENFOLD_OVERLAP, "",
                 tenfold_dist_contract_async("mn=mn", inputs, 1, a, NULL, &future));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "have one or two inputs, not 3",
                 tenfold_dist_contract_async("mn=mk*kn*kn", inputs, 3, d, NULL, &future));
    FAILS_ON_ALL(
        TENFOLD_INVALID_ARGUMENT, "expression is NULL",
        tenfold_dist_contract_async(is_last() ? NULL : "mn=mk*kn", inputs, 2, d, NULL, &future));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "distribution is NULL",
                 tenfold_dist_redistribute_async(a, NULL, &future));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "future is NULL",
                 tenfold_dist_copy_async(d, d, is_last() ? NULL : &future));
    tenfold_dist_destroy(d);
    tenfold_dist_destroy(b);
    tenfold_dist_destroy(a);
}

static void null(void) {
    tenfold_dist_report report = TENFOLD_INIT(tenfold_dist_report);
    tenfold_dist_tensor *made = NULL;
    int32_t through;
    tenfold_dist_future_destroy(NULL);
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_future_test(NULL, &through));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_future_wait(NULL));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_future_take(NULL, &made));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_future_report(NULL, &report));
    CHECK_MESSAGE("future is NULL");
}

void async_tests(void) {
    copies();
    redistributions();
    contractions();
    errors();
    null();
}
