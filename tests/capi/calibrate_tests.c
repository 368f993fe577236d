// Tests the measurement of the machine. No test depends on how fast it is.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/// What the reports of a measurement said.
typedef struct parts_seen {
    int32_t next;  ///< part
    int32_t parts; ///< of the last report
    int32_t last;  ///< the part whose report asks for a stop
} parts_seen;

static int32_t report(int32_t part, int32_t parts, const char *what, void *user) {
    parts_seen *const seen = user;
    CHECK(part == seen->next && part < parts);
    CHECK(what != NULL && what[0] != '\0');
    ++seen->next;
    seen->parts = parts;
    return part == seen->last;
}

static int has_text(const char *file, const char *text) {
    static char content[1 << 16];
    FILE *const opened = fopen(file, "r");
    size_t size;
    if (opened == NULL)
        return 0;
    size = fread(content, 1, sizeof content - 1, opened);
    content[size] = '\0';
    fclose(opened);
    return strstr(content, text) != NULL;
}

static tenfold_calibration_options quick_options(void) {
    tenfold_calibration_options options = TENFOLD_INIT(tenfold_calibration_options);
    options.threads = 1;
    options.seconds = 0.01;
    return options;
}

static void rates(const tenfold_calibration *calibration, int32_t count) {
    tenfold_rate rate = TENFOLD_INIT(tenfold_rate);
    int has_bandwidth = 0;
    for (int32_t index = 0; index < count; ++index) {
        CHECK_CODE(TENFOLD_OK, tenfold_calibration_rate(calibration, index, &rate));
        CHECK(rate.size == sizeof rate && rate.value >= 0 && rate.typical >= 0);
        CHECK(rate.name[0] != '\0' && rate.meaning[0] != '\0');
        if (strcmp(rate.name, "memory_bandwidth") == 0) {
            CHECK_TEXT("copy in memory, one thread", rate.meaning);
            CHECK(rate.value > 0 && rate.typical > 0);
            has_bandwidth = 1;
        }
    }
    CHECK(has_bandwidth);
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_calibration_rate(calibration, -1, &rate));
    CHECK_MESSAGE("there is no rate -1; the calibration has ");
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_calibration_rate(calibration, count, &rate));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_calibration_rate(NULL, 0, &rate));
    CHECK_MESSAGE("calibration is NULL");
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_calibration_rate(calibration, 0, NULL));
    CHECK_MESSAGE("rate is NULL");
}

/// Rates go to the file, and contexts read them.
static void a_file(const tenfold_context *context, const char *file) {
    tenfold_calibration_options options = quick_options();
    tenfold_calibration_summary summary = TENFOLD_INIT(tenfold_calibration_summary);
    tenfold_calibration *calibration = NULL;
    tenfold_settings settings = TENFOLD_INIT(tenfold_settings);
    tenfold_context *reader = NULL;
    parts_seen seen;
    const char *reason = NULL;
    options.file = file;
    options.progress = report;
    options.user = &seen;
    do { // until other programs leave the cores alone
        tenfold_calibration_destroy(calibration);
        seen = (parts_seen){0, 0, -1};
        CHECK_CODE(TENFOLD_OK, tenfold_calibrate(context, &options, &calibration));
        CHECK(seen.next > 1 && seen.next == seen.parts);
        CHECK_CODE(TENFOLD_OK, tenfold_calibration_summarise(calibration, &summary));
    } while (strstr(summary.fault, "is beyond any machine's") != NULL);
    CHECK_TEXT("", summary.fault);
    CHECK_TEXT(file, summary.file);
    CHECK(summary.cpu[0] != '\0' && has_text(file, "memory_bandwidth"));
    CHECK(summary.isa >= TENFOLD_ISA_GENERIC && summary.threads == 1 && summary.seconds > 0);
    rates(calibration, summary.rate_count);
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_calibration_summarise(NULL, &summary));
    CHECK_MESSAGE("calibration is NULL");
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_calibration_summarise(calibration, NULL));
    CHECK_MESSAGE("summary is NULL");
    tenfold_calibration_destroy(calibration);

    settings.threads = 1;
    settings.calibration = file;
    CHECK_CODE(TENFOLD_OK, tenfold_context_create(&settings, &reader));
    CHECK_CODE(TENFOLD_OK, tenfold_context_rates_reason(reader, &reason));
    CHECK(strstr(reason, "measured with 1 thread, ") == reason);
    tenfold_context_destroy(reader);
    CHECK(remove(file) == 0);
}

