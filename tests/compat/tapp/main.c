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
    printf("%d checks failed\n", failed_checks());
    return failed_checks() > 0;
}
