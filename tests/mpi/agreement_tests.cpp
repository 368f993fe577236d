// Tests ranks that pass different arguments: all throw the same error, nothing hangs, nothing is
// written.
#include "mpi/ranks.hpp"

namespace tenfold::testing {
namespace {

bool odd_one_out() { return ranks().rank() == ranks().size() - 1; }

/// Runs `call` on all ranks; the last one passes something else.
template <class Call> void expect_disagreement(const Call &call, const std::string &what) {
    if (ranks().size() == 1)
        return;
    const failure found = failure_of(call);
    EXPECT_EQ(found.code, errc::disagreement) << found.message;
    EXPECT_NE(found.message.find(what), std::string::npos) << found.message;
    EXPECT_NE(found.message.find("rank " + std::to_string(ranks().size() - 1)), std::string::npos)
        << found.message;
    EXPECT_TRUE(same_on_all_ranks(found.message));
}

TEST(Agreement, OnExtents) {
    expect_disagreement(
        [] {
            dist_tensor<double>(ranks(), {4, odd_one_out() ? 6 : 5});
        },
        "extents: rank 0 passed (4, 5), rank");
}

TEST(Agreement, OnTypes) {
    expect_disagreement(
        [] {
            if (odd_one_out())
                dist_tensor<float>(ranks(), {4});
            else
                dist_tensor<double>(ranks(), {4});
        },
        "type: rank 0 passed f64");
}

TEST(Agreement, OnDistributions) {
    const int size = ranks().size();
    expect_disagreement(
        [&] {
            dist_tensor<double>(ranks(), {9, 8},
                                odd_one_out() ? distribution({9, 8}, {1, size}, size)
                                              : distribution({9, 8}, {size, 1}, size));
        },
        "distribution");
    expect_disagreement(
        [&] { dist_tensor<double>(ranks(), {9}, distribution::on_rank({9}, size, odd_one_out())); },
        "distribution");
}

TEST(Agreement, OnHowElementsBegin) {
    expect_disagreement(
        [] {
            if (odd_one_out())
                dist_tensor<double>(ranks(), {4}, uninitialized);
            else
                dist_tensor<double>(ranks(), {4});
        },
        "elements: rank 0 passed zeros");
}

/// The last rank cannot make the call that the others make; nobody waits, and all say why.
template <class Call> void expect_refusal(const Call &call) {
    const failure found = failure_of([&] {
        if (odd_one_out())
            agree(ranks(), error(errc::io, "there is no such file"));
        else
            call();
    });
    EXPECT_EQ(found.code, errc::io);
    const std::string last = "rank " + std::to_string(ranks().size() - 1) + ": ";
    EXPECT_EQ(found.message, (ranks().size() > 1 ? last : "") + "there is no such file");
    agree(ranks()); // all can go on
}

TEST(Agreement, ARankThatCannotMakeTheCall) {
    dist_tensor<double> a(ranks(), {4, 4}), d(ranks(), {4, 4});
    expect_refusal([] { agree(ranks()); });
    expect_refusal([&] { a.fill(1.0); });
    expect_refusal([&] { a.gather_all(); });
    expect_refusal([&] { dist_tensor<double>(ranks(), {4}); });
    // Rates that nobody has told yet: plans begin with another agreement then.
    settings typical = settings::from_environment();
    typical.threads = 3;
    typical.calibration = "off";
    const context other(typical);
    for (int call = 0; call < 2; ++call)
        expect_refusal([&] { contract("mn=mk*kn", a, a, d, {.ctx = &other}); });
}

TEST(Agreement, TheFieldsOfAnErrorStayOnItsRank) {
    error_details details;
    details.label = "k";
    const auto call = [&] {
        if (odd_one_out())
            agree(ranks(), error(errc::extent_mismatch, "label 'k'", details));
        else
            agree(ranks());
    };
    try {
        call();
        ADD_FAILURE() << "nothing was thrown";
    } catch (const error &thrown) {
        EXPECT_EQ(thrown.details().label, odd_one_out() ? "k" : "");
    }
}

class AgreementOnContractions : public ::testing::Test {
protected:
    AgreementOnContractions() {
        fill_values(a, 1);
        fill_values(b, 2);
        fill_values(d, 3);
    }
    ~AgreementOnContractions() override {
        EXPECT_TRUE(equal(d.gather_all(), make_values<double>({4, 4}, 3))) << "D was written";
    }
    dist_tensor<double> a{ranks(), {4, 4}};
    dist_tensor<double> b{ranks(), {4, 4}};
    dist_tensor<double> d{ranks(), {4, 4}};
};

TEST_F(AgreementOnContractions, OnLabels) {
    expect_disagreement([&] { contract(odd_one_out() ? "mn=mk*nk" : "mn=mk*kn", a, b, d); },
                        "expression: rank 0 passed 'mn=mk*kn', rank");
    expect_disagreement([&] { contract(odd_one_out() ? "mn=mk*" : "mn=mk*kn", a, b, d); },
                        "expression");
}

TEST_F(AgreementOnContractions, OnOptions) {
    expect_disagreement(
        [&] { contract("mn=mk*kn", a, b, d, {.alpha = odd_one_out() ? 2.0 : 1.0}); },
        "alpha: rank 0 passed 1, rank");
    expect_disagreement([&] { contract("mn=mk*kn", a, b, d, {.conj_b = odd_one_out()}); },
                        "conj_b: rank 0 passed false");
    const auto grid = odd_one_out() ? std::optional<processor_grid>()
                                    : std::optional<processor_grid>(processor_grid{});
    expect_disagreement([&] { contract("mn=mk*kn", a, b, d, {.grid = grid}); }, "grid");
}

TEST_F(AgreementOnContractions, OnTheOperation) {
    expect_disagreement(
        [&] {
            if (odd_one_out())
                d.norm();
            else
                contract("mn=mk*kn", a, b, d);
        },
        "rank 0 called contract, rank");
}

TEST_F(AgreementOnContractions, OnTheOperandsDistributions) {
    const int size = ranks().size();
    if (size == 1)
        return;
    dist_tensor<double> other = a.redistribute(distribution({4, 4}, {size, 1}, size));
    dist_tensor<double> another = a.redistribute(distribution::on_rank({4, 4}, size, 0));
    expect_disagreement([&] { contract("mn=mk*kn", odd_one_out() ? other : another, b, d); },
                        "A: rank 0 passed");
}

// Of equal types, extents and distributions, so that only the tensors themselves differ.
TEST_F(AgreementOnContractions, OnTheTensors) {
    dist_tensor<double> e(ranks(), {4, 4});
    const bool odd = odd_one_out();
    expect_disagreement([&] { contract("mn=mk*kn", odd ? b : a, odd ? a : b, d); },
                        "A: rank 0 passed tensor " + std::to_string(a.number()) + " in ");
    expect_disagreement([&] { contract("mn=mk*kn", a, b, odd ? e : d); }, "D: rank 0 passed");
    expect_disagreement([&] { contract("nm=mn", odd ? a : b, d); }, "A: rank 0 passed");
    expect_disagreement(
        [&] {
            const std::vector<dist_input<double>> inputs{a, odd ? a : b, b};
            contract<double>("mn=mk*kl*ln", inputs, d);
        },
        "input 2: rank 0 passed");
    const std::string what = "tensor: rank 0 passed tensor " + std::to_string(d.number());
    expect_disagreement([&] { (odd ? e : d).norm(); }, what);
    expect_disagreement([&] { (odd ? e : d).fill(7.0); }, what);
    expect_disagreement([&] { (odd ? e : d).fill([](const auto &, auto) { FAIL(); }); }, what);
    expect_disagreement([&] { (odd ? e : d).read({0, 0}, {2, 2}); }, what);
    expect_disagreement([&] { (odd ? e : d).scatter(tensor<double>({4, 4}), 0); }, what);
    expect_disagreement([&] { (odd ? e : d).redistribute(d.distribution()); }, what);
    expect_disagreement([&] { dot(a, odd ? e : d); }, "B: rank 0 passed");
    EXPECT_TRUE(equal(e.gather_all(), tensor<double>({4, 4}))) << "another tensor was written";
}

TEST_F(AgreementOnContractions, ATensorKeepsItsNumber) {
    EXPECT_TRUE(same_on_all_ranks(std::to_string(a.number())));
    EXPECT_NE(a.number(), b.number());
    const std::uint64_t number = a.number();
    const dist_tensor<double> moved = std::move(a);
    EXPECT_EQ(moved.number(), number);
    dist_tensor<double> assigned(ranks(), {1});
    assigned = moved.redistribute(moved.distribution());
    EXPECT_NE(assigned.number(), number);
}

TEST_F(AgreementOnContractions, WrongArgumentsThatAllPassReadAsOnOneNode) {
    dist_tensor<double> c(ranks(), {5, 4});
    const failure mismatch = failure_of([&] { contract("mn=mk*kn", a, c, d); });
    EXPECT_EQ(mismatch.code, errc::extent_mismatch);
    EXPECT_EQ(mismatch.message, "label 'k': A mode 1 has extent 4, B mode 0 has extent 5");
    EXPECT_TRUE(same_on_all_ranks(mismatch.message));

    EXPECT_EQ(failure_of([&] { contract("mn=mk*", a, b, d); }).code, errc::syntax);
    EXPECT_EQ(failure_of([&] { contract("mn=mk", a, b, d); }).code, errc::order_mismatch);
    EXPECT_EQ(failure_of([&] { contract("mn=mk*kn", a, d, d); }).code, errc::overlap);
    EXPECT_EQ(failure_of([&] { contract("mn+=mk*kn", a, b, d, {.beta = 1.0}); }).code,
              errc::invalid_argument);

    // One name is one tensor.
    dist_tensor<double> square(ranks(), {5, 5}), twin(ranks(), {5, 5}), result(ranks(), {5, 5});
    square.fill(1.0);
    twin.fill(1.0);
    const failure two = failure_of([&] { contract("R[a,b]=T[a,c]*T[c,b]", square, twin, result); });
    EXPECT_EQ(two.code, errc::invalid_argument);
    EXPECT_NE(two.message.find("calls both A and B 'T', but they are two tensors"),
              std::string::npos)
        << two.message;
    EXPECT_TRUE(same_on_all_ranks(two.message));
    const failure three = failure_of([&] {
        contract("R[a,b]=T[a,c]*G[c,d]*T[d,b]", {square, twin, twin}, result);
    });
    EXPECT_EQ(three.code, errc::invalid_argument);
    EXPECT_NE(three.message.find("input 1 and input 3"), std::string::npos) << three.message;
    contract("R[a,b]=T[a,c]*T[c,b]", square, square, result);
    EXPECT_EQ(result.gather_all()(4, 4), 5);
    EXPECT_EQ(failure_of([&] {
                  contract("mn=mk*kn", a, b, d, {.alpha = {0, 1}});
              }).code,
              errc::invalid_argument);
    EXPECT_EQ(failure_of([&] {
                  contract("mn=mk*kn", a, b, d, {.grid = processor_grid{.m = ranks().size() + 1}});
              }).code,
              errc::invalid_argument);
    const failure memory =
        failure_of([&] { contract("mn=mk*kn", a, b, d, {.memory_per_rank = bytes(64)}); });
    EXPECT_EQ(memory.code, errc::workspace_too_small);
    EXPECT_NE(memory.message.find("the least is"), std::string::npos) << memory.message;
}

} // namespace
} // namespace tenfold::testing
