// The Tucker decomposition of an image by TAPP's interface: a small core and a matrix of
// orthonormal columns for each of the modes row, column and colour, from which the image is made
// again. It runs with every implementation of TAPP.
//
//     cc -std=c99 tucker.c $(pkg-config --cflags --libs tenfold_tapp) -lm
//     ./a.out [IMAGE.ppm]
//
// Without a file, the image is drawn. Files are PPM of kind P6; the two images are written beside
// it as tucker_before.ppm and tucker_after.ppm. The error is checked: the factors are orthonormal,
// so that what the core lacks of the image's norm is what the image that was made again lacks (De
// Lathauwer et al. 2000).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <tapp.h>

enum { modes = 3, sweeps = 60 };

/// A dense tensor, the first mode fastest. A matrix has two modes.
typedef struct tensor {
    int order;
    int64_t extents[modes];
    double *data;
} tensor;

static void fail(const char *why) {
    fprintf(stderr, "%s\n", why);
    exit(1);
}

static void must(TAPP_error code) {
    char text[256];
    if (TAPP_check_success(code))
        return;
    TAPP_explain_error(code, sizeof text, text);
    fail(text);
}

static size_t size_of(const tensor *of) {
    size_t size = 1;
    for (int mode = 0; mode < of->order; ++mode)
        size *= (size_t)of->extents[mode];
    return size;
}

static tensor make(int order, int64_t first, int64_t second, int64_t third) {
    tensor made = {order, {first, second, third}, NULL};
    made.data = calloc(size_of(&made), sizeof(double));
    if (made.data == NULL)
        fail("out of memory");
    return made;
}

static TAPP_tensor_info describe(const tensor *of) {
    TAPP_tensor_info info;
    int64_t strides[modes], stride = 1;
    for (int mode = 0; mode < of->order; ++mode) {
        strides[mode] = stride;
        stride *= of->extents[mode];
    }
    must(TAPP_create_tensor_info(&info, TAPP_F64, of->order, of->extents, strides));
    return info;
}

/// result = a * b, summed over the labels that the result lacks.
static void multiply(const tensor *a, const int64_t *a_labels, const tensor *b,
                     const int64_t *b_labels, tensor *result, const int64_t *labels) {
    static TAPP_handle handle;
    static TAPP_executor exec;
    if (exec == 0) {
        must(TAPP_create_handle(&handle));
        must(TAPP_create_executor(&exec));
    }
    const TAPP_tensor_info a_info = describe(a), b_info = describe(b), info = describe(result);
    const double one = 1, zero = 0;
    TAPP_tensor_product product;
    TAPP_status status;
    must(TAPP_create_tensor_product(&product, handle, TAPP_IDENTITY, a_info, a_labels,
                                    TAPP_IDENTITY, b_info, b_labels, TAPP_IDENTITY, info, labels,
                                    TAPP_IDENTITY, info, labels, TAPP_DEFAULT_PREC));
    must(TAPP_execute_product(product, exec, &status, &one, a->data, b->data, &zero, NULL,
                              result->data));
    must(TAPP_destroy_status(status));
    must(TAPP_destroy_tensor_product(product));
    must(TAPP_destroy_tensor_info(a_info));
    must(TAPP_destroy_tensor_info(b_info));
    must(TAPP_destroy_tensor_info(info));
}

/// Replaces one mode: by the columns of the factor if it goes to the core, by its rows back.
static void along_mode(tensor *x, int mode, const tensor *factor, int to_core) {
    const int64_t wide = 'n', narrow = 'r';
    const int64_t factor_labels[] = {wide, narrow};
    int64_t from[] = {'x', 'y', 'z'}, to[] = {'x', 'y', 'z'};
    from[mode] = to_core ? wide : narrow;
    to[mode] = to_core ? narrow : wide;
    int64_t extents[modes] = {x->extents[0], x->extents[1], x->extents[2]};
    extents[mode] = factor->extents[to_core ? 1 : 0];
    tensor made = make(modes, extents[0], extents[1], extents[2]);
    multiply(x, from, factor, factor_labels, &made, to);
    free(x->data);
    *x = made;
}

/// Makes the columns orthonormal, one after the other, twice for the sake of rounding.
static void orthonormalise(tensor *matrix) {
    const int64_t rows = matrix->extents[0];
    for (int64_t j = 0; j < matrix->extents[1]; ++j) {
        double *const column = matrix->data + j * rows;
        for (int repeat = 0; repeat < 2; ++repeat)
            for (int64_t k = 0; k < j; ++k) {
                const double *const other = matrix->data + k * rows;
                double inner = 0;
                for (int64_t i = 0; i < rows; ++i)
                    inner += column[i] * other[i];
                for (int64_t i = 0; i < rows; ++i)
                    column[i] -= inner * other[i];
            }
        double norm = 0;
        for (int64_t i = 0; i < rows; ++i)
            norm += column[i] * column[i];
        norm = sqrt(norm);
        for (int64_t i = 0; i < rows && norm > 0; ++i)
            column[i] /= norm;
    }
}

