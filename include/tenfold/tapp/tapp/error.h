// What functions return.
#ifndef TENFOLD_TAPP_ERROR_H
#define TENFOLD_TAPP_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#include "util.h"

/// 0, or a code of <tapp/tenfold.h>.
typedef int TAPP_error;

/// Whether the code is 0.
TAPP_EXPORT bool TAPP_check_success(TAPP_error error);

/// Explains a code. If it is that of the last call of this thread that failed, the text says what
/// was wrong there: "label 'e': A mode 1 has extent 24, B mode 2 has extent 20". Otherwise it is
/// one sentence about the code.
///
/// With maxlen = 0 nothing is written, and the length of the text is returned, without the final
/// null. Else the text, cut to maxlen - 1 characters, and a null are written to `message`, and the
/// number of characters before the null is returned. A null message is as maxlen = 0.
TAPP_EXPORT size_t TAPP_explain_error(TAPP_error error, size_t maxlen, char *message);

#endif
