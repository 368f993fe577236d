// Measures how fast the machine is, so that plans are priced by that (docs/guide.md, Calibration).
#ifndef TENFOLD_C_CALIBRATE_H
#define TENFOLD_C_CALIBRATE_H

#include <tenfold/c/context.h>

TENFOLD_BEGIN_C

/// Is called before each part of the work, by the thread that made the call, with the part's number
/// from 0, the number of parts, and a word or two. Anything but 0 ends the call with
/// TENFOLD_STOPPED, and nothing is written.
typedef int32_t (*tenfold_calibration_progress)(int32_t part, int32_t parts, const char *what,
                                                void *user);

typedef struct tenfold_calibration_options {
    size_t size;
    int32_t threads; ///< 0: the context's
    double seconds;  ///< how long it may take, roughly; less is noisier; 0: 10 s
    /// Where the rates are written; NULL or "": the file that contexts with the context's settings
    /// read. Where that is "off", or there is no home directory, nothing is written.
    const char *file;
    tenfold_calibration_progress progress; ///< NULL: nobody asks
    void *user;                            ///< is passed to `progress`
} tenfold_calibration_options;

/// What was measured. It does not change; any number of threads may use one.
typedef struct tenfold_calibration tenfold_calibration;

/// Measures all rates for the context's instruction set, and adds them to the file, beside those of
/// other processors, instruction sets and numbers of threads. Contexts read the file when they make
/// their first plan. Nothing else should run meanwhile. Takes memory for two arrays of four times
/// the last-level cache, 192 MiB to 1 GiB each, at most an eighth of the machine's memory.
///
/// A file that cannot be written, and rates beyond any machine's, measured beside other work, are
/// no errors: `fault` of the summary says so. `options` may be NULL. Codes:
/// TENFOLD_INVALID_ARGUMENT unless seconds is at most 600 and threads at most 4096,
/// TENFOLD_OUT_OF_MEMORY, TENFOLD_STOPPED. *calibration is NULL unless TENFOLD_OK is returned.
tenfold_error tenfold_calibrate(const tenfold_context *context,
                                const tenfold_calibration_options *options,
                                tenfold_calibration **calibration);

/// NULL is ignored.
void tenfold_calibration_destroy(tenfold_calibration *calibration);

/// Texts live as long as the calibration.
typedef struct tenfold_calibration_summary {
    size_t size;
    tenfold_isa isa;
    int32_t threads;
    double seconds;    ///< that measuring took
    const char *cpu;   ///< the processor's name in the file
    const char *file;  ///< that has the rates now; "": none
    const char *fault; ///< why a file could not be written, with its name; else ""
    int32_t rate_count;
} tenfold_calibration_summary;

/// Set summary->size before.
tenfold_error tenfold_calibration_summarise(const tenfold_calibration *calibration,
                                            tenfold_calibration_summary *summary);

/// One of the machine's rates. Texts live as long as the process.
typedef struct tenfold_rate {
    size_t size;
    const char *name;    ///< as in the file: "memory_bandwidth"
    const char *meaning; ///< "copy in memory, one thread"
    double value;        ///< in flops, bytes or seconds, or a share
    double typical;      ///< of the instruction set: what plans assume without a calibration
} tenfold_rate;

/// Number `index`. Set rate->size before. TENFOLD_INVALID_ARGUMENT unless index is at least 0 and
/// less than rate_count.
tenfold_error tenfold_calibration_rate(const tenfold_calibration *calibration, int32_t index,
                                       tenfold_rate *rate);

TENFOLD_END_C

#endif
