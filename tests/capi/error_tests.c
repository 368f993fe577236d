// Tests codes, their names, and the last error in fields.
#include <string.h>

#include "check.h"

/// Plans with these extents and expects a code.
static void plan_fails(tenfold_error code, const char *expression, const tenfold_tensor *inputs,
                       int32_t count, const tenfold_tensor *d) {
    tenfold_context *context = make_context();
    tenfold_contraction_plan *plan = (tenfold_contraction_plan *)&plan;
    const tenfold_operands operands = {inputs, count, NULL, d};
    CHECK_CODE(code, tenfold_contraction_create(context, expression, &operands, NULL, &plan));
    CHECK(plan == NULL);
    CHECK(last_details().code == code);
    tenfold_context_destroy(context);
}

static void check_operand(tenfold_error_operand operand, const char *name, int32_t mode,
                          int64_t extent) {
    CHECK_TEXT(name, operand.name);
    CHECK(operand.mode == mode);
    CHECK(operand.extent == extent);
}

/// No fields but those of the operands.
static void check_no_more(tenfold_error_details details) {
    CHECK(details.position == -1);
    CHECK(details.least_bytes == -1);
}

static void nothing_has_failed(void) {
    const tenfold_error_details details = last_details();
    CHECK_TEXT("", tenfold_last_error());
    CHECK(details.code == TENFOLD_OK);
    CHECK_TEXT("", details.label);
    check_operand(details.first, "", -1, -1);
    check_operand(details.second, "", -1, -1);
    CHECK(details.first.order == -1 && details.first.type == -1);
    check_no_more(details);
}

static void names(void) {
    static const char *const all[] = {"ok",
                                      "syntax",
                                      "unknown_label",
                                      "repeated_label",
                                      "order_mismatch",
                                      "extent_mismatch",
                                      "type_mismatch",
                                      "invalid_argument",
                                      "overflow",
                                      "overlap",
                                      "null_pointer",
                                      "workspace_too_small",
                                      "out_of_memory",
                                      "unsupported",
                                      "io",
                                      "disagreement",
                                      "communication",
                                      "stopped"};
    for (tenfold_error code = TENFOLD_OK; code <= TENFOLD_STOPPED; ++code)
        CHECK_TEXT(all[code], tenfold_error_name(code));
    CHECK_TEXT("unknown", tenfold_error_name(TENFOLD_STOPPED + 1));
    CHECK_TEXT("unknown", tenfold_error_name(-1));
}

static void extent_mismatch(void) {
    const tenfold_tensor inputs[] = {TENSOR(TENFOLD_F64, 2, 24, 3, 4),
                                     TENSOR(TENFOLD_F64, 5, 4, 6, 20)};
    const tenfold_tensor d = TENSOR(TENFOLD_F64, 2, 3, 6, 5);
    plan_fails(TENFOLD_EXTENT_MISMATCH, "abcd=aebf*dfce", inputs, 2, &d);
    CHECK_TEXT("label 'e': A mode 1 has extent 24, B mode 3 has extent 20", tenfold_last_error());
    CHECK_TEXT("e", last_details().label);
    check_operand(last_details().first, "A", 1, 24);
    check_operand(last_details().second, "B", 3, 20);
    check_no_more(last_details());
}

static void extent_mismatch_of_many(void) {
    const tenfold_tensor inputs[] = {TENSOR(TENFOLD_F64, 2, 3), TENSOR(TENFOLD_F64, 3, 4),
                                     TENSOR(TENFOLD_F64, 5, 6)};
    const tenfold_tensor d = TENSOR(TENFOLD_F64, 2, 6);
    plan_fails(TENFOLD_EXTENT_MISMATCH, "ij,jk,kl->il", inputs, 3, &d);
    CHECK_TEXT("k", last_details().label);
    check_operand(last_details().first, "input 2", 1, 4);
    check_operand(last_details().second, "input 3", 0, 5);
}