/// A stop before the second part: nothing is made, and nothing is written.
static void a_stop(const tenfold_context *context, const char *file) {
    tenfold_calibration_options options = quick_options();
    tenfold_calibration *calibration = (tenfold_calibration *)&calibration;
    parts_seen seen = {0, 0, 1};
    options.file = file;
    options.progress = report;
    options.user = &seen;
    CHECK_CODE(TENFOLD_STOPPED, tenfold_calibrate(context, &options, &calibration));
    CHECK(calibration == NULL && seen.next == 2);
    CHECK(!has_text(file, ""));
}

static void refuses(const tenfold_context *context, tenfold_calibration_options options,
                    const char *part) {
    tenfold_calibration *calibration = (tenfold_calibration *)&calibration;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_calibrate(context, &options, &calibration));
    CHECK(calibration == NULL);
    CHECK_MESSAGE(part);
}

static void wrong_options(const tenfold_context *context) {
    tenfold_calibration_options options = quick_options();
    tenfold_calibration *calibration = NULL;
    options.seconds = -1;
    refuses(context, options, "seconds is -1");
    options.seconds = 601;
    refuses(context, options, "seconds is 601");
    options = quick_options();
    options.threads = -1;
    refuses(context, options, "threads is -1");
    options.threads = 5000;
    refuses(context, options, "threads is 5000");
    options = quick_options();
    options.size = 1;
    refuses(context, options, "calibration options: size is 1");
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_calibrate(NULL, NULL, &calibration));
    CHECK_MESSAGE("context is NULL");
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_calibrate(context, NULL, NULL));
    CHECK_MESSAGE("calibration is NULL");
}

/// A file that cannot be written is no error; contexts with calibration "off" have none.
static void no_file(const tenfold_context *context) {
    tenfold_calibration_options options = quick_options();
    tenfold_calibration_summary summary = TENFOLD_INIT(tenfold_calibration_summary);
    tenfold_calibration *calibration = NULL;
    options.file = "/dev/null/calibration.json";
    CHECK_CODE(TENFOLD_OK, tenfold_calibrate(context, &options, &calibration));
    CHECK_CODE(TENFOLD_OK, tenfold_calibration_summarise(calibration, &summary));
    CHECK_TEXT("", summary.file);
    CHECK(strstr(summary.fault, "'/dev/null/calibration.json' cannot be written") != NULL);
    tenfold_calibration_destroy(calibration);
    options.file = "";
    CHECK_CODE(TENFOLD_OK, tenfold_calibrate(context, &options, &calibration));
    CHECK_CODE(TENFOLD_OK, tenfold_calibration_summarise(calibration, &summary));
    CHECK_TEXT("", summary.file);
    CHECK_TEXT("", summary.fault);
    tenfold_calibration_destroy(calibration);
}

void calibrate_tests(void) {
    tenfold_context *context = make_context();
    const char *const folder = getenv("TENFOLD_TEST_FOLDER");
    char file[4096];
    snprintf(file, sizeof file, "%s/capi-calibration.json", folder != NULL ? folder : ".");
    remove(file);
    wrong_options(context);
    a_stop(context, file);
    a_file(context, file);
    no_file(context);
    tenfold_calibration_destroy(NULL);
    tenfold_context_destroy(context);
}
