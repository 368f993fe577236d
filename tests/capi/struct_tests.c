// Tests that structs with a size may be shorter or longer than the library's.
#include <stddef.h>
#include <string.h>

#include "check.h"

/// What a later version of the header may have.
typedef struct later_options {
    tenfold_contract_options known;
    int64_t unknown;
} later_options;

static tenfold_error plan_with(const tenfold_context *context,
                               const tenfold_contract_options *options) {
    tenfold_contraction_plan *plan = NULL;
    matrix_product product;
    tenfold_error code;
    set_up(&product);
    code = tenfold_contraction_create(context, "ab=ak*kb", &product.operands, options, &plan);
    tenfold_contraction_destroy(plan);
    return code;
}

static void options_of_other_versions(const tenfold_context *context) {
    later_options options;
    memset(&options, 0, sizeof options);
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, plan_with(context, &options.known));
    CHECK_MESSAGE("contract options: size is 0");
    const size_t first_version = offsetof(tenfold_contract_options, path);
    options.known.size = first_version - 1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, plan_with(context, &options.known));
    options.known.size = first_version;
    memset((char *)&options + first_version, 0xff, sizeof options - first_version); // not read
    CHECK_CODE(TENFOLD_OK, plan_with(context, &options.known));
    memset((char *)&options + first_version, 0, sizeof options - first_version);
    options.known.size = sizeof options;
    CHECK_CODE(TENFOLD_OK, plan_with(context, &options.known));
    options.unknown = 1;
    CHECK_CODE(TENFOLD_UNSUPPORTED, plan_with(context, &options.known));
    CHECK_MESSAGE("does not know");
}

typedef struct later_details {
    tenfold_error_details known;
    int64_t unknown;
} later_details;

static void results_of_other_versions(void) {
    later_details details;
    memset(&details, 0, sizeof details);
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_last_error_details(&details.known));
    CHECK_MESSAGE("details: size is 0");
    details.known.size = sizeof details;
    details.unknown = 7;
    CHECK_CODE(TENFOLD_OK, tenfold_last_error_details(&details.known));
    CHECK(details.known.code == TENFOLD_INVALID_ARGUMENT);
    CHECK(details.known.size == sizeof details);
    CHECK(details.unknown == 7);
}

void struct_tests(void) {
    tenfold_context *context = make_context();
    options_of_other_versions(context);
    results_of_other_versions();
    tenfold_context_destroy(context);
}
