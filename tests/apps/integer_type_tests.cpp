// Tests tenfold contract, transpose and explain with --type i8, u8 and i32, and .npy files of them.
#include <cstring>

#include <gtest/gtest.h>

#include "npy_file.hpp"
#include "run_program.hpp"

namespace tenfold::testing {
namespace {

/// Rows of an array, with the bytes of T.
template <class T> struct small_matrix {
    long rows, columns;
    std::vector<T> values; ///< row-major

    T at(long i, long j) const { return values[static_cast<std::size_t>(i * columns + j)]; }
    std::string file(const std::string &descr) const {
        std::string data(values.size() * sizeof(T), '\0');
        std::memcpy(data.data(), values.data(), data.size());
        return npy_bytes(1, npy_dictionary(descr, false, {rows, columns}), data);
    }
};

class IntegerTypes : public ::testing::Test {
protected:
    std::string path(const std::string &name) const { return directory_.file(name + ".npy"); }
    template <class T>
    void write(const std::string &name, const std::string &descr, const small_matrix<T> &what) {
        write_text(path(name), what.file(descr));
    }
    /// D = alpha A B + beta C of files, in plain loops; checked.
    template <class TA, class TB> void
    expect_product(const small_matrix<TA> &a, const small_matrix<TB> &b, const std::string &type) {
        const small_matrix<std::int32_t> c = {2, 2, {1 << 20, -5, 7, -(1 << 30)}};
        write("C", "<i4", c);
        const program_result result = run_tenfold(
            "contract ik=ij*jk --alpha -2 --beta 3 --verify --json --type " + type + " --a " +
            path("A") + " --b " + path("B") + " --c " + path("C") + " --out " + path("D"));
        ASSERT_EQ(result.status, 0) << result.err;
        EXPECT_EQ(result.json()["type"], type);
        EXPECT_EQ(result.json()["output_type"], "i32");
        EXPECT_EQ(result.json()["error_bound"], 0.0);
        const read_array d = read_npy_file(path("D"));
        EXPECT_EQ(d.descr, "<i4");
        for (long i = 0; i < 2; ++i)
            for (long k = 0; k < 2; ++k) {
                std::int64_t sum = 3 * std::int64_t{c.at(i, k)};
                for (long j = 0; j < a.columns; ++j)
                    sum -= 2 * std::int64_t{a.at(i, j)} * b.at(j, k);
                EXPECT_EQ(d.array.at({i, k}).real(), static_cast<std::int32_t>(sum)) // wraps
                    << i << " " << k;
            }
    }
    std::string refusal(const std::string &arguments, int status = 2) const {
        const program_result result = run_tenfold(arguments);
        EXPECT_EQ(result.status, status) << result.out << result.err;
        return result.err;
    }
    static void expect_told(const std::string &message, const std::string &told) {
        EXPECT_NE(message.find(told), std::string::npos) << message;
    }
    temporary_directory directory_;
};

const small_matrix<std::int8_t> signed_a = {2, 3, {-128, 127, 3, -1, 0, 99}};
const small_matrix<std::int8_t> signed_b = {3, 2, {-128, 127, 5, -6, -128, -128}};
const small_matrix<std::uint8_t> unsigned_a = {2, 3, {255, 200, 3, 0, 128, 99}};

TEST_F(IntegerTypes, FilesAreMultipliedExactly) {
    write("B", "|i1", signed_b);
    write("A", "|i1", signed_a);
    expect_product(signed_a, signed_b, "i8");
    write("A", "|u1", unsigned_a);
    expect_product(unsigned_a, signed_b, "u8");
    // Integers of other widths become what is asked for, if they fit.
    write("A", "<i8", small_matrix<std::int64_t>{2, 3, {-128, 127, 3, -1, 0, 99}});
    expect_product(signed_a, signed_b, "i8");
}

TEST_F(IntegerTypes, FilesThatDoNotFitAreRefused) {
    write("B", "|i1", signed_b);
    const std::string product = "contract ik=ij*jk --a " + path("A") + " --b " + path("B") +
                                " --out " + path("D") + " --type ";
    write("A", "|u1", unsigned_a);
    expect_told(refusal(product + "i8", 1), "element [0, 0] is 255, which i8 does not hold");
    write("A", "<f2", small_matrix<std::int16_t>{2, 3, {0, 0, 0, 0, 0, 0}});
    expect_told(refusal(product + "i8"), "holds float16, not i8");
    write("A", "<f4", small_matrix<float>{2, 3, {0, 0, 0, 0, 0, 0}});
    expect_told(refusal(product + "i8"), "--type i8: ");
    EXPECT_EQ(read_text(path("D")), "");
}

TEST_F(IntegerTypes, WithoutATypeFilesAreContractedInF64) {
    write("A", "|i1", signed_a);
    write("B", "|i1", signed_b);
    const program_result result = run_tenfold("contract ik=ij*jk --verify --json --a " + path("A") +
                                              " --b " + path("B") + " --out " + path("D"));
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.json()["type"], "f64");
    EXPECT_EQ(read_npy_file(path("D")).descr, "<f8");
}

TEST_F(IntegerTypes, MadeUpTensorsAreContracted) {
    for (const std::string type : {"i8", "u8"})
        for (const std::string contraction :
             {"abcd=aebf*dfce --extents a=6,b=5,c=7,d=4,e=3,f=8 --beta -3",
              "ik=ij*jk --extents i=70,j=90,k=80 --alpha 5",
              "bki=bij*bjk --extents b=3,i=9,j=8,k=7", "a=ab --extents a=17,b=30",
              "il=ij*jk*kl --extents i=9,j=8,k=7,l=6"}) {
            SCOPED_TRACE(type + " " + contraction);
            const std::string arguments = contraction + " --type " + type;
            const program_result result = run_tenfold("contract --verify --json " + arguments);
            ASSERT_EQ(result.status, 0) << result.err;
            const nlohmann::json json = result.json();
            EXPECT_EQ(json["output_type"], "i32");
            EXPECT_EQ(json["verified"], true);
            EXPECT_EQ(json["max_relative_error"], 0.0);
            EXPECT_EQ(run_tenfold("explain " + arguments).status, 0);
        }
    EXPECT_EQ(run_tenfold("contract ba=ab --extents a=3,b=4 --type i8 --verify").status, 0);
}

TEST_F(IntegerTypes, WhatIsNotComputedIsRefused) {
    const std::string small = "contract ik=ij*jk --extents i=2,j=3,k=4 --type i8";
    expect_told(refusal(small + " --alpha 0.5"), "--alpha: with i8 expected an integer of 32 bits");
    expect_told(refusal(small + " --beta 2147483648"), "--beta: with i8 expected an integer");
    expect_told(refusal(small + " --beta 1i"), "--beta is complex, but the type is i8");
    expect_told(refusal("contract ik=ij*jk --extents i=2,j=3,k=4 --type i16"),
                "expected f32, f64, c32, c64, bf16, f16, i8, u8 or i32");
}

TEST_F(IntegerTypes, AreTransposed) {
    for (const std::string type : {"i8", "u8", "i32"})
        for (const char *more : {"", " --beta 1", " --alpha -3 --beta 7", " --threads 2",
                                 " --outer-a b=140 --offset-a b=3"}) {
            SCOPED_TRACE(type + more);
            const program_result result = run_tenfold(
                "transpose bca=abc --extents a=67,b=130,c=3 --verify --json --type " + type + more);
            ASSERT_EQ(result.status, 0) << result.err;
            const nlohmann::json json = result.json();
            EXPECT_EQ(json["type"], type);
            EXPECT_EQ(json["verified"], true);
            EXPECT_EQ(json["max_relative_error"], 0.0);
            EXPECT_EQ(json["verified_elements"], 1000);
        }
    expect_told(refusal("transpose ba=ab --extents a=3,b=4 --type i8 --alpha 1.5"),
                "--alpha: with i8 expected an integer of 32 bits");
    expect_told(refusal("transpose ba=ab --extents a=3,b=4 --type i8-i32"), "expected two types");
}

TEST_F(IntegerTypes, FilesAreTransposed) {
    const std::vector<std::complex<double>> reversed = {-128, -1, 127, 0, 3, 99};
    for (const auto &[type, descr] :
         {std::pair("i8", "|i1"), std::pair("i32", "<i4"), std::pair("f32", "<f4")}) {
        SCOPED_TRACE(type);
        write("A", "|i1", signed_a);
        const std::string command = " ji=ij --verify --a " + path("A") + " --out " + path("D") +
                                    " --type " + std::string(type);
        ASSERT_EQ(run_tenfold("transpose" + command).status, 0);
        const read_array d = read_npy_file(path("D"));
        EXPECT_EQ(d.descr, descr);
        EXPECT_EQ(d.array.values, reversed);
    }
    // With beta the output is read first. 8 bits wrap around: 2 x 127 is -2.
    ASSERT_EQ(
        run_tenfold("transpose ji=ij --type i8 --a " + path("A") + " --out " + path("D")).status,
        0);
    ASSERT_EQ(
        run_tenfold("transpose ji+=ij --verify --type i8 --a " + path("A") + " --out " + path("D"))
            .status,
        0);
    EXPECT_EQ(read_npy_file(path("D")).array.values,
              (std::vector<std::complex<double>>{0, -2, -2, 0, 6, -58}));
}

} // namespace
} // namespace tenfold::testing
