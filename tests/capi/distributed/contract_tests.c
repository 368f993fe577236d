// Tests contractions of distributed tensors against plain loops; errors are in
// contract_error_tests.c.
#include "ranks.h"

enum { m = 6, n = 5, k = 7 };

static double a_at(int64_t i, int64_t l) { return value_at((const int64_t[]){i, l}, 2, 1); }
static double b_at(int64_t l, int64_t j) { return value_at((const int64_t[]){l, j}, 2, 2); }
static double d_at(int64_t i, int64_t j) { return value_at((const int64_t[]){i, j}, 2, 3); }

static void product(double alpha, double beta, double *expected) {
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < m; ++i) {
            double sum = 0;
            for (int64_t l = 0; l < k; ++l)
                sum += a_at(i, l) * b_at(l, j);
            expected[i + m * j] = alpha * sum + beta * d_at(i, j);
        }
}

/// Contracts A (m x k) and B (k x n) into D, and compares with alpha A B + beta D.
static void check_product(const char *expression, const tenfold_dist_options *options, double alpha,
                          double beta) {
    tenfold_dist_tensor *const a = MAKE(1, m, k), *const b = MAKE(2, k, n),
                               *const d = MAKE(3, m, n);
    const tenfold_dist_input inputs[] = {{a, 0}, {b, 0}};
    tenfold_dist_report report = TENFOLD_INIT(tenfold_dist_report);
    double expected[m * n];
    product(alpha, beta, expected);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_contract(expression, inputs, 2, d, options, &report));
    CHECK(holds(d, expected));
    CHECK(report.step_count == 1 && report.seconds_max >= 0);
    CHECK(report.peak_bytes_max > 0 && report.bytes_received_max >= 0);
    CHECK(report.redistribution_max >= 0);
    tenfold_dist_destroy(a);
    tenfold_dist_destroy(b);
    tenfold_dist_destroy(d);
}

static void scalars(void) {
    const tenfold_scalar alpha = {2, 0}, beta = {-3, 0}, zero = {0, 0};
    tenfold_dist_options options = TENFOLD_INIT(tenfold_dist_options);
    check_product("mn=mk*kn", NULL, 1, 0);
    check_product("mn+=mk*kn", NULL, 1, 1);
    check_product("mn-=mk*kn", NULL, -1, 1);
    options.alpha = &alpha;
    check_product("mn=mk*kn", &options, 2, 0);
    options.beta = &beta;
    check_product("mn=mk*kn", &options, 2, -3);
    options.alpha = &zero;
    check_product("mn=mk*kn", &options, 0, -3);
}

static void epilogue(void) {
    const int64_t extent = n;
    const tenfold_tensor along_n = {TENFOLD_F64, 1, &extent, NULL, 0};
    const double bias[] = {1, 2, 3, 4, 5};
    const tenfold_scalar two = {2, 0};
    tenfold_dist_tensor *const a = MAKE(1, m, k), *const b = MAKE(2, k, n),
                               *const d = MAKE(3, m, n);
    const tenfold_dist_input inputs[] = {{a, 0}, {b, 0}};
    tenfold_dist_options options = TENFOLD_INIT(tenfold_dist_options);
    tenfold_contraction_epilogue *finish = NULL;
    double expected[m * n];
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_epilogue_create(&finish));
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_epilogue_add(finish, "n", &along_n, bias, NULL));
    CHECK_CODE(TENFOLD_OK, tenfold_contraction_epilogue_scale(finish, &two));
    options.epilogue = finish;
    product(1, 0, expected);
    for (int i = 0; i < m * n; ++i)
        expected[i] = 2 * (expected[i] + bias[i / m]);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_contract("mn=mk*kn", inputs, 2, d, &options, NULL));
    CHECK(holds(d, expected));
    tenfold_contraction_epilogue_destroy(finish);
    tenfold_dist_destroy(a);
    tenfold_dist_destroy(b);
    tenfold_dist_destroy(d);
}

static void options_are_used(void) {
    tenfold_context *const context = make_context();
    tenfold_dist_options options = TENFOLD_INIT(tenfold_dist_options);
    options.context = context;
    options.algorithm = TENFOLD_ALGORITHM_REFERENCE;
    options.backend = TENFOLD_BACKEND_NATIVE;
    options.threads = 1;
    options.grid_batch = options.grid_m = options.grid_k = 1;
    options.grid_n = rank_count;
    options.step_k = 2;
    check_product("mn=mk*kn", &options, 1, 0);
    options.algorithm = TENFOLD_ALGORITHM_AUTO;
    options.reproducible = TENFOLD_YES;
    options.step_k = 0;
    check_product("mn=mk*kn", &options, 1, 0);
    options.reproducible = TENFOLD_NO;
    options.memory_per_rank = INT64_C(1) << 30;
    options.workspace_limit = INT64_C(1) << 20;
    check_product("mn=mk*kn", &options, 1, 0);
    tenfold_context_destroy(context);
}

