// Tests contexts, settings and names.
#include <math.h>
#include <string.h>

#include "check.h"

static void defaults(void) {
    tenfold_context *context = NULL;
    tenfold_isa isa = TENFOLD_ISA_DEFAULT;
    const char *reason = NULL;
    int32_t threads = 0;
    CHECK_CODE(TENFOLD_OK, tenfold_context_create(NULL, &context));
    CHECK_CODE(TENFOLD_OK, tenfold_context_threads(context, &threads));
    CHECK(threads == 2); // the test's TENFOLD_NUM_THREADS
    CHECK_CODE(TENFOLD_OK, tenfold_context_isa(context, &isa, &reason));
    CHECK(isa >= TENFOLD_ISA_GENERIC && isa <= TENFOLD_ISA_SVE);
    CHECK_TEXT("best of this machine", reason);
    CHECK_CODE(TENFOLD_OK, tenfold_context_isa(context, &isa, NULL));
    tenfold_context_destroy(context);
}

static void settings_come_back(void) {
    tenfold_settings settings = TENFOLD_INIT(tenfold_settings);
    tenfold_settings read = TENFOLD_INIT(tenfold_settings);
    tenfold_context *context = NULL;
    tenfold_isa isa = TENFOLD_ISA_DEFAULT;
    const char *reason = NULL;
    int32_t threads = 0;
    settings.threads = 1;
    settings.isa = TENFOLD_ISA_GENERIC;
    settings.backend = TENFOLD_BACKEND_NATIVE;
    settings.reproducible = TENFOLD_YES;
    settings.workspace_limit = 1 << 20;
    settings.plan_cache_limit = TENFOLD_NO_BYTES;
    settings.kc = 128;
    settings.mc = 96;
    settings.nc = 480;
    settings.wisdom = "";
    settings.calibration = "off";
    settings.log_level = TENFOLD_LOG_WARN;
    settings.watchdog_seconds = 12.5;
    settings.presence_seconds = TENFOLD_NO_SECONDS;
    CHECK_CODE(TENFOLD_OK, tenfold_context_create(&settings, &context));
    CHECK_CODE(TENFOLD_OK, tenfold_context_settings(context, &read));
    CHECK(read.size == sizeof read);
    CHECK(read.threads == 1);
    CHECK(read.isa == TENFOLD_ISA_GENERIC);
    CHECK(read.backend == TENFOLD_BACKEND_NATIVE);
    CHECK(read.reproducible == TENFOLD_YES);
    CHECK(read.workspace_limit == 1 << 20);
    CHECK(read.plan_cache_limit == TENFOLD_NO_BYTES);
    CHECK(read.kc == 128 && read.mc == 96 && read.nc == 480);
    CHECK_TEXT("", read.wisdom);
    CHECK_TEXT("off", read.calibration);
    CHECK(read.log_level == TENFOLD_LOG_WARN);
    CHECK(read.watchdog_seconds == 12.5 && read.presence_seconds == TENFOLD_NO_SECONDS);
    CHECK_CODE(TENFOLD_OK, tenfold_context_threads(context, &threads));
    CHECK(threads == 1);
    CHECK_CODE(TENFOLD_OK, tenfold_context_isa(context, &isa, &reason));
    CHECK(isa == TENFOLD_ISA_GENERIC);
    CHECK_TEXT("asked for", reason);
    CHECK_CODE(TENFOLD_OK, tenfold_context_rates_reason(context, &reason));
    CHECK(strstr(reason, "typical of generic") != NULL);
    tenfold_context_destroy(context);
}

static void refuses(tenfold_settings settings, tenfold_error code, const char *part) {
    tenfold_context *context = (tenfold_context *)&context;
    CHECK_CODE(code, tenfold_context_create(&settings, &context));
    CHECK(context == NULL);
    CHECK_MESSAGE(part);
}

