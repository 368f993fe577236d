// Compares the bits of distributed contractions with those in a file. Tenfold adds sums across
// ranks in the order of the ranks, not by MPI's reductions or in the order of arrival, so that each
// number of ranks has one result, reproducible or not.
#include <array>
#include <sstream>

#include "mpi/random_contraction.hpp"
#include "recorded/recording.hpp"
#include "support/pinned.hpp"

namespace tenfold::testing {
namespace {

constexpr std::uint64_t ranks_seed = 6001;

struct recorded_row {
    const context &ctx;
    int cases;
    std::string name; ///< "ranks 3 avx2"
};

template <class T> T random_part(random_source &random) {
    return static_cast<T>(static_cast<float>(random.integer(1, 7)) / 7.0F);
}

/// Computes D of one random contraction, whole and on every rank; `text` describes the contraction.
template <class T>
tensor<T> compute(int number, bool reproducible, const context &ctx, std::string &text) {
    random_source random(ranks_seed, number);
    const random_contraction c =
        number % 2 == 0 ? draw_with_long_sums(random) : draw_contraction(random);
    const int size = ranks().size();
    dist_options options;
    options.diagonal_output = c.diagonal_output;
    if (!reproducible && random.chance(0.8))
        options = draw_options(random, c, size);
    options.reproducible = reproducible;
    options.ctx = &ctx;
    options.threads = 1;
    options.alpha = random_part<T>(random);
    options.beta = random.chance(0.4) ? T(0) : random_part<T>(random);
    options.conj_a = random.chance(0.3);
    options.conj_b = !c.unary && random.chance(0.3);
    const auto spread = [&](std::size_t operand) {
        return draw_partition(random, c, operand, size);
    };
    dist_tensor<T> a(ranks(), c.extents[0], spread(0));
    dist_tensor<T> d(ranks(), c.extents.back(), spread(c.extents.size() - 1));
    fill_reals(a, 1);
    fill_reals(d, 3);
    std::optional<dist_report> report;
    if (c.unary) {
        report = contract(c.expression, a, d, options);
    } else {
        dist_tensor<T> b(ranks(), c.extents[1], spread(1));
        fill_reals(b, 2);
        report = contract(c.expression, a, b, d, options);
    }
    text = c.expression + " " + report->plan.describe();
    return d.gather_all();
}

template <class T> std::string line_of(const recorded_row &row, bool reproducible) {
    const std::string type =
        std::string(name(data_type_of<T>)) + (reproducible ? " reproducible" : "");
    group_hash all(row.name + " " + type);
    for (int number = 0; number < row.cases; ++number) {
        std::string text;
        const tensor<T> d = compute<T>(number, reproducible, row.ctx, text);
        bits_hash one;
        one.add_elements(d.data(), sizeof(T), d.shape());
        if (ranks().rank() == 0)
            all.add(number, one, [&] { return text; });
    }
    return type + " " + all.text();
}

lines all_lines(const recorded_row &row) {
    lines result;
    for (const bool reproducible : {false, true}) {
        result.push_back(line_of<float>(row, reproducible));
        result.push_back(line_of<double>(row, reproducible));
        result.push_back(line_of<c32>(row, reproducible));
        result.push_back(line_of<c64>(row, reproducible));
    }
    return result;
}

/// Instruction set and cases, which rank 0 has read and all ranks compute; 0 cases: the end.
using shared_question = std::array<int, 2>;

lines compute_with_all(shared_question asked) {
    MPI_Bcast(asked.data(), static_cast<int>(asked.size()), MPI_INT, 0, ranks().comm());
    if (asked[1] == 0)
        return {};
    const auto set = static_cast<isa>(asked[0]);
    try {
        return all_lines(
            {*recorded_context(set, 1), asked[1],
             "ranks " + std::to_string(ranks().size()) + " " + std::string(name(set))});
    } catch (const error &refused) { // by all ranks
        return {refused.what()};
    }
}

/// Answers "ranks 3 avx2 30": ranks, instruction set, cases of each type.
lines answer(const std::string &question) {
    std::istringstream in(question);
    std::string suite, set_name;
    int size = 0, cases = 0;
    in >> suite >> size >> set_name >> cases;
    const isa set = parse_isa(set_name).value();
    if (size != ranks().size() || recorded_context(set, 1) == nullptr)
        return {};
    return compute_with_all({static_cast<int>(set), cases});
}

TEST(RecordedRanks, AreTheSameBits) {
    const std::string file = TENFOLD_RECORDED "/ranks.txt";
    if (const std::string reason = reason_not_to_compare(file); !reason.empty())
        GTEST_SKIP() << reason;
    if (ranks().rank() == 0) {
        expect_pinned(file, answer);
        compute_with_all({0, 0});
    } else {
        while (!compute_with_all({}).empty()) {
        }
    }
}

} // namespace
} // namespace tenfold::testing
