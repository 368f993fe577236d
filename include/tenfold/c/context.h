// Contexts: the settings and the machine that plans are made for.
#ifndef TENFOLD_C_CONTEXT_H
#define TENFOLD_C_CONTEXT_H

#include <tenfold/c/error.h>

TENFOLD_BEGIN_C

/// Which messages there are: settings::log_level of the C++ interface says what they are about.
typedef int32_t tenfold_log_level;
enum {
    TENFOLD_LOG_DEFAULT = 0, ///< the environment's
    TENFOLD_LOG_QUIET = 1,
    TENFOLD_LOG_WARN = 2,
    TENFOLD_LOG_INFO = 3,
    TENFOLD_LOG_DEBUG = 4
};

/// Where a limit is a number of bytes and 0 means the default: no bytes at all.
#define TENFOLD_NO_BYTES INT64_C(-1)

/// Where 0 is the default number of seconds: none, which switches off what would wait for so long.
#define TENFOLD_NO_SECONDS (-1.0)

/// Gets a message, without a newline, that lives during the call. It is called by the thread that
/// causes the message, by several at once where several cause some.
typedef void (*tenfold_log_function)(tenfold_log_level level, const char *message, void *user);

/// What 0 or NULL leaves open is as the environment says (docs/environment.md).
typedef struct tenfold_settings {
    size_t size;
    int32_t threads; ///< 1 to 4096
    tenfold_isa isa;
    tenfold_backend backend;
    tenfold_choice reproducible; ///< the same bits for any number of threads
    int64_t workspace_limit;     ///< bytes; TENFOLD_NO_BYTES: none
    int64_t
        plan_cache_limit; ///< bytes of the plans that one-shot calls keep; TENFOLD_NO_BYTES: none
    int64_t kc, mc, nc;   ///< block sizes of packing
    const char *wisdom;   ///< path of the wisdom file; "": none
    const char *calibration; ///< path of the file of rates; "off": rates are typical ones
    tenfold_log_level log_level;
    tenfold_log_function log; ///< gets the messages that log_level enables; NULL: stderr does
    void *log_user;           ///< is passed to `log`
    /// Of worlds that are made with the context; settings of the C++ interface say more. A world
    /// without progress ends the program after so long; TENFOLD_NO_SECONDS: never.
    double watchdog_seconds;
    /// A rank that waits so long tells where all stand; TENFOLD_NO_SECONDS: never, and nobody
    /// learns that a rank has left.
    double presence_seconds;
} tenfold_settings;

/// Settings, machine, a pool of workspace and a cache of plans. Any number of threads may use one.
typedef struct tenfold_context tenfold_context;

/// `settings` may be NULL. Codes: TENFOLD_UNSUPPORTED for an ISA that this machine lacks, or a
/// backend or a wisdom file that this build lacks; TENFOLD_INVALID_ARGUMENT for a setting out of
/// range, here or in the environment; TENFOLD_OUT_OF_MEMORY.
tenfold_error tenfold_context_create(const tenfold_settings *settings, tenfold_context **context);

/// NULL is ignored. Plans that were made with the context keep what they need of it.
void tenfold_context_destroy(tenfold_context *context);

/// The context of the process, made from the environment at first use. It is not destroyed.
tenfold_error tenfold_context_global(const tenfold_context **context);

/// The settings that are in force, in the form in which they are given. Texts live as long as the
/// context. Set settings->size before.
tenfold_error tenfold_context_settings(const tenfold_context *context, tenfold_settings *settings);

/// Threads of a call that does not set its own number; at least 1.
tenfold_error tenfold_context_threads(const tenfold_context *context, int32_t *threads);

/// The instruction set that is used, and why: "best of this machine", or "asked for". `reason` may
/// be NULL; it lives as long as the context.
tenfold_error tenfold_context_isa(const tenfold_context *context, tenfold_isa *isa,
                                  const char **reason);

/// Where the rates come from with which the cost models count: "measured with 2 threads, ..",
/// "probed, ..", "typical of avx2, ..". The first call may take up to 40 ms. The text lives as long
/// as the context.
tenfold_error tenfold_context_rates_reason(const tenfold_context *context, const char **reason);

TENFOLD_END_C

#endif
