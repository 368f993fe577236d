// Tests the section "Errors" of docs/semantics.md.
#include "ways.hpp"

namespace tenfold::testing {
namespace {

TEST(Semantics, PlanErrorsNameTheFault) {
    const auto refused = [](errc code, const std::string &message, auto plan) {
        try {
            plan();
            ADD_FAILURE() << "accepted, instead of: " << message;
        } catch (const error &e) {
            EXPECT_EQ(name(e.code()), name(code));
            EXPECT_EQ(e.what(), message);
        }
    };
    // No tensor has data, because plans do not need any.
    const auto tensor = [](extents_t extents, data_type type = data_type::f64) {
        return output(type, nullptr, layout(std::move(extents)));
    };
    EXPECT_NO_THROW(
        (void)make_plan("ab=aek*bke", tensor({5, 24, 3}), tensor({7, 3, 24}), tensor({5, 7})));
    refused(
        errc::extent_mismatch, "label 'e': A mode 1 has extent 24, B mode 2 has extent 20", [&] {
            (void)make_plan("ab=aek*bke", tensor({5, 24, 3}), tensor({7, 3, 20}), tensor({5, 7}));
        });
    refused(errc::extent_mismatch, "label 'virtual': B mode 0 has extent 8, D mode 1 has extent 9",
            [&] {
                (void)make_plan("R[occ,virtual]=F[occ]*G[virtual]", tensor({3}), tensor({8}),
                                tensor({3, 9}));
            });
    refused(errc::order_mismatch, "D has 3 modes, but the expression gives it 2 labels", [&] {
        (void)make_plan("ab=ak*kb", tensor({2, 3}), tensor({3, 4}), tensor({2, 4, 1}));
    });
    refused(errc::type_mismatch, "B is c64 and D is f64; D must be c64", [&] {
        (void)make_plan("ab=ak*kb", tensor({2, 3}), tensor({3, 4}, data_type::c64), tensor({2, 4}));
    });
    refused(errc::syntax, "expected a label after '*'\n  ab=ak*\n        ^", [&] {
        (void)make_plan("ab=ak*", tensor({2, 3}), tensor({3, 4}), tensor({2, 4}));
    });
    refused(errc::invalid_argument, "threads is -1; it is 0 to 4096", [&] {
        (void)make_plan("ab=ak*kb", tensor({2, 3}), tensor({3, 4}), tensor({2, 4}),
                        {.threads = -1});
    });
}

TEST(Semantics, ExecutionReportsBeforeWriting) {
    static_assert(noexcept(std::declval<const contraction_plan &>().execute(
        std::declval<scalar>(), nullptr, nullptr, std::declval<scalar>(), nullptr, nullptr,
        std::declval<std::span<std::byte>>())));
    every_type([]<class T>(tag<T>) {
        every_way([](const contract_options &options) {
            test_tensor<T> a({13, 9}), b({9, 13}), c({13, 13}), d({13, 13});
            a.fill(1);
            b.fill(2);
            c.fill(3);
            d.fill(4);
            const contraction_plan plan = make_plan("ab=ak*kb", a, b, c, d, options);
            static_cast<void>(d.out());
            const auto refused = [&](errc code, char operand, const status &result) {
                EXPECT_FALSE(result.ok());
                EXPECT_EQ(name(result.code()), name(code));
                EXPECT_EQ(result.operand(), operand);
                EXPECT_TRUE(d.unchanged());
            };
            refused(errc::null_pointer, 'A',
                    plan.execute(1.0, nullptr, b.data(), 1.0, c.data(), d.data()));
            refused(errc::null_pointer, 'B',
                    plan.execute(1.0, a.data(), nullptr, 1.0, c.data(), d.data()));
            refused(errc::null_pointer, 'C',
                    plan.execute(1.0, a.data(), b.data(), 1.0, nullptr, d.data()));
            refused(errc::null_pointer, 'D',
                    plan.execute(1.0, a.data(), b.data(), 1.0, c.data(), nullptr));
            refused(errc::null_pointer, 'D',
                    plan.execute(0.0, nullptr, nullptr, 0.0, nullptr, nullptr));
            refused(errc::overlap, 'A',
                    plan.execute(1.0, d.data() + 5, b.data(), 1.0, c.data(), d.data()));
            refused(errc::overlap, 'B',
                    plan.execute(1.0, a.data(), d.data() + 5, 1.0, c.data(), d.data()));
            refused(errc::overlap, 'C',
                    plan.execute(1.0, a.data(), b.data(), 1.0, d.data() + 5, d.data()));
            if (!is_complex(data_type_of<T>)) {
                const scalar imaginary{0, 1};
                refused(errc::type_mismatch, 'D',
                        plan.execute(imaginary, a.data(), b.data(), 0.0, nullptr, d.data()));
                refused(errc::type_mismatch, 'D',
                        plan.execute(1.0, a.data(), b.data(), imaginary, c.data(), d.data()));
            }

            // The plan still works after all these errors.
            EXPECT_TRUE(plan.execute(2.0, a.data(), b.data(), 3.0, c.data(), d.data()));
            expect_equal(d, [&](index_t i, index_t j) {
                return 2.0 * sum(9, [&](index_t k) { return a(i, k) * b(k, j); }) + 3.0 * c(i, j);
            });
        });
    });
}

TEST(Semantics, ExecutionReportsMissingMemory) {
    // 2^58 elements that share one address. Converted, each needs memory of its own, and no machine
    // has 2^60 bytes. One input cannot be summed as it is.
    std::uint16_t element = 0x3f80; // 1 as bf16
    test_tensor<float> d(extents_t{});
    d.fill(1);
    const input many(data_type::bf16, &element, layout({index_t{1} << 58}, {0}));
    contract_options options;
    options.algorithm = algorithm::ttgt;
    const contraction_plan plan = make_plan("=k", many, d, options);
    static_cast<void>(d.out());
    const status result = plan.execute(1.0, &element, nullptr, 0.0, nullptr, d.data());
    EXPECT_EQ(name(result.code()), name(errc::out_of_memory));
    EXPECT_EQ(result.message(), "no memory for the workspace");
    EXPECT_TRUE(d.unchanged());
}

TEST(Semantics, ContractThrowsWhatExecutionReports) {
    test_tensor<double> a({3, 4}), b({4, 5}), c({3, 5}), d({3, 5});
    a.fill(1);
    b.fill(2);
    c.fill(3);
    d.fill(4);
    const auto null = [](const test_tensor<double> &like) {
        return output(data_type::f64, nullptr, like.shape());
    };
    expect_refused(errc::null_pointer, "A is null where its elements are needed", d,
                   [&] { contract("ab=ak*kb", null(a), b, d); });
    expect_refused(errc::null_pointer, "B is null where its elements are needed", d,
                   [&] { contract("ab=ak*kb", a, null(b), d); });
    expect_refused(errc::null_pointer, "C is null where its elements are needed", d,
                   [&] { contract("ab+=ak*kb", a, b, null(c), d); });
    expect_refused(errc::null_pointer, "D is null where its elements are needed", d,
                   [&] { contract("ab=ak*kb", a, b, null(d)); });
    expect_refused(errc::overlap, "A shares elements with the output", d, [&] {
        contract("ab=ak*kb", input(data_type::f64, d.data() + 1, a.shape()), b, d);
    });
    expect_refused(errc::type_mismatch,
                   "the tensors' type does not hold a scalar: an imaginary part if they are real, "
                   "or other than integers of 32 bits if they are integers",
                   d, [&] { contract("ab=ak*kb", a, b, d, {.alpha = scalar(1, 1)}); });
}

/// A contraction that all algorithms can do, each with another workspace.
struct transposed_product {
    test_tensor<double> a{extents_t{29, 7, 37}}, b{extents_t{7, 41, 29}}, d{extents_t{41, 37}};

