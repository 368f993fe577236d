#include <stdint.h>
#include <string.h>

#include "check.h"

static void what_was_given_is_found(void) {
    const int64_t extents[] = {4, 0, 2}, strides[] = {-1, 9, 0};
    int64_t found[] = {7, 7, 7, 7};
    TAPP_tensor_info info = 0;
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_create_tensor_info(&info, TAPP_BF16, 3, extents, strides));
    CHECK(TAPP_get_nmodes(info) == 3);
    TAPP_get_extents(info, found);
    CHECK(memcmp(found, extents, sizeof extents) == 0 && found[3] == 7);
    TAPP_get_strides(info, found);
    CHECK(memcmp(found, strides, sizeof strides) == 0 && found[3] == 7);

    const int64_t others[] = {5, 6, 7};
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_set_extents(info, others));
    TAPP_get_extents(info, found);
    CHECK(memcmp(found, others, sizeof others) == 0);
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_set_strides(info, extents));
    TAPP_get_strides(info, found);
    CHECK(memcmp(found, extents, sizeof extents) == 0);

    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_set_nmodes(info, 4)); // a new mode has extent 1
    CHECK(TAPP_get_nmodes(info) == 4);
    TAPP_get_extents(info, found);
    CHECK(found[2] == 7 && found[3] == 1);
    TAPP_get_strides(info, found);
    CHECK(found[2] == 2 && found[3] == 0);
    found[1] = 9;
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_set_nmodes(info, 1));
    TAPP_get_extents(info, found);
    CHECK(TAPP_get_nmodes(info) == 1 && found[0] == 5 && found[1] == 9);
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_tensor_info(info));
}

static void defaults(void) {
    const int64_t extents[] = {4, 3, 2};
    int64_t strides[3];
    TAPP_tensor_info info = 0;
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_create_tensor_info(&info, TAPP_F32, 3, extents, NULL));
    TAPP_get_strides(info, strides);
    CHECK(strides[0] == 1 && strides[1] == 4 && strides[2] == 12);
    TAPP_get_strides(info, NULL);
    TAPP_get_extents(info, NULL);
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_tensor_info(info));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_create_tensor_info(&info, TAPP_F32, 0, NULL, NULL));
    CHECK(TAPP_get_nmodes(info) == 0);
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_set_extents(info, NULL));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_set_strides(info, NULL));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_tensor_info(info));
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_tensor_info(0));
}

static void wrong_ones_are_refused(void) {
    const int64_t extents[] = {4, -3}, huge[] = {INT64_C(1) << 62, 4}, small[] = {2, 3};
    int64_t found[] = {7, 7};
    TAPP_tensor_info info = 5;
    CHECK_CODE(TENFOLD_TAPP_NEGATIVE_ORDER,
               TAPP_create_tensor_info(&info, TAPP_F32, -1, small, NULL));
    CHECK(info == 0);
    CHECK_EXPLAINED("the number of modes is -1", TENFOLD_TAPP_NEGATIVE_ORDER);
    CHECK_CODE(TENFOLD_TAPP_NEGATIVE_EXTENT,
               TAPP_create_tensor_info(&info, TAPP_F32, 2, extents, NULL));
    CHECK_EXPLAINED("mode 1 has extent -3", TENFOLD_TAPP_NEGATIVE_EXTENT);
    CHECK_CODE(TENFOLD_TAPP_OVERFLOW, TAPP_create_tensor_info(&info, TAPP_F32, 2, huge, NULL));
    CHECK_CODE(TENFOLD_TAPP_NULL_POINTER, TAPP_create_tensor_info(&info, TAPP_F32, 2, NULL, NULL));
    CHECK_CODE(TENFOLD_TAPP_NULL_POINTER, TAPP_create_tensor_info(NULL, TAPP_F32, 2, small, NULL));
    CHECK_CODE(TENFOLD_TAPP_DATATYPE, TAPP_create_tensor_info(&info, 6, 2, small, NULL));
    CHECK_CODE(TENFOLD_TAPP_DATATYPE, TAPP_create_tensor_info(&info, -1, 2, small, NULL));

    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_create_tensor_info(&info, TAPP_F32, 2, small, NULL));
    CHECK_CODE(TENFOLD_TAPP_NEGATIVE_EXTENT, TAPP_set_extents(info, extents));
    CHECK_CODE(TENFOLD_TAPP_NULL_POINTER, TAPP_set_extents(info, NULL));
    CHECK_CODE(TENFOLD_TAPP_NULL_POINTER, TAPP_set_strides(info, NULL));
    CHECK_CODE(TENFOLD_TAPP_NEGATIVE_ORDER, TAPP_set_nmodes(info, -2));
    TAPP_get_extents(info, found);
    CHECK(TAPP_get_nmodes(info) == 2 && found[0] == 2 && found[1] == 3);
    CHECK_CODE(TENFOLD_TAPP_OK, TAPP_destroy_tensor_info(info));

    found[0] = 7;
    CHECK_CODE(TENFOLD_TAPP_TENSOR_INFO, TAPP_destroy_tensor_info(info));
    CHECK_CODE(TENFOLD_TAPP_TENSOR_INFO, TAPP_set_nmodes(info, 2));
    CHECK_CODE(TENFOLD_TAPP_TENSOR_INFO, TAPP_set_extents(info, small));
    CHECK_CODE(TENFOLD_TAPP_TENSOR_INFO, TAPP_set_strides(info, small));
    CHECK(TAPP_get_nmodes(info) == -1);
    TAPP_get_extents(info, found);
    TAPP_get_strides(info, found);
    CHECK(found[0] == 7);
}

void tensor_info_tests(void) {
    what_was_given_is_found();
    defaults();
    wrong_ones_are_refused();
}