static void wrong_settings(void) {
    const tenfold_settings plain = TENFOLD_INIT(tenfold_settings);
    tenfold_settings settings = plain;
    settings.threads = -1;
    refuses(settings, TENFOLD_INVALID_ARGUMENT, "threads is -1");
    settings = plain;
    settings.isa = TENFOLD_ISA_SVE + 1;
    refuses(settings, TENFOLD_INVALID_ARGUMENT, "isa is 6");
    settings = plain;
    settings.backend = -3;
    refuses(settings, TENFOLD_INVALID_ARGUMENT, "backend is -3");
    settings = plain;
    settings.reproducible = 3;
    refuses(settings, TENFOLD_INVALID_ARGUMENT, "reproducible is 3");
    settings = plain;
    settings.workspace_limit = -2;
    refuses(settings, TENFOLD_INVALID_ARGUMENT, "workspace_limit is -2");
    settings = plain;
    settings.log_level = 5;
    refuses(settings, TENFOLD_INVALID_ARGUMENT, "log_level is 5");
    settings.log_level = 0;
    settings.watchdog_seconds = -2;
    refuses(settings, TENFOLD_INVALID_ARGUMENT, "watchdog_seconds is -2.000000; it is more than 0");
    settings.watchdog_seconds = 0;
    settings.presence_seconds = NAN;
    refuses(settings, TENFOLD_INVALID_ARGUMENT, "presence_seconds is ");
    settings = plain;
    settings.kc = -1;
    refuses(settings, TENFOLD_INVALID_ARGUMENT, "kc is -1");
#if defined(__x86_64__)
    settings = plain;
    settings.isa = TENFOLD_ISA_NEON;
    refuses(settings, TENFOLD_UNSUPPORTED, "'neon'");
#elif defined(__aarch64__)
    settings = plain;
    settings.isa = TENFOLD_ISA_AVX2;
    refuses(settings, TENFOLD_UNSUPPORTED, "'avx2'");
#endif
}

static void global(void) {
    const tenfold_context *one = NULL, *other = NULL;
    CHECK_CODE(TENFOLD_OK, tenfold_context_global(&one));
    CHECK_CODE(TENFOLD_OK, tenfold_context_global(&other));
    CHECK(one != NULL && one == other);
}

static void names(void) {
    CHECK_TEXT("f32", tenfold_type_name(TENFOLD_F32));
    CHECK_TEXT("f16", tenfold_type_name(TENFOLD_F16));
    CHECK_TEXT("i8", tenfold_type_name(TENFOLD_I8));
    CHECK_TEXT("unknown", tenfold_type_name(-1));
    CHECK_TEXT("unknown", tenfold_type_name(256)); // not 0 modulo 256
    CHECK_TEXT("gemm-loop", tenfold_algorithm_name(TENFOLD_ALGORITHM_GEMM_LOOP));
    CHECK_TEXT("unknown", tenfold_algorithm_name(99));
    CHECK_TEXT("native", tenfold_backend_name(TENFOLD_BACKEND_NATIVE));
    CHECK_TEXT("blis", tenfold_backend_name(TENFOLD_BACKEND_BLIS));
    CHECK_TEXT("unknown", tenfold_backend_name(TENFOLD_BACKEND_DEFAULT));
    CHECK_TEXT("generic", tenfold_isa_name(TENFOLD_ISA_GENERIC));
    CHECK_TEXT("sve", tenfold_isa_name(TENFOLD_ISA_SVE));
    CHECK_TEXT(TENFOLD_TEST_VERSION, tenfold_version());
}

typedef struct messages {
    int plans, rates, others;
} messages;

static void receive(tenfold_log_level level, const char *message, void *user) {
    messages *const seen = user;
    if (level == TENFOLD_LOG_DEBUG && strstr(message, "plan of 'ab=ak*kb', f64: direct") == message)
        ++seen->plans;
    else if (level == TENFOLD_LOG_INFO && strstr(message, "rates of the machine: ") == message)
        ++seen->rates;
    else
        ++seen->others;
}

static void log_messages(void) {
    messages seen = {0, 0, 0};
    tenfold_settings settings = TENFOLD_INIT(tenfold_settings);
    tenfold_context *context = NULL;
    matrix_product product;
    settings.calibration = "off";
    settings.log_level = TENFOLD_LOG_DEBUG;
    settings.log = receive;
    settings.log_user = &seen;
    CHECK_CODE(TENFOLD_OK, tenfold_context_create(&settings, &context));
    set_up(&product);
    for (int i = 0; i < 2; ++i)
        CHECK_CODE(TENFOLD_OK, tenfold_contract(context, "ab=ak*kb", &product.operands,
                                                &product.data, NULL, NULL));
    CHECK(seen.plans == 1 && seen.rates == 1 && seen.others == 0);
    memset(&settings, 0, sizeof settings);
    settings.size = sizeof settings;
    CHECK_CODE(TENFOLD_OK, tenfold_context_settings(context, &settings));
    CHECK(settings.log == receive && settings.log_user == &seen);
    tenfold_context_destroy(context);
}

void context_tests(void) {
    defaults();
    settings_come_back();
    wrong_settings();
    global();
    names();
    log_messages();
}
