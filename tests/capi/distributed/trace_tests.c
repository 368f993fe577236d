// Tests traces.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ranks.h"

/// A file name that all ranks share.
static const char *trace_file(void) {
    static char file[64];
    if (this_rank == 0)
        snprintf(file, sizeof file, "/tmp/tenfold-trace-%ld.json", (long)getpid());
    MPI_Bcast(file, sizeof file, MPI_CHAR, 0, MPI_COMM_WORLD);
    return file;
}

/// Whether the file has the texts, on rank 0.
static int file_says(const char *file, const char *one, const char *other) {
    static char text[1 << 20];
    FILE *const stream = fopen(file, "r");
    if (stream == NULL)
        return 0;
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    return strstr(text, one) != NULL && strstr(text, other) != NULL;
}

static void of_a_contraction(void) {
    tenfold_dist_tensor *const a = MAKE(1, 12, 10), *const b = MAKE(2, 10, 8),
                               *const d = MAKE(3, 12, 8);
    const tenfold_dist_input inputs[] = {{a, 0}, {b, 0}};
    const char *const file = trace_file();
    tenfold_trace_totals totals = TENFOLD_INIT(tenfold_trace_totals);
    tenfold_dist_trace *trace = NULL, *second = (tenfold_dist_trace *)&second;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_trace_create(everyone, &trace));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_trace_create(everyone, &second));
    CHECK_MESSAGE("this world is being traced already");
    CHECK(second == NULL);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_contract("ab=ak*kb", inputs, 2, d, NULL, NULL));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_trace_totals(trace, &totals));
    CHECK(totals.calls > 0 && totals.compute > 0);
    CHECK(totals.overlap >= 0 && totals.overlap <= 1);
    CHECK(totals.under_way >= totals.exposed);
    if (rank_count == 1)
        CHECK(totals.under_way == 0 && totals.overlap == 1);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_trace_write(trace, file));
    if (this_rank == 0) {
        CHECK(file_says(file, "\"traceEvents\":[", "contract"));
        remove(file);
    }
    CHECK_CODE(TENFOLD_OK, tenfold_dist_trace_reset(trace));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_trace_totals(trace, &totals));
    CHECK(totals.calls == 0 && totals.compute == 0 && totals.overlap == 1);
    CHECK(totals.size == sizeof totals);
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "file is NULL",
                 tenfold_dist_trace_write(trace, is_last() ? NULL : file));
    CHECK_CODE(TENFOLD_IO, tenfold_dist_trace_write(trace, "/nowhere/trace.json"));
    tenfold_dist_trace_destroy(trace);
    CHECK_CODE(TENFOLD_OK, tenfold_dist_trace_create(everyone, &trace)); // one after the other
    tenfold_dist_trace_destroy(trace);
    tenfold_dist_destroy(a);
    tenfold_dist_destroy(b);
    tenfold_dist_destroy(d);
}

static void errors(void) {
    tenfold_trace_totals totals = TENFOLD_INIT(tenfold_trace_totals);
    tenfold_dist_trace *trace = (tenfold_dist_trace *)&trace;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_trace_create(NULL, &trace));
    CHECK_MESSAGE("world is NULL");
    CHECK(trace == NULL);
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "trace is NULL",
                 tenfold_dist_trace_create(everyone, is_last() ? NULL : &trace));
    CHECK(trace == NULL);
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_trace_totals(NULL, &totals));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_trace_reset(NULL));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_trace_write(NULL, "x"));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_trace_create(everyone, &trace));
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_trace_totals(trace, NULL));
    totals.size = 1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_dist_trace_totals(trace, &totals));
    tenfold_dist_trace_destroy(trace);
}

void trace_tests(void) {
    of_a_contraction();
    errors();
}
