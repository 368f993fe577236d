// Every code, and its explanation.
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

/// All codes have a sentence of their own.
static void each_code_is_explained(void) {
    char texts[TENFOLD_TAPP_VALUE + 2][200];
    for (int code = 0; code <= TENFOLD_TAPP_VALUE + 1; ++code) {
        const size_t length = TAPP_explain_error(code, 0, NULL);
        CHECK(length > 0 && length < sizeof texts[code]);
        CHECK(TAPP_explain_error(code, sizeof texts[code], texts[code]) == length);
        CHECK(strlen(texts[code]) == length);
        CHECK(TAPP_check_success(code) == (code == 0));
        for (int other = 0; other < code; ++other)
            CHECK(strcmp(texts[code], texts[other]) != 0 ||
                  (code == TENFOLD_TAPP_VALUE + 1 && other == 13)); // those are no codes
    }
    CHECK_EXPLAINED("no code", 13);
    CHECK_EXPLAINED("no code", INT_MIN);
    CHECK(!TAPP_check_success(-1) && !TAPP_check_success(INT_MIN));
}

/// What TAPP says of maxlen.
static void explanations_are_cut(void) {
    char text[] = "........";
    CHECK(TAPP_explain_error(0, 0, text) == strlen("Success.") && text[0] == '.');
    CHECK(TAPP_explain_error(0, 1, text) == 0 && text[0] == '\0' && text[1] == '.');
    CHECK(TAPP_explain_error(0, 5, text) == 4 && strcmp(text, "Succ") == 0 && text[5] == '.');
    CHECK(TAPP_explain_error(0, 9, text) == 8 && strcmp(text, "Success.") == 0);
    CHECK(TAPP_explain_error(0, 9, NULL) == 8);
}

/// Plans what the request says, and expects the code, also of an execution.
static void refused(int code, const request *what, const char *explanation) {
    static const double one = 1;
    const matrix_data before = make_data();
    matrix_data data = before;
    TAPP_tensor_product made = 0;
    TAPP_status status = 0;
    void *told = NULL;
    CHECK_CODE(code, plan(what, &made));
    CHECK_EXPLAINED(explanation, code);
    CHECK_CODE(code,
               TAPP_execute_product(made, 0, &status, &one, data.a, data.b, &one, data.c, data.d));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_attr_get(status, TENFOLD_TAPP_CODE, &told));
    CHECK((intptr_t)told == code);
    CHECK(memcmp(&before, &data, sizeof data) == 0);
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_tensor_product(made));
}

static void codes_of_planning(void) {
    request what = matrix_product(TAPP_F64);
    what.b.extents[0] = 5;
    refused(TENFOLD_TAPP_EXTENTS_OF_A_AND_B, &what,
            "label 'c': A mode 1 has extent 3, B mode 0 has extent 5");
    what = matrix_product(TAPP_F64);
    what.d.extents[0] = what.c.extents[0] = 1;
    refused(TENFOLD_TAPP_EXTENTS_OF_A_AND_D, &what,
            "label 'a': A mode 0 has extent 2, D mode 0 has extent 1");
    what = matrix_product(TAPP_F64);
    what.d.extents[1] = what.c.extents[1] = 2;
    refused(TENFOLD_TAPP_EXTENTS_OF_B_AND_D, &what,
            "label 'b': B mode 1 has extent 4, D mode 1 has extent 2");
    what = matrix_product(TAPP_F64);
    what.d.idx[1] = what.c.idx[1] = -5;
    refused(TENFOLD_TAPP_LABEL_OF_D_ONLY, &what, "label '#-5': D mode 1");
    what = matrix_product(TAPP_F64);
    what.c = dense(TAPP_F64, "a", 2);
    refused(TENFOLD_TAPP_ORDER_OF_C, &what, "C has 1 modes, D has 2");
    what = matrix_product(TAPP_F64);
    what.c = dense(TAPP_F64, "ba", 4, 2);
    refused(TENFOLD_TAPP_LABELS_OF_C, &what, "mode 0 has label 'b' in C and 'a' in D");
    what = matrix_product(TAPP_F64);
    what.c.extents[1] = 3;
    refused(TENFOLD_TAPP_EXTENTS_OF_C, &what,
            "label 'b': C mode 1 has extent 3, D mode 1 has extent 4");
    what = matrix_product(TAPP_F64);
    what.d.strides[1] = 1;
    refused(TENFOLD_TAPP_ALIASING_IN_D, &what, "two elements of D lie at one address");
    what = matrix_product(TAPP_F64);
    what.a = dense(TAPP_F64, "aca", 2, 3, 3);
    refused(TENFOLD_TAPP_EXTENTS_IN_A, &what,
            "label 'a': A mode 0 has extent 2, A mode 2 has extent 3");
    what = matrix_product(TAPP_F64);
    what.b = dense(TAPP_F64, "cbb", 3, 4, 5);
    refused(TENFOLD_TAPP_EXTENTS_IN_B, &what,
            "label 'b': B mode 1 has extent 4, B mode 2 has extent 5");
    what = matrix_product(TAPP_F64);
    what.precision = 2;
    refused(TENFOLD_TAPP_PRECISION, &what, "the precision is 2");
    what = matrix_product(TAPP_F64);
    what.b.op = 2;
    refused(TENFOLD_TAPP_ELEMENT_OP, &what, "the operation on B is 2");
    what = matrix_product(TAPP_F64);
    what.b.type = TAPP_C32;
    refused(TENFOLD_TAPP_REAL_D, &what, "B has type c32, D has type f64");
    what = matrix_product(TAPP_F64);
    what.c.type = TAPP_C64;
    refused(TENFOLD_TAPP_REAL_D, &what, "C has type c64, D has type f64");
    what = matrix_product(TAPP_F64);
    what.d = what.c = dense(TAPP_F64, "a", 2);
    what.d.extents[0] = what.c.extents[0] = what.a.extents[0] = INT64_C(1) << 61;
    what.a.strides[1] = 0;
    what.b = dense(TAPP_F64, "c", 3);
    refused(TENFOLD_TAPP_OVERFLOW, &what, "64 bits");
}

