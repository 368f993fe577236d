// Tests checkpoints, .npy files and HDF5 files.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ranks.h"

/// A folder that all ranks share.
static char folder[100];

static const char *path(const char *name) {
    static char text[200];
    snprintf(text, sizeof text, "%s/%s", folder, name);
    return text;
}

static void remove_file(const char *name) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (this_rank == 0)
        remove(path(name));
    MPI_Barrier(MPI_COMM_WORLD);
}

static void fill_expected(double *expected, int salt) {
    for (int64_t i = 0; i < 30; ++i)
        expected[i] = value_at((const int64_t[]){i % 6, i / 6}, 2, salt);
}

static void check_stored(tenfold_stored_list *list, int32_t index, const char *name) {
    tenfold_stored_tensor stored = TENFOLD_INIT(tenfold_stored_tensor);
    CHECK_CODE(TENFOLD_OK, tenfold_stored_get(list, index, &stored));
    CHECK_TEXT(name, stored.name);
    CHECK(stored.type == TENFOLD_F64 && stored.order == 2);
    CHECK(stored.extents[0] == 6 && stored.extents[1] == 5);
}

static void checkpoints(void) {
    tenfold_dist_tensor *const a = MAKE(1, 6, 5), *const b = MAKE(2, 6, 5),
                               *const to = MAKE(0, 6, 5);
    const tenfold_named_tensor saved[] = {{"first", a}, {"second", b}};
    const tenfold_named_tensor loaded = {"second", to}, unknown = {"third", to};
    tenfold_file_options options = TENFOLD_INIT(tenfold_file_options);
    tenfold_stored_list *list = NULL;
    double expected[30];
    int32_t count = 0;
    options.block_bytes = 64;
    CHECK_CODE(TENFOLD_OK, tenfold_dist_save(everyone, path("checkpoint"), saved, 2, &options));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_load(everyone, path("checkpoint"), &loaded, 1, NULL));
    fill_expected(expected, 2);
    CHECK(holds(to, expected));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_stored(everyone, path("checkpoint"), &list));
    CHECK_CODE(TENFOLD_OK, tenfold_stored_count(list, &count));
    CHECK(count == 2);
    check_stored(list, 0, "first");
    check_stored(list, 1, "second");
    {
        tenfold_stored_tensor stored = TENFOLD_INIT(tenfold_stored_tensor);
        CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_stored_get(list, 2, &stored));
        CHECK_MESSAGE("there is no tensor 2; the file has 2");
        CHECK_CODE(TENFOLD_INVALID_ARGUMENT, tenfold_stored_get(list, -1, &stored));
    }
    tenfold_stored_destroy(list);
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "third",
                 tenfold_dist_load(everyone, path("checkpoint"), &unknown, 1, NULL));
    remove_file("checkpoint");
    tenfold_dist_destroy(a);
    tenfold_dist_destroy(b);
    tenfold_dist_destroy(to);
}

static void npy(void) {
    tenfold_dist_tensor *const a = MAKE(3, 6, 5), *const to = MAKE(0, 6, 5),
                               *const other = MAKE(0, 5, 6);
    tenfold_stored_list *list = NULL;
    double expected[30];
    CHECK_CODE(TENFOLD_OK, tenfold_dist_save_npy(path("a.npy"), a, NULL));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_load_npy(path("a.npy"), to, NULL));
    fill_expected(expected, 3);
    CHECK(holds(to, expected));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_stored_npy(everyone, path("a.npy"), &list));
    check_stored(list, 0, "");
    tenfold_stored_destroy(list);
    FAILS_ON_ALL(TENFOLD_EXTENT_MISMATCH, "", tenfold_dist_load_npy(path("a.npy"), other, NULL));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "file is NULL",
                 tenfold_dist_load_npy(is_last() ? NULL : path("a.npy"), to, NULL));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "file is NULL",
                 tenfold_dist_save_npy(is_last() ? NULL : path("a.npy"), to, NULL));
    remove_file("a.npy");
    FAILS_ON_ALL(TENFOLD_IO, "a.npy", tenfold_dist_load_npy(path("a.npy"), to, NULL));
    FAILS_ON_ALL(TENFOLD_IO, "a.npy", tenfold_dist_stored_npy(everyone, path("a.npy"), &list));
    CHECK(list == NULL);
    tenfold_dist_destroy(a);
    tenfold_dist_destroy(to);
    tenfold_dist_destroy(other);
}

