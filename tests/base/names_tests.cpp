// Enumerators and their names, statuses and their sentences, log levels and their lines.
#include <iterator>
#include <set>

#include <gtest/gtest.h>

#include <tenfold/error.hpp>
#include <tenfold/types.hpp>
#include <tenfold/version.hpp>

#include "base/integer_types.hpp"
#include "base/log.hpp"
#include "base/option_checks.hpp"
#include "base/scalars.hpp"
#include "base/with_type.hpp"

namespace tenfold {
namespace {

/// Enumerators 0 .. count - 1 have names that differ and read back; count has none.
template <class E, class Parse>
void expect_round_trip(std::size_t count, Parse parse, std::size_t unread = 0) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < count; ++i) {
        const auto value = static_cast<E>(i);
        EXPECT_NE(name(value), "unknown") << i;
        EXPECT_EQ(parse(name(value)), value) << name(value);
        names.insert(name(value));
    }
    EXPECT_EQ(names.size(), count);
    for (std::size_t i = count; i < count + unread; ++i)
        EXPECT_EQ(parse(name(static_cast<E>(i))), std::nullopt) << i;
    EXPECT_EQ(name(static_cast<E>(count + unread)), "unknown");
    for (const char *text : {"", "unknown", "F64", "f64 ", " auto", "x"})
        EXPECT_EQ(parse(text), std::nullopt) << text;
}

TEST(Names, read_back) {
    expect_round_trip<data_type>(std::size(all_data_types), parse_data_type, 3); // of integers
    EXPECT_EQ(name(data_type::u8), "u8");
    expect_round_trip<tuning>(3, parse_tuning);
    expect_round_trip<algorithm>(8, parse_algorithm);
    expect_round_trip<backend>(2, parse_backend);
    expect_round_trip<isa>(5, parse_isa);
}

TEST(Names, are_those_of_the_command_line) {
    EXPECT_EQ(name(data_type::c64), "c64");
    EXPECT_EQ(name(tuning::patient), "patient");
    EXPECT_EQ(name(algorithm::automatic), "auto");
    EXPECT_EQ(name(algorithm::gemm_loop), "gemm-loop");
    EXPECT_EQ(name(backend::blis), "blis");
    EXPECT_EQ(name(isa::avx512), "avx512");
}

TEST(Names, of_error_codes) {
    std::set<std::string_view> names;
    const int last = static_cast<int>(errc::stopped);
    for (int code = 0; code <= last; ++code)
        names.insert(name(static_cast<errc>(code)));
    EXPECT_EQ(names.size(), static_cast<std::size_t>(last) + 1);
    EXPECT_FALSE(names.contains("unknown"));
    EXPECT_EQ(name(errc::extent_mismatch), "extent_mismatch");
    EXPECT_EQ(name(static_cast<errc>(last + 1)), "unknown");
}

TEST(Names, of_types_in_a_row) {
    EXPECT_EQ(base::element_type_names("or"), "f32, f64, c32, c64, bf16 or f16");
    EXPECT_EQ(base::arithmetic_type_names("and"), "f32, f64, c32 and c64");
    EXPECT_EQ(base::any_type_names("or"), "f32, f64, c32, c64, bf16, f16, i8, u8 or i32");
}

TEST(Names, of_integers_are_read_where_these_are_taken) {
    EXPECT_EQ(parse_data_type("i8"), std::nullopt);
    for (const data_type type : {data_type::i8, data_type::u8, data_type::i32, data_type::f64})
        EXPECT_EQ(base::parse_any_type(name(type)), type);
    EXPECT_EQ(base::parse_any_type("i16"), std::nullopt);
}

TEST(Types, what_follows_from_them) {
    for (const data_type type : all_data_types) {
        SCOPED_TRACE(std::string(name(type)));
        base::with_type(type, [&]<class T>(T) { EXPECT_EQ(data_type_of<T>, type); });
        const bool stored = type == data_type::bf16 || type == data_type::f16;
        EXPECT_EQ(is_arithmetic(type), !stored);
        EXPECT_EQ(output_type_of(type), stored ? data_type::f32 : type);
        int called = 0;
        base::with_arithmetic_type(type, [&]<class T>(T) { ++called; });
        EXPECT_EQ(called, stored ? 0 : 1);
    }
    EXPECT_EQ(real_type_of(data_type::c64), data_type::f64);
    EXPECT_EQ(real_type_of(data_type::bf16), data_type::bf16);
    EXPECT_EQ(complex_type_of(data_type::f32), data_type::c32);
    EXPECT_EQ(complex_type_of(data_type::c32), std::nullopt);
    EXPECT_EQ(complex_type_of(data_type::f16), std::nullopt);
    EXPECT_EQ(*static_cast<const c64 *>(base::one_of(data_type::c64)), c64(1));
    EXPECT_EQ(*static_cast<const float *>(base::one_of(data_type::f32)), 1.0f);
}

