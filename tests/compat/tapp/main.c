// Tests TAPP's interface from C. Exits with 1 if a check failed.
#include <stdio.h>

#include "check.h"

int main(void) {
    code_tests(); // first: no call of this thread may have failed
    attribute_tests();
    batch_tests();
    object_tests();
    product_tests();
    rule_tests();
    tensor_info_tests();
    for (int code = TENFOLD_TAPP_OK; code <= TENFOLD_TAPP_VALUE; ++code)
        if (code != 13 && code != TENFOLD_TAPP_EXTENTS_IN_D) // no code; one that others come before
            check_was_returned(code);
    printf("%d checks failed\n", failed_checks());
    return failed_checks() > 0;
}