/// Complex numbers, conjugated or not: (1 + 2i) (3 - i), summed over 4.
static void conjugation(void) {
    const tenfold_scalar one_two = {1, 2}, three_one = {3, -1};
    const int64_t a_extents[] = {3, 4}, b_extents[] = {4, 2}, d_extents[] = {3, 2};
    tenfold_dist_tensor *a = NULL, *b = NULL, *d = NULL;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_create(everyone, TENFOLD_C64, 2, a_extents, NULL, &a));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_create(everyone, TENFOLD_C64, 2, b_extents, NULL, &b));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_create(everyone, TENFOLD_C64, 2, d_extents, NULL, &d));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_fill(a, &one_two));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_fill(b, &three_one));
    for (int which = 0; which < 4; ++which) {
        const int conj_a = which % 2, conj_b = which / 2;
        const double a_im = conj_a ? -2 : 2, b_im = conj_b ? 1 : -1;
        const tenfold_dist_input inputs[] = {{a, conj_a}, {b, conj_b}};
        tenfold_dist_part part = TENFOLD_INIT(tenfold_dist_part);
        CHECK_CODE(TENFOLD_OK, tenfold_dist_contract("mn=mk*kn", inputs, 2, d, NULL, NULL));
        CHECK_CODE(TENFOLD_OK, tenfold_dist_local(d, &part));
        for (int64_t i = 0; i < part.elements; ++i) {
            const double *const element = (const double *)part.data + 2 * i;
            CHECK(element[0] == 4 * (3 - a_im * b_im) && element[1] == 4 * (b_im + 3 * a_im));
        }
    }
    tenfold_dist_destroy(a);
    tenfold_dist_destroy(b);
    tenfold_dist_destroy(d);
}

static void one_input(void) {
    tenfold_dist_tensor *const a = MAKE(1, m, k), *const d = MAKE(3, k, m);
    const tenfold_dist_input input = {a, 0};
    double expected[m * k];
    for (int64_t l = 0; l < k; ++l)
        for (int64_t i = 0; i < m; ++i)
            expected[l + k * i] = a_at(i, l);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_contract("km=mk", &input, 1, d, NULL, NULL));
    CHECK(holds(d, expected));
    tenfold_dist_destroy(a);
    tenfold_dist_destroy(d);
}

static void three_inputs(void) {
    tenfold_dist_tensor *const a = MAKE(1, m, k), *const b = MAKE(2, k, n),
                               *const d = MAKE(3, m, m);
    const tenfold_dist_input inputs[] = {{a, 0}, {b, 0}, {b, 0}, {a, 0}};
    const tenfold_scalar alpha = {2, 0};
    tenfold_dist_options options = TENFOLD_INIT(tenfold_dist_options);
    tenfold_dist_report report = TENFOLD_INIT(tenfold_dist_report);
    double half[m * n], expected[m * m];
    product(1, 0, half);
    for (int j = 0; j < m; ++j)
        for (int i = 0; i < m; ++i) {
            double sum = 0;
            for (int l = 0; l < n; ++l)
                sum += half[i + m * l] * half[j + m * l];
            expected[i + m * j] = 2 * sum;
        }
    options.alpha = &alpha;
    CHECK_CODE(TENFOLD_OK,
               tenfold_dist_contract("ij=ik*kl*ql*jq", inputs, 4, d, &options, &report));
    CHECK(holds(d, expected));
    CHECK(report.step_count == 3);
    tenfold_dist_destroy(a);
    tenfold_dist_destroy(b);
    tenfold_dist_destroy(d);
}

static int32_t report_share(double done, void *user) {
    *(double *)user = done;
    return 0;
}

static void control(void) {
    tenfold_dist_options options = TENFOLD_INIT(tenfold_dist_options);
    tenfold_control watching = TENFOLD_INIT(tenfold_control);
    tenfold_stop *stop = NULL;
    double done = -1;
    watching.progress = report_share;
    watching.user = &done;
    options.control = &watching;
    check_product("mn=mk*kn", &options, 1, 0);
    CHECK(done == 1);
    // Requested on one rank, it ends the call on all.
    CHECK_CODE(TENFOLD_OK, tenfold_stop_create(&stop));
    if (is_last())
        CHECK_CODE(TENFOLD_OK, tenfold_stop_request(stop));
    watching.stop = stop;
    {
        tenfold_dist_tensor *const a = MAKE(1, m, k), *const d = MAKE(3, m, m);
        const tenfold_dist_input inputs[] = {{a, 0}, {a, 0}};
        FAILS_ON_ALL(TENFOLD_STOPPED, "",
                     tenfold_dist_contract("mn=mk*nk", inputs, 2, d, &options, NULL));
        tenfold_dist_destroy(a);
        tenfold_dist_destroy(d);
    }
    tenfold_stop_destroy(stop);
}

void contract_tests(void) {
    scalars();
    epilogue();
    options_are_used();
    conjugation();
    one_input();
    three_inputs();
    control();
}