/// A product that could not be made is explained by its own failure, never by a later one.
static void explanations_of_failed_products(void) {
    const double one = 1;
    matrix_data data = make_data();
    request what = matrix_product(TAPP_F64);
    TAPP_tensor_product first = 0, second = 0;
    what.b.extents[0] = 5;
    CHECK_CODE(TENFOLD_TAPP_EXTENTS_OF_A_AND_B, plan(&what, &first));
    what.b.extents[0] = 6;
    CHECK_CODE(TENFOLD_TAPP_EXTENTS_OF_A_AND_B, plan(&what, &second));
    CHECK_EXPLAINED("extent 6", TENFOLD_TAPP_EXTENTS_OF_A_AND_B);
#define EXECUTE(product)                                                                           \
    TAPP_execute_product(product, 0, NULL, &one, data.a, data.b, &one, data.c, data.d)
    CHECK_CODE(TENFOLD_TAPP_EXTENTS_OF_A_AND_B, EXECUTE(second));
    CHECK_EXPLAINED("extent 6", TENFOLD_TAPP_EXTENTS_OF_A_AND_B);
    CHECK_CODE(TENFOLD_TAPP_EXTENTS_OF_A_AND_B, EXECUTE(first));
    CHECK_EXPLAINED("A label of A and B has two extents.", TENFOLD_TAPP_EXTENTS_OF_A_AND_B);
#undef EXECUTE
}

/// A label that D has twice has two extents. A or B must have it, with one of them.
static void code_of_two_extents_in_d(void) {
    request what = matrix_product(TAPP_F64);
    what.a = dense(TAPP_F64, "c", 3);
    what.b = dense(TAPP_F64, "c", 3);
    what.d = what.c = dense(TAPP_F64, "cc", 3, 2);
    refused(TENFOLD_TAPP_EXTENTS_OF_A_AND_D, &what,
            "label 'c': A mode 0 has extent 3, D mode 1 has extent 2");
    // The check of D alone is behind those of A and B: no product reaches code 11.
    CHECK_EXPLAINED("D has twice", TENFOLD_TAPP_EXTENTS_IN_D);
}

static void more_than_64_modes(void) {
    int64_t extents[65], strides[65], idx[65];
    TAPP_tensor_info many, scalar;
    TAPP_tensor_product made = 0;
    for (int i = 0; i < 65; ++i) {
        extents[i] = i == 0 ? 0 : 2;
        strides[i] = 0;
        idx[i] = i;
    }
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_create_tensor_info(&many, TAPP_F64, 65, extents, strides));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_create_tensor_info(&scalar, TAPP_F64, 0, NULL, NULL));
    CHECK_CODE(TENFOLD_TAPP_UNSUPPORTED,
               TAPP_create_tensor_product(&made, 0, 0, many, idx, 0, scalar, NULL, 0, scalar, NULL,
                                          0, scalar, NULL, TAPP_DEFAULT_PREC));
    CHECK_EXPLAINED("65", TENFOLD_TAPP_UNSUPPORTED);
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_tensor_info(many));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_tensor_info(scalar));
}