TEST(Types, sizes) {
    EXPECT_EQ(size_of(data_type::f32), sizeof(float));
    EXPECT_EQ(size_of(data_type::f64), sizeof(double));
    EXPECT_EQ(size_of(data_type::c32), sizeof(c32));
    EXPECT_EQ(size_of(data_type::c64), sizeof(c64));
    EXPECT_EQ(size_of(data_type::bf16), sizeof(bf16));
    EXPECT_EQ(size_of(data_type::f16), sizeof(f16));
    EXPECT_EQ(data_type_of<const c32>, data_type::c32);
    EXPECT_EQ(data_type_of<f16>, data_type::f16);
    EXPECT_TRUE(is_complex(data_type::c32) && is_complex(data_type::c64));
    EXPECT_FALSE(is_complex(data_type::f64) || is_complex(data_type::bf16));
    EXPECT_EQ(flops_per_multiply_add(data_type::f64), 2);
    EXPECT_EQ(flops_per_multiply_add(data_type::c64), 8);
    EXPECT_LT(kib(1), mib(1));
    EXPECT_EQ(gib(2), bytes(index_t{2} << 30));
}

TEST(Version, is_the_headers) {
    EXPECT_EQ(version(), std::to_string(TENFOLD_VERSION_MAJOR) + "." +
                             std::to_string(TENFOLD_VERSION_MINOR) + "." +
                             std::to_string(TENFOLD_VERSION_PATCH));
}

TEST(Status, ok_by_default) {
    const status fine;
    EXPECT_TRUE(fine.ok());
    EXPECT_TRUE(static_cast<bool>(fine));
    EXPECT_EQ(fine.code(), errc::ok);
    EXPECT_EQ(fine.operand(), 0);
    EXPECT_EQ(fine.message(), "ok");
    EXPECT_NO_THROW(fine.throw_if_failed());
}

TEST(Status, says_which_operand_and_why) {
    EXPECT_EQ(status(errc::null_pointer, 'A').message(), "A is null where its elements are needed");
    EXPECT_EQ(status(errc::null_pointer).message(),
              "an operand is null where its elements are needed");
    EXPECT_EQ(status(errc::overlap, 'B').message(), "B shares elements with the output");
    EXPECT_EQ(status(errc::out_of_memory).message(), "no memory for the workspace");
    EXPECT_EQ(status(errc::type_mismatch).message(),
              "the tensors' type does not hold a scalar: an imaginary part if they are real, or "
              "other than integers of 32 bits if they are integers");
    EXPECT_EQ(status(errc::workspace_too_small).message(),
              "the executor allows less workspace than the plan needs");
    EXPECT_EQ(status(errc::communication).message(), "MPI reported an error");
    EXPECT_EQ(status(errc::io).message(), "io");
}

TEST(Status, throws_what_it_says) {
    const status failed(errc::overlap, 'C');
    EXPECT_FALSE(failed.ok());
    EXPECT_EQ(failed.operand(), 'C');
    try {
        failed.throw_if_failed();
        FAIL();
    } catch (const error &e) {
        EXPECT_EQ(e.code(), errc::overlap);
        EXPECT_EQ(e.what(), failed.message());
    }
}

TEST(Log, prints_what_was_asked_for) {
    const auto printed = [](int enabled, base::log_level level) {
        ::testing::internal::CaptureStderr();
        settings from;
        from.log_level = enabled;
        base::log(from, level, "a message");
        return ::testing::internal::GetCapturedStderr();
    };
    EXPECT_EQ(printed(0, base::log_level::warn), "");
    EXPECT_EQ(printed(1, base::log_level::warn), "tenfold: warn: a message\n");
    EXPECT_EQ(printed(1, base::log_level::info), "");
    EXPECT_EQ(printed(3, base::log_level::debug), "tenfold: debug: a message\n");
    EXPECT_EQ(printed(3, base::log_level::info), "tenfold: info: a message\n");
}

} // namespace
} // namespace tenfold
