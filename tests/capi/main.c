// Tests the C interface from C. Exits with the number of checks that failed, at most 1.
#include <stdio.h>

#include "check.h"

int main(void) {
    error_tests(); // first: no call of this thread may have failed
    calibrate_tests();
    context_tests();
    contract_tests();
    contraction_epilogue_tests();
    control_tests();
    epilogue_tests();
    executor_tests();
    gemm_tests();
    integer_tests();
    null_tests();
    numpy_rules_tests();
    plan_tests();
    struct_tests();
    thread_tests();
    transpose_tests();
    wrong_number_tests();
    for (tenfold_error code = TENFOLD_OK; code <= TENFOLD_STOPPED; ++code)
        if (code != TENFOLD_IO && code != TENFOLD_DISAGREEMENT && code != TENFOLD_COMMUNICATION)
            check_was_returned(code); // others are those of many ranks
    printf("%d checks failed\n", failed_checks());
    return failed_checks() > 0;
}
