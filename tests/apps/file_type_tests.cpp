// Tests .npy files whose elements are not f32, f64, c32 or c64, or have another byte order.
#include <cstring>

#include <gtest/gtest.h>

#include "npy_file.hpp"
#include "run_program.hpp"

namespace tenfold::testing {
namespace {

/// 2 x 3 integers, 1 to 6, as `size` bytes each.
std::string integers(std::size_t size, bool big_endian) {
    std::string data;
    for (char value = 1; value <= 6; ++value) {
        std::string bytes(size, '\0');
        bytes[big_endian ? size - 1 : 0] = value;
        data += bytes;
    }
    return data;
}

class FileTypes : public ::testing::Test {
protected:
    std::string path(const std::string &name) const { return directory_.file(name + ".npy"); }
    void write(const std::string &name, const std::string &descr, const std::string &data,
               const std::vector<long> &shape = {2, 3}) const {
        write_text(path(name), npy_bytes(1, npy_dictionary(descr, false, shape), data));
    }
    /// Runs "ji=ij" on A, on one process or more, and returns the output.
    read_array copied(const std::string &more, int ranks = 0) const {
        const std::string arguments =
            "contract ji=ij --a " + path("A") + " --out " + path("D") + " --verify --json " + more;
        const program_result result =
            ranks == 0 ? run_tenfold(arguments) : run_ranks(ranks, TENFOLD_PROGRAM, arguments);
        EXPECT_EQ(result.status, 0) << result.out << result.err;
        return result.status == 0 ? read_npy_file(path("D")) : read_array{};
    }
    std::string refusal(const std::string &arguments, int status) const {
        const program_result result = run_tenfold(arguments);
        EXPECT_EQ(result.status, status) << result.out << result.err;
        return result.err;
    }
    static void expect_told(const std::string &message, const std::string &told) {
        EXPECT_NE(message.find(told), std::string::npos) << message;
    }
    temporary_directory directory_;
};

const std::vector<std::complex<double>> reversed = {1, 4, 2, 5, 3, 6};

TEST_F(FileTypes, IntegersBecomeF64OrWhatIsAsked) {
    for (const std::string descr :
         {"|i1", "|u1", "<i2", ">i2", "<u4", ">i4", "<i8", ">i8", "<u8"}) {
        SCOPED_TRACE(descr);
        write("A", descr, integers(static_cast<std::size_t>(descr[2] - '0'), descr[0] == '>'));
        const read_array alone = copied("");
        EXPECT_EQ(alone.descr, "<f8");
        EXPECT_EQ(alone.array.values, reversed);
    }
    for (const auto &[type, descr] :
         {std::pair("f32", "<f4"), {"c32", "<c8"}, {"c64", "<c16"}, {"bf16", "<f4"}}) {
        SCOPED_TRACE(type);
        const read_array asked = copied(std::string("--type ") + type);
        EXPECT_EQ(asked.descr, descr);
        EXPECT_EQ(asked.array.values, reversed);
    }
    write("A", "|b1", std::string("\1\0\1\0\1\1", 6));
    EXPECT_EQ(copied("").array.values, (std::vector<std::complex<double>>{1, 0, 0, 1, 1, 1}));
}

TEST_F(FileTypes, IntegersBecomeWhatTheOtherOperandsAre) {
    write("A", "<i4", integers(4, false));
    for (const char *descr : {"<f4", "<f8", "<c8", "<c16"}) {
        SCOPED_TRACE(descr);
        const test_array other = integer_array({3, 2}, 4, false);
        write_text(path("B"), other.file_bytes(descr, true));
        const program_result result = run_tenfold("contract ik=ij*jk --a " + path("A") + " --b " +
                                                  path("B") + " --out " + path("D") + " --verify");
        ASSERT_EQ(result.status, 0) << result.err;
        const read_array d = read_npy_file(path("D"));
        EXPECT_EQ(d.descr, descr);
        for (const long k : {0, 1})
            EXPECT_EQ(d.array.at({1, k}),
                      4. * other.at({0, k}) + 5. * other.at({1, k}) + 6. * other.at({2, k}));
    }
}

TEST_F(FileTypes, ValuesThatDoNotFitAreNamed) {
    std::string data = integers(8, false);
    const std::int64_t large = (std::int64_t{1} << 53) + 1;
    std::memcpy(data.data() + 4 * 8, &large, 8);
    write("A", "<i8", data);
    const std::string told = "element [1, 1] is 9007199254740993, which f64 does not hold exactly";
    expect_told(refusal("contract ji=ij --a " + path("A") + " --out " + path("D"), 1), told);
    expect_told(refusal("transpose ji=ij --a " + path("A") + " --out " + path("D"), 1), told);
    EXPECT_EQ(read_text(path("D")), "");
    const program_result ranks =
        run_ranks(2, TENFOLD_PROGRAM, "contract ji=ij --a " + path("A") + " --out " + path("D"));
    EXPECT_EQ(ranks.status, 1);
    expect_told(ranks.out + ranks.err, told);
}

TEST_F(FileTypes, BothOrdersOfBytes) {
    std::string data;
    for (double value = 1; value <= 6; ++value) {
        std::string bytes(8, '\0');
        std::memcpy(bytes.data(), &value, 8);
        data += std::string(bytes.rbegin(), bytes.rend());
    }
    write("A", ">f8", data);
    for (const int ranks : {0, 2}) {
        const read_array d = copied("", ranks);
        EXPECT_EQ(d.descr, "<f8");
        EXPECT_EQ(d.array.values, reversed);
    }
}

TEST_F(FileTypes, HalfPrecision) {
    write("A", "<f2", std::string("\x00\x3c\x00\x40\x00\x42\x00\x44\x00\x45\x00\x46", 12));
    const std::string plain = "contract ji=ij --json --verify --a " + path("A");
    EXPECT_EQ(run_tenfold(plain).json()["type"], "f16");
    EXPECT_EQ(run_tenfold(plain).json()["output_type"], "f32");
    EXPECT_EQ(copied("").array.values, reversed);
    EXPECT_EQ(run_tenfold(plain + " --type f64").json()["type"], "f64");
    EXPECT_EQ(copied("--type f64").descr, "<f8");
    const program_result transposed =
        run_tenfold("transpose ji=ij --verify --a " + path("A") + " --out " + path("D"));
    EXPECT_EQ(transposed.status, 0) << transposed.err;
    EXPECT_EQ(read_npy_file(path("D")).descr, "<f4");
    EXPECT_EQ(read_npy_file(path("D")).array.values, reversed);
    EXPECT_EQ(copied("--type f16-f16").descr, "<f2");
    EXPECT_EQ(read_npy_file(path("D")).array.values, reversed);
    const read_array spread = copied("", 2);
    EXPECT_EQ(spread.descr, "<f4");
    EXPECT_EQ(spread.array.values, reversed);
    // C's integers become the output's type, f32; f64 does not.
    write("C", "|u1", integers(1, false), {3, 2});
    EXPECT_EQ(copied("--beta 2 --c " + path("C")).array.values,
              (std::vector<std::complex<double>>{3, 8, 8, 13, 13, 18}));
    write_text(path("C"), integer_array({3, 2}, 4, false).file_bytes("<f8", true));
    expect_told(refusal(plain + " --beta 2 --c " + path("C"), 2),
                "holds f64, but with inputs of f16 the output, to which it is added, is f32");
}

TEST_F(FileTypes, HalfPrecisionMadeUp) {
    for (const std::string type : {"bf16", "f16"})
        for (const std::string contraction :
             {"contract abcd=aebf*dfce --extents a=6,b=5,c=7,d=4,e=3,f=8 --beta 0.5",
              "contract il=ij*jk*kl --extents i=7,j=8,k=9,l=6"}) {
            const program_result result =
                run_tenfold(contraction + " --verify --json --type " + type);
            ASSERT_EQ(result.status, 0) << result.err;
            EXPECT_EQ(result.json()["type"], type);
            EXPECT_EQ(result.json()["output_type"], "f32");
            EXPECT_TRUE(result.json()["verified"].get<bool>());
            EXPECT_EQ(run_tenfold(contraction + " --verify --type " + type).status, 0);
        }
    for (const std::string types : {"bf16-bf16", "f16-f16", "f32-bf16", "bf16-f16", "f16-f64"}) {
        const program_result result =
            run_tenfold("contract abcd=aebf*dfce --extents a=6,b=5,c=7,d=4,e=3,f=8 --beta 0.5 "
                        "--verify --json --type " +
                        types);
        ASSERT_EQ(result.status, 0) << result.err;
        const nlohmann::json json = result.json();
        EXPECT_EQ(json["type"].get<std::string>() + "-" + json["output_type"].get<std::string>(),
                  types);
        EXPECT_TRUE(json["verified"].get<bool>());
    }
    for (const std::string types : {"bf16", "f16-f16", "f32-bf16", "i8", "u8"}) {
        const std::string small = "ik=ij*jk --extents i=13,j=40,k=17 --type " + types;
        const program_result plan = run_tenfold("explain " + small + " --ranks 4");
        EXPECT_EQ(plan.status, 0) << plan.err;
        expect_told(plan.out, types == "bf16" ? "bf16 to f32" : "4 ranks");
        const program_result ranks =
            run_ranks(2, TENFOLD_PROGRAM, "contract --verify --beta 2 " + small);
        EXPECT_EQ(ranks.status, 0) << ranks.out << ranks.err;
    }
}

TEST_F(FileTypes, InputsOfSeveralTypesMadeUp) {
    const std::string contraction =
        "contract abcd=aebf*dfce --extents a=6,b=5,c=7,d=4,e=3,f=8 --beta 2 --verify --json "
        "--type ";
    for (const auto &[inputs, output] : {std::pair("f64,f32", "f64"),
                                         {"f32,c32", "c32"},
                                         {"c32,f64", "c64"},
                                         {"bf16,f16", "f32"},
                                         {"f64,bf16", "f64"},
                                         {"i8,u8", "i32"},
                                         {"i32,i8", "i32"}}) {
        const program_result result = run_tenfold(contraction + inputs);
        ASSERT_EQ(result.status, 0) << inputs << result.err;
        EXPECT_EQ(result.json()["type"], inputs);
        EXPECT_EQ(result.json()["output_type"], output);
        EXPECT_EQ(result.json()["verified"], true);
    }
    for (const char *more : {"f32,bf16-bf16", "f32,f16-c64 --alpha 1+2i", "i8-i32",
                             "f64,f32-f32 --f64-sums", "f64-bf16 --f64-sums", "f32 --f64-sums"}) {
        const program_result result = run_tenfold(contraction + more);
        ASSERT_EQ(result.status, 0) << more << result.err;
        EXPECT_EQ(result.json()["verified"], true);
    }
    for (const char *more : {"ba=ab --extents a=5,b=6 --type f64-f32",
                             "il=ij*jk*kl --extents i=7,j=8,k=9,l=6 --type bf16,f64,f32"}) {
        const std::string arguments = std::string(more) + " --verify";
        const program_result alone = run_tenfold("contract " + arguments);
        EXPECT_EQ(alone.status, 0) << arguments << alone.err;
        const program_result ranks = run_ranks(2, TENFOLD_PROGRAM, "contract " + arguments);
        EXPECT_EQ(ranks.status, 0) << ranks.out << ranks.err;
    }
}

TEST_F(FileTypes, FilesOfSeveralTypesAreNamed) {
    const test_array a = integer_array({2, 3}, 3, false);
    const test_array b = integer_array({3, 2}, 4, false);
    write_text(path("A"), a.file_bytes("<f4", true));
    write_text(path("B"), b.file_bytes("<f8", true));
    const std::string product =
        "contract ik=ij*jk --verify --a " + path("A") + " --b " + path("B") + " --out " + path("D");
    expect_told(refusal(product, 2), "name the type of every input by --type");
    expect_told(refusal(product + " --type f64,f32", 2), "--type f64,f32: '" + path("A"));
    ASSERT_EQ(run_tenfold(product + " --type f32,f64").status, 0);
    const read_array d = read_npy_file(path("D"));
    EXPECT_EQ(d.descr, "<f8");
    for (const long i : {0, 1})
        for (const long k : {0, 1})
            EXPECT_EQ(d.array.at({i, k}), a.at({i, 0}) * b.at({0, k}) +
                                              a.at({i, 1}) * b.at({1, k}) +
                                              a.at({i, 2}) * b.at({2, k}));
}

TEST_F(FileTypes, HalfPrecisionIsTransposedAsItIs) {
    write("A", "<f2", std::string("\0\x3c\0\x40\0\x42\0\x44\0\x45\0\x46", 12)); // 1 to 6
    const std::string files = "transpose ji=ij --verify --a " + path("A") + " --out ";
    for (const auto &[type, descr] :
         {std::pair("f16", "<f2"), std::pair("f16-f64", "<f8"), std::pair("f16-c32", "<c8")}) {
        ASSERT_EQ(run_tenfold(files + path("D") + " --type " + type).status, 0) << type;
        const read_array read = read_npy_file(path("D"));
        EXPECT_EQ(read.descr, descr);
        EXPECT_EQ(read.array.values, reversed) << type;
    }
    // NumPy has no bf16: its files are those of the package ml_dtypes.
    ASSERT_EQ(run_tenfold(files + path("D") + " --type f16-bf16").status, 0);
    const std::string again = "transpose ji=ij --verify --a " + path("D") + " --out " + path("A");
    EXPECT_EQ(run_tenfold(again + " --type bf16-f32").status, 0);
    EXPECT_EQ(read_npy_file(path("A")).descr, "<f4");
}

class FromPipe : public FileTypes {
protected:
    program_result piped(const std::string &arguments) const {
        return run_command("cat " + path("A") + " | " TENFOLD_PROGRAM, arguments);
    }
};

TEST_F(FromPipe, OneOperandMayCome) {
    write("A", "<i4", integers(4, false));
    for (const std::string command :
         {"contract ji=ij --a - --verify", "transpose ji=ij --a - --verify"}) {
        const program_result result = piped(command + " --out " + path("D"));
        ASSERT_EQ(result.status, 0) << result.err;
        EXPECT_EQ(read_npy_file(path("D")).array.values, reversed);
    }
    const program_result second = piped("contract ik=ij*kj --verify --a " + path("A") + " --b -");
    EXPECT_EQ(second.status, 0) << second.err;
    EXPECT_EQ(piped("explain ji=ij --a -").status, 0);
}

TEST_F(FromPipe, WhatIsWrongIsTold) {
    write("A", "<i4", integers(4, false));
    const auto expect_refused = [&](const std::string &arguments, int status,
                                    const std::string &told) {
        const program_result result = piped(arguments);
        EXPECT_EQ(result.status, status) << result.out << result.err;
        expect_told(result.err, told);
    };
    expect_refused("contract ik=ij*kj --a - --b -", 2, "one operand can come from standard input");
    expect_refused("contract ji=ij --a - --out -", 2, "--out -");
    const std::string whole = read_text(path("A"));
    for (const auto &[bytes, told] :
         {std::pair(whole + "x", "'standard input': too long"),
          {whole.substr(0, whole.size() - 1), "'standard input': truncated: it ends 1 bytes"},
          {whole.substr(0, 40), "'standard input': truncated"},
          {std::string(), "'standard input': is not an .npy file"}}) {
        write_text(path("A"), bytes);
        expect_refused("contract ji=ij --a - --out " + path("D"), 1, told);
    }
    write_text(path("A"), whole);
    const program_result ranks =
        run_ranks(2, TENFOLD_PROGRAM, "contract ji=ij --a - < " + path("A"));
    EXPECT_EQ(ranks.status, 2);
    expect_told(ranks.out + ranks.err, "under a launcher operands do not come from standard input");
}

} // namespace
} // namespace tenfold::testing