static void codes_of_execution(void) {
    const double one = 1, zero = 0;
    const matrix_data before = make_data();
    matrix_data data = before;
    request what = matrix_product(TAPP_F64);
    TAPP_tensor_product product;
    CHECK_CODE(TENFOLD_TAPP_OK, plan(&what, &product));
#define EXECUTE(alpha, a, b, beta, c, d)                                                           \
    TAPP_execute_product(product, 0, NULL, alpha, a, b, beta, c, d)
    CHECK_CODE(TENFOLD_TAPP_C_IS_NULL, EXECUTE(&one, data.a, data.b, &one, NULL, data.d));
    CHECK_EXPLAINED("C", TENFOLD_TAPP_C_IS_NULL);
    CHECK_CODE(TENFOLD_TAPP_NULL_POINTER, EXECUTE(&one, NULL, data.b, &zero, NULL, data.d));
    CHECK_EXPLAINED("A is null", TENFOLD_TAPP_NULL_POINTER);
    CHECK_CODE(TENFOLD_TAPP_NULL_POINTER, EXECUTE(&one, data.a, NULL, &zero, NULL, data.d));
    CHECK_CODE(TENFOLD_TAPP_NULL_POINTER, EXECUTE(&one, data.a, data.b, &zero, NULL, NULL));
    CHECK_EXPLAINED("D is null", TENFOLD_TAPP_NULL_POINTER);
    CHECK_CODE(TENFOLD_TAPP_NULL_POINTER, EXECUTE(NULL, data.a, data.b, &zero, NULL, data.d));
    CHECK_EXPLAINED("alpha is null", TENFOLD_TAPP_NULL_POINTER);
    CHECK_CODE(TENFOLD_TAPP_NULL_POINTER, EXECUTE(&one, data.a, data.b, NULL, NULL, data.d));
    CHECK_CODE(TENFOLD_TAPP_OVERLAP, EXECUTE(&one, data.d, data.b, &zero, NULL, data.d));
    CHECK_CODE(TENFOLD_TAPP_OVERLAP, EXECUTE(&one, data.a, data.b, &one, data.d + 1, data.d));
    CHECK_CODE(TENFOLD_TAPP_EXECUTOR, TAPP_execute_product(product, 12345, NULL, &one, data.a,
                                                           data.b, &one, data.c, data.d));
    CHECK_CODE(TENFOLD_TAPP_PRODUCT,
               TAPP_execute_product(0, 0, NULL, &one, data.a, data.b, &one, data.c, data.d));
    CHECK(memcmp(&before, &data, sizeof data) == 0);
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_tensor_product(product));
    CHECK_CODE(TENFOLD_TAPP_PRODUCT, EXECUTE(&one, data.a, data.b, &one, data.c, data.d));
    CHECK_CODE(TENFOLD_TAPP_PRODUCT, TAPP_destroy_tensor_product(product));
#undef EXECUTE
}

/// An A of F16 that is converted to F32 takes more memory than there are addresses.
static void code_of_memory(void) {
    const uint16_t one = 0x3c00, zero = 0, element = 0;
    const float b = 1;
    uint16_t d = 0xffff;
    request what = matrix_product(TAPP_F16);
    what.a = dense(TAPP_F16, "a", 2);
    what.b = dense(TAPP_F32, "");
    what.d = what.c = dense(TAPP_F16, "");
    what.a.extents[0] = INT64_C(1) << 55;
    what.a.strides[0] = 0;
    TAPP_tensor_product product;
    CHECK_CODE(TENFOLD_TAPP_OK, plan(&what, &product));
    CHECK_CODE(TENFOLD_TAPP_MEMORY,
               TAPP_execute_product(product, 0, NULL, &one, &element, &b, &zero, NULL, &d));
    CHECK_EXPLAINED("memory", TENFOLD_TAPP_MEMORY);
    CHECK(d == 0xffff);
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_tensor_product(product));
}

void code_tests(void) {
    each_code_is_explained();
    explanations_are_cut();
    codes_of_planning();
    explanations_of_failed_products();
    code_of_two_extents_in_d();
    more_than_64_modes();
    codes_of_execution();
    code_of_memory();
}