/// The leading eigenvectors of what the image is along a mode, times itself: by multiplying a
/// subspace again and again.
static tensor factor_of(const tensor *image, int mode, int64_t rank) {
    const int64_t extent = image->extents[mode];
    tensor gram = make(2, extent, extent, 1), factor = make(2, extent, rank, 1);
    tensor next = make(2, extent, rank, 1);
    int64_t first[] = {'x', 'y', 'z'}, second[] = {'x', 'y', 'z'};
    first[mode] = 'p';
    second[mode] = 'q';
    const int64_t pq[] = {'p', 'q'}, qr[] = {'q', 'r'}, pr[] = {'p', 'r'};
    multiply(image, first, image, second, &gram, pq);
    for (int64_t i = 0; i < extent * rank; ++i) // anything that is no eigenvector
        factor.data[i] = sin(1.0 + (double)(i * i % 1009));
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        orthonormalise(&factor);
        multiply(&gram, pq, &factor, qr, &next, pr);
        double *const swapped = factor.data;
        factor.data = next.data;
        next.data = swapped;
    }
    orthonormalise(&factor);
    free(gram.data);
    free(next.data);
    return factor;
}

static double squared_norm(const tensor *of) {
    double sum = 0;
    for (size_t i = 0; i < size_of(of); ++i)
        sum += of->data[i] * of->data[i];
    return sum;
}

/// A sky, a sun with a soft edge, and hills.
static tensor drawn_image(void) {
    tensor image = make(modes, 96, 128, 3);
    for (int64_t row = 0; row < 96; ++row)
        for (int64_t column = 0; column < 128; ++column) {
            const double x = (double)column / 128, y = (double)row / 96;
            const double sun = 1 / (1 + exp(60 * (hypot(x - 0.7, y - 0.3) - 0.12)));
            const double hill = 1 / (1 + exp(-50 * (y - 0.75 - 0.1 * sin(9 * x))));
            const double colours[3] = {0.3 + 0.4 * y + sun, 0.5 + 0.2 * y + 0.8 * sun,
                                       0.9 - 0.2 * y};
            const double ground[3] = {0.2, 0.45 + 0.2 * x, 0.15};
            for (int colour = 0; colour < 3; ++colour)
                image.data[row + 96 * (column + 128 * colour)] =
                    (1 - hill) * fmin(colours[colour], 1) + hill * ground[colour];
        }
    return image;
}

static tensor read_image(const char *path) {
    FILE *const file = fopen(path, "rb");
    int columns = 0, rows = 0, most = 0;
    if (file == NULL || fscanf(file, "P6 %d %d %d", &columns, &rows, &most) != 3 || most != 255 ||
        columns < 1 || rows < 1 || fgetc(file) == EOF)
        fail("this is no PPM file of kind P6 with 255 shades");
    tensor image = make(modes, rows, columns, 3);
    for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column)
            for (int64_t colour = 0; colour < 3; ++colour) {
                const int shade = fgetc(file);
                if (shade == EOF)
                    fail("the file is too short");
                image.data[row + rows * (column + columns * colour)] = shade / 255.0;
            }
    fclose(file);
    return image;
}

static void write_image(const char *path, const tensor *image) {
    const int64_t rows = image->extents[0], columns = image->extents[1];
    FILE *const file = fopen(path, "wb");
    if (file == NULL)
        fail("the image cannot be written");
    fprintf(file, "P6\n%d %d\n255\n", (int)columns, (int)rows);
    for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column)
            for (int64_t colour = 0; colour < 3; ++colour) {
                const double shade = image->data[row + rows * (column + columns * colour)];
                fputc((int)lround(255 * fmin(fmax(shade, 0), 1)), file);
            }
    fclose(file);
}

static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }

int main(int argc, char **argv) {
    tensor image = argc > 1 ? read_image(argv[1]) : drawn_image();
    const int64_t ranks[modes] = {least(24, image.extents[0]), least(24, image.extents[1]), 3};

    tensor factors[modes];
    tensor core = make(modes, image.extents[0], image.extents[1], image.extents[2]);
    for (size_t i = 0; i < size_of(&image); ++i)
        core.data[i] = image.data[i];
    for (int mode = 0; mode < modes; ++mode) {
        factors[mode] = factor_of(&image, mode, ranks[mode]);
        along_mode(&core, mode, &factors[mode], 1);
    }
    const double before = squared_norm(&image), kept = squared_norm(&core);
    size_t numbers = size_of(&core);
    for (int mode = 0; mode < modes; ++mode)
        numbers += size_of(&factors[mode]);

    tensor again = core; // along_mode() gives it new memory
    for (int mode = 0; mode < modes; ++mode)
        along_mode(&again, mode, &factors[mode], 0);
    double error = 0;
    for (size_t i = 0; i < size_of(&image); ++i)
        error += (again.data[i] - image.data[i]) * (again.data[i] - image.data[i]);

    printf("image %d x %d x 3: %zu numbers; core and factors: %zu numbers\n", (int)image.extents[0],
           (int)image.extents[1], size_of(&image), numbers);
    printf("relative error %.3e, by the norms %.3e\n", sqrt(error / before),
           sqrt(fabs(before - kept) / before));
    if (argc > 1) {
        write_image("tucker_before.ppm", &image);
        write_image("tucker_after.ppm", &again);
    }
    const int is_right = fabs(error - (before - kept)) <= 1e-10 * before;
    const int is_close = argc > 1 || error < 1e-4 * before;
    printf("%s\n", is_right && is_close ? "the error is what it should be" : "the error is wrong");

    for (int mode = 0; mode < modes; ++mode)
        free(factors[mode].data);
    free(again.data);
    free(image.data);
    return !(is_right && is_close);
}