static void order_mismatch(void) {
    const tenfold_tensor inputs[] = {TENSOR(TENFOLD_F64, 2, 3), TENSOR(TENFOLD_F64, 3, 4, 5)};
    const tenfold_tensor d = TENSOR(TENFOLD_F64, 2, 4);
    plan_fails(TENFOLD_ORDER_MISMATCH, "ab=ak*kb", inputs, 2, &d);
    CHECK_TEXT("B", last_details().first.name);
    CHECK(last_details().first.order == 3);
    CHECK(last_details().second.order == 2);
    CHECK(last_details().position == 6);
    // Another number of tensors than the expression has.
    plan_fails(TENFOLD_ORDER_MISMATCH, "ab=ak*kb", inputs, 1, &d);
}

static void labels(void) {
    const tenfold_tensor inputs[] = {TENSOR(TENFOLD_F64, 2, 3), TENSOR(TENFOLD_F64, 3, 2)};
    const tenfold_tensor d = TENSOR(TENFOLD_F64, 2, 2);
    plan_fails(TENFOLD_UNKNOWN_LABEL, "ax=ak*ka", inputs, 2, &d);
    CHECK_TEXT("x", last_details().label);
    CHECK(last_details().position == 1);
    plan_fails(TENFOLD_REPEATED_LABEL, "aa=ak*ka", inputs, 2, &d);
    CHECK_TEXT("a", last_details().label);
    CHECK_TEXT("D", last_details().first.name);
}

static void types(void) {
    const tenfold_tensor inputs[] = {TENSOR(TENFOLD_F32, 2, 3), TENSOR(TENFOLD_C64, 3, 4)};
    const tenfold_tensor d = TENSOR(TENFOLD_F32, 2, 4);
    plan_fails(TENFOLD_TYPE_MISMATCH, "ab=ak*kb", inputs, 2, &d);
    CHECK_TEXT("B", last_details().first.name);
    CHECK(last_details().first.type == TENFOLD_C64);
    CHECK_TEXT("D", last_details().second.name);
    CHECK(last_details().second.type == TENFOLD_F32);
    check_no_more(last_details());
}

static void syntax(void) {
    const tenfold_tensor inputs[] = {TENSOR(TENFOLD_F64, 2, 3), TENSOR(TENFOLD_F64, 3, 4)};
    const tenfold_tensor d = TENSOR(TENFOLD_F64, 2, 4);
    plan_fails(TENFOLD_SYNTAX, "ab=ak*?b", inputs, 2, &d);
    CHECK(last_details().position == 6);
    CHECK(strchr(tenfold_last_error(), '^') != NULL);
}

static void sizes(void) {
    const tenfold_tensor huge[] = {TENSOR(TENFOLD_F64, INT64_C(1) << 40, INT64_C(1) << 40),
                                   TENSOR(TENFOLD_F64, INT64_C(1) << 40, 1)};
    const tenfold_tensor d = TENSOR(TENFOLD_F64, INT64_C(1) << 40, 1);
    plan_fails(TENFOLD_OVERFLOW, "ab=ak*kb", huge, 2, &d);
}

static void output_that_overlaps_itself(void) {
    const int64_t extents[] = {2, 4}, strides[] = {1, 0};
    const tenfold_tensor inputs[] = {TENSOR(TENFOLD_F64, 2, 3), TENSOR(TENFOLD_F64, 3, 4)};
    const tenfold_tensor d = {TENFOLD_F64, 2, extents, strides, 0};
    plan_fails(TENFOLD_OVERLAP, "ab=ak*kb", inputs, 2, &d);
    CHECK_TEXT("D", last_details().first.name);
    CHECK_TEXT("", last_details().second.name);
}

