// Tests values of options and settings that are refused: section "Errors" of docs/semantics.md.
#include <tenfold/gemm_batch.hpp>
#include <tenfold/gemm_mixed.hpp>
#include <tenfold/transpose.hpp>

#include "support/message_of.hpp"
#include "ways.hpp"

namespace tenfold::testing {
namespace {

constexpr const char *types =
    " is 77; there are f32 (0), f64 (1), c32 (2), c64 (3), bf16 (4), f16 (5)";
constexpr const char *backends = "backend is 77; there are native (0), blis (1)";
constexpr const char *levels = "tuning is 77; there are estimate (0), measure (1), patient (2)";

template <class Call> std::string refusal(const Call &call) {
    return message_of(call, errc::invalid_argument);
}

std::string of(const std::string &tensor) { return "the element type of " + tensor + types; }

void contractions(const contract_options &options, const std::string &message) {
    test_tensor<double> a({5, 7}), b({7, 6}), c({6, 6}), d({5, 6});
    d.fill(1);
    const auto refused = [&](const auto &call) {
        expect_refused(errc::invalid_argument, message, d, call);
    };
    refused([&] { contract("ab=ak*kb", a, b, d, options); });
    refused([&] { (void)make_plan("ab=ak*kb", a, b, d, options); });
    refused([&] { contract("ab=ak*kl*lb", {a.in(), b.in(), c.in()}, d, options); });
}

TEST(Semantics, NumbersThatAreNoEnumeratorsAreRefused) {
    contractions({.algorithm = algorithm(77)},
                 "algorithm is 77; there are auto (0), direct (1), gemm-loop (2), ttgt (3), fused "
                 "(4), loops (5), reference (6), leaves (7)");
    contractions({.tuning = tuning(77)}, levels);
    contractions({.tuning = tuning(77), .reproducible = true}, levels);
    contractions({.backend = backend(77)}, backends);

    double numbers[64] = {};
    const auto any = [&](data_type type) { return output(type, numbers, layout({4, 4})); };
    const output good = any(data_type::f64), bad = any(data_type(77));
    EXPECT_EQ(refusal([&] { contract("ab=ak*kb", bad, bad, bad); }), of("A"));
    EXPECT_EQ(refusal([&] { contract("ab=ak*kb", good, bad, good); }), of("B"));
    EXPECT_EQ(refusal([&] { contract("ab=ak*kb", good, good, bad, good); }), of("C"));
    EXPECT_EQ(refusal([&] { contract("ab=ak*kb", good, good, bad); }), of("D"));
    EXPECT_EQ(refusal([&] {
                  contract("ab=ak*kl*lb", {good, input(bad), good}, good);
              }),
              of("input 2"));
    EXPECT_EQ(refusal([&] { contract("ab=ak*kl*lb", {good, good, good}, bad); }), of("D"));
    EXPECT_EQ(refusal([&] { transpose("ba=ab", bad, good); }), of("A"));
    EXPECT_EQ(refusal([&] { transpose("ba=ab", good, bad); }), of("B"));
    EXPECT_EQ(refusal([&] { transpose("ba=ab", good, good, {.tuning = tuning(77)}); }), levels);

    const matrix_view<double> c{numbers, 4, 4};
    const matrix_view<const double> a{numbers + 16, 4, 4}, b{numbers + 32, 4, 4};
    const gemm_options options{.backend = backend(77)};
    EXPECT_EQ(refusal([&] { gemm<double>(a, b, c, options); }), std::string("gemm: ") + backends);
    EXPECT_EQ(refusal([&] {
                  gemm_batch<double>(matrix_batch<const double>::strided(a, 1, 16),
                                     matrix_batch<const double>::strided(b, 1, 16),
                                     matrix_batch<double>::strided(c, 1, 16), options);
              }),
              std::string("gemm_batch: ") + backends);
    bf16 halves[32];
    float sums[16];
    EXPECT_EQ(refusal([&] {
                  gemm(matrix_view<const bf16>{halves, 4, 4},
                       matrix_view<const bf16>{halves + 16, 4, 4}, matrix_view<float>{sums, 4, 4},
                       {}, bf16_sums(77));
              }),
              "gemm: bf16_sums is 77; there are automatic (0), widened (1), dot_products (2)");
    for (const double number : numbers)
        EXPECT_EQ(number, 0);
}

TEST(Semantics, SettingsOutOfRangeAreRefused) {
    const auto refused = [](const std::string &message, auto change) {
        settings wanted;
        change(wanted);
        EXPECT_EQ(refusal([&] { context{wanted}; }), message);
    };
    refused("backend is 77; there are native (0), blis (1)",
            [](settings &s) { s.backend = backend(77); });
    refused("isa is 77; there are generic (0), avx2 (1), avx512 (2), neon (3), sve (4)",
            [](settings &s) { s.isa = isa(77); });
    refused("plan_cache_limit is -1 bytes; it is 0 or more",
            [](settings &s) { s.plan_cache_limit = {-1}; });
    refused("watchdog_seconds is -1.000000; it is 0 (off) or more",
            [](settings &s) { s.watchdog_seconds = -1; });
    refused("presence_seconds is -1.000000; it is 0 (off) or more",
            [](settings &s) { s.presence_seconds = -1; });
    refused("log_level is 4; it is 0 (quiet) to 3 (debug)", [](settings &s) { s.log_level = 4; });
    refused("log_level is -1; it is 0 (quiet) to 3 (debug)", [](settings &s) { s.log_level = -1; });
}

} // namespace
} // namespace tenfold::testing