static void hdf5(void) {
    tenfold_dist_tensor *const a = MAKE(4, 6, 5), *const to = MAKE(0, 6, 5);
    const tenfold_named_tensor saved = {"group/A", a}, loaded = {"group/A", to};
    tenfold_stored_list *list = NULL;
    double expected[30];
#ifdef TENFOLD_TEST_HDF5
    CHECK_CODE(TENFOLD_OK, tenfold_dist_save_hdf5(everyone, path("a.h5"), &saved, 1, NULL));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_load_hdf5(everyone, path("a.h5"), &loaded, 1, NULL));
    fill_expected(expected, 4);
    CHECK(holds(to, expected));
    CHECK_CODE(TENFOLD_OK, tenfold_dist_stored_hdf5(everyone, path("a.h5"), "group/A", &list));
    check_stored(list, 0, "/group/A");
    tenfold_stored_destroy(list);
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "",
                 tenfold_dist_stored_hdf5(everyone, path("a.h5"), "group/B", &list));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "dataset is NULL",
                 tenfold_dist_stored_hdf5(everyone, path("a.h5"), is_last() ? NULL : "A", &list));
    remove_file("a.h5");
#else
    (void)expected;
    FAILS_ON_ALL(TENFOLD_UNSUPPORTED, "HDF5",
                 tenfold_dist_save_hdf5(everyone, path("a.h5"), &saved, 1, NULL));
    FAILS_ON_ALL(TENFOLD_UNSUPPORTED, "HDF5",
                 tenfold_dist_load_hdf5(everyone, path("a.h5"), &loaded, 1, NULL));
    FAILS_ON_ALL(TENFOLD_UNSUPPORTED, "HDF5",
                 tenfold_dist_stored_hdf5(everyone, path("a.h5"), "group/A", &list));
#endif
    tenfold_dist_destroy(a);
    tenfold_dist_destroy(to);
}

/// Lists of tensors that one rank spoils, and files that are not there.
static void errors(void) {
    tenfold_dist_tensor *const a = MAKE(1, 6, 5);
    const tenfold_named_tensor right = {"A", a}, nameless = {NULL, a}, nothing = {"A", NULL};
    const tenfold_named_tensor twice[] = {{"A", a}, {"A", a}};
    tenfold_file_options options = TENFOLD_INIT(tenfold_file_options);
    tenfold_stored_list *list = (tenfold_stored_list *)&list;
    tenfold_stop *stop = NULL;
    tenfold_control control = TENFOLD_INIT(tenfold_control);
    FAILS_ON_ALL(TENFOLD_IO, "nowhere",
                 tenfold_dist_load(everyone, path("nowhere"), &right, 1, NULL));
    FAILS_ON_ALL(TENFOLD_IO, "nowhere", tenfold_dist_stored(everyone, path("nowhere"), &list));
    CHECK(list == NULL);
    FAILS_ON_ALL(TENFOLD_IO, "", tenfold_dist_save(everyone, path("no/folder"), &right, 1, NULL));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "",
                 tenfold_dist_save(everyone, path("x"), twice, 2, NULL));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "the name of tensor 0 is NULL",
                 tenfold_dist_save(everyone, path("x"), is_last() ? &nameless : &right, 1, NULL));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "tensor 0 is NULL",
                 tenfold_dist_load(everyone, path("x"), is_last() ? &nothing : &right, 1, NULL));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "tensors is NULL",
                 tenfold_dist_save(everyone, path("x"), is_last() ? NULL : &right, 1, NULL));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "count is -1",
                 tenfold_dist_save(everyone, path("x"), &right, is_last() ? -1 : 1, NULL));
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "file is NULL",
                 tenfold_dist_stored(everyone, is_last() ? NULL : path("x"), &list));
    options.block_bytes = 1;
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "",
                 tenfold_dist_save(everyone, path("x"), &right, 1, &options));
    options.size = is_last() ? 1 : sizeof options;
    options.block_bytes = 0;
    FAILS_ON_ALL(TENFOLD_INVALID_ARGUMENT, "options: size is 1",
                 tenfold_dist_save(everyone, path("x"), &right, 1, &options));
    options.size = sizeof options;
    CHECK_CODE(TENFOLD_OK, tenfold_stop_create(&stop));
    if (is_last()) {
        CHECK_CODE(TENFOLD_OK, tenfold_stop_request(stop));
        control.stop = stop;
        options.control = &control;
    }
    FAILS_ON_ALL(TENFOLD_STOPPED, "", tenfold_dist_save(everyone, path("x"), &right, 1, &options));
    tenfold_stop_destroy(stop);
    tenfold_dist_destroy(a);
}

void file_tests(void) {
    const char *const temporary = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/tenfold_capi_XXXXXX", temporary ? temporary : "/tmp");
    if (this_rank == 0)
        CHECK(mkdtemp(folder) != NULL);
    MPI_Bcast(folder, (int)sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    checkpoints();
    npy();
    hdf5();
    errors();
    MPI_Barrier(MPI_COMM_WORLD);
    if (this_rank == 0)
        CHECK(rmdir(folder) == 0); // nothing is left over
}