static void invalid_tensors(void) {
    const tenfold_tensor inputs[] = {TENSOR(TENFOLD_F64, 2, 3), TENSOR(TENFOLD_F64, 3, 4)};
    tenfold_tensor d = TENSOR(TENFOLD_F64, 2, 4);
    d.conjugated = 1;
    plan_fails(TENFOLD_INVALID_ARGUMENT, "ab=ak*kb", inputs, 2, &d);
    CHECK_MESSAGE("D is conjugated");
    d.conjugated = 0;
    d.type = 1000;
    plan_fails(TENFOLD_INVALID_ARGUMENT, "ab=ak*kb", inputs, 2, &d);
    CHECK_MESSAGE("1000");
    d.type = TENFOLD_I8; // of integers only i32 is an output
    plan_fails(TENFOLD_TYPE_MISMATCH, "ab=ak*kb", inputs, 2, &d);
    d.type = TENFOLD_F64;
    d.order = -1;
    plan_fails(TENFOLD_INVALID_ARGUMENT, "ab=ak*kb", inputs, 2, &d);
    CHECK_MESSAGE("D: order is -1");
    plan_fails(TENFOLD_INVALID_ARGUMENT, "ab=ak*kb", inputs, 0, &d);
    plan_fails(TENFOLD_INVALID_ARGUMENT, "ab=ak*kb", inputs, -1, &d);
}

/// Errors that a binding finds itself.
static void from_a_binding(void) {
    tenfold_error_details found = TENFOLD_INIT(tenfold_error_details), kept;
    found.code = TENFOLD_EXTENT_MISMATCH;
    found.label = "k";
    found.first.name = "x";
    found.first.mode = 1;
    found.first.extent = 5;
    found.first.order = found.second.order = found.first.type = found.second.type = -1;
    found.second.mode = found.second.extent = found.position = found.least_bytes = -1;
    CHECK_CODE(TENFOLD_EXTENT_MISMATCH, tenfold_set_last_error(&found, "x is too long"));
    CHECK_TEXT("x is too long", tenfold_last_error());
    kept = last_details();
    CHECK(kept.code == TENFOLD_EXTENT_MISMATCH);
    CHECK_TEXT("k", kept.label);
    check_operand(kept.first, "x", 1, 5);
    check_operand(kept.second, "", -1, -1);
    CHECK(kept.first.order == -1 && kept.first.type == -1);
    check_no_more(kept);
    // What is set may be the last error itself, changed.
    kept.second.type = TENFOLD_C64;
    kept.second.order = 3;
    kept.least_bytes = 100;
    kept.position = 7;
    CHECK_CODE(TENFOLD_EXTENT_MISMATCH, tenfold_set_last_error(&kept, tenfold_last_error()));
    CHECK_TEXT("x is too long", tenfold_last_error());
    check_operand(last_details().first, "x", 1, 5);
    CHECK(last_details().second.type == TENFOLD_C64 && last_details().second.order == 3);
    CHECK(last_details().least_bytes == 100 && last_details().position == 7);
    for (tenfold_type type = TENFOLD_I8; type <= TENFOLD_I32; ++type) {
        kept.first.type = type;
        CHECK_CODE(TENFOLD_EXTENT_MISMATCH, tenfold_set_last_error(&kept, "of integers"));
        CHECK(last_details().first.type == type);
    }
    kept.first.type = TENFOLD_F16 + 1; // no type
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_set_last_error(&kept, "x"));
    CHECK_MESSAGE("the type of an operand is 6");
    found.code = TENFOLD_OK;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_set_last_error(&found, "x"));
    CHECK_MESSAGE("code is 0, which is no error's");
    found.code = TENFOLD_STOPPED + 1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_set_last_error(&found, "x"));
    found.code = -1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_set_last_error(&found, "x"));
    found.code = TENFOLD_IO;
    found.second.type = 200;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_set_last_error(&found, "x"));
    CHECK_MESSAGE("the type of an operand is 200");
    found.size = 1;
    CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_set_last_error(&found, "x"));
    CHECK_MESSAGE("details: size is 1");
}

void error_tests(void) {
    nothing_has_failed();
    names();
    extent_mismatch();
    extent_mismatch_of_many();
    order_mismatch();
    labels();
    types();
    syntax();
    sizes();
    output_that_overlaps_itself();
    invalid_tensors();
    from_a_binding();
}