    transposed_product() {
        a.fill(1);
        b.fill(2);
        d.poison();
    }
    contraction_plan plan(const contract_options &options) {
        return make_plan("ba=kla*lbk", a, b, d, options);
    }
    void expect() const {
        expect_equal(d, [&](index_t j, index_t i) {
            return sum(29, [&](index_t k) {
                return sum(7, [&](index_t l) { return a(k, l, i) * b(l, j, k); });
            });
        });
    }
};

TEST(Semantics, NegativeWorkspaceLimitIsRefused) {
    for (const index_t limit : {index_t{-1}, INT64_MIN}) {
        const std::string fault =
            "workspace_limit is " + std::to_string(limit) + " bytes; it is 0 or more";
        const contract_options limited{.workspace_limit = bytes(limit)};
        test_tensor<double> a({5, 7}), b({7, 6}), c({6, 6}), d({5, 6});
        d.fill(1);
        expect_refused(errc::invalid_argument, fault, d,
                       [&] { contract("ab=ak*kb", a, b, d, limited); });
        expect_refused(errc::invalid_argument, fault, d,
                       [&] { (void)make_plan("ab=ak*kb", a, b, d, limited); });
        expect_refused(errc::invalid_argument, fault, d, [&] {
            contract("ab=ak*kl*lb", {a.in(), b.in(), c.in()}, d, limited);
        });
        expect_refused(errc::invalid_argument, fault, d, [&] {
            settings wanted;
            wanted.workspace_limit = bytes(limit);
            context{wanted};
        });
    }
}

TEST(Semantics, WorkspaceLimitIsKept) {
    every_way([](const contract_options &options) {
        transposed_product x;
        const contraction_plan free = x.plan(options);
        const byte_count needed = free.workspace_size();
        EXPECT_EQ(needed, free.summary().workspace);

        // The workspace that the plan states suffices, and no byte behind it changes.
        guarded_buffer workspace(static_cast<std::size_t>(needed.value));
        EXPECT_TRUE(free.execute(1.0, x.a.data(), x.b.data(), 0.0, nullptr, x.d.data(),
                                 {workspace.data(), workspace.size()}));
        x.expect();
        EXPECT_TRUE(workspace.guards_intact());

        // The error names the smallest limit that suffices.
        for (const byte_count limit : {needed, bytes(needed.value - 1), bytes(0)}) {
            if (limit.value < 0)
                continue;
            SCOPED_TRACE("limit: " + std::to_string(limit.value));
            contract_options limited = options;
            limited.workspace_limit = limit;
            try {
                const contraction_plan plan = x.plan(limited);
                EXPECT_LE(plan.workspace_size(), limit);
                x.d.poison();
                guarded_buffer given(static_cast<std::size_t>(limit.value));
                EXPECT_TRUE(plan.execute(1.0, x.a.data(), x.b.data(), 0.0, nullptr, x.d.data(),
                                         {given.data(), given.size()}));
                x.expect();
                EXPECT_TRUE(given.guards_intact());
            } catch (const error &e) {
                EXPECT_EQ(name(e.code()), name(errc::workspace_too_small));
                EXPECT_LT(limit, needed);
                const std::string message = e.what();
                const std::string before = " needs at least ", after = " bytes of workspace, but "
                                                                       "the limit is ";
                const std::size_t number = message.find(before) + before.size();
                ASSERT_NE(message.find(after), std::string::npos) << message;
                EXPECT_EQ(message.substr(message.find(after) + after.size()),
                          std::to_string(limit.value));
                limited.workspace_limit = bytes(std::stoll(message.substr(number)));
                EXPECT_EQ(x.plan(limited).workspace_size(), *limited.workspace_limit);
            }
        }
    });

    // With a limit the planner chooses another way instead of failing. The context may set the
    // limit.
    settings frugal;
    frugal.threads = 2;
    frugal.workspace_limit = bytes(0);
    const context ctx(frugal);
    transposed_product x;
    contract("ba=kla*lbk", x.a, x.b, x.d, {.ctx = &ctx});
    x.expect();
    EXPECT_EQ(x.plan({.ctx = &ctx}).workspace_size(), bytes(0));
}

} // namespace
} // namespace tenfold::testing
