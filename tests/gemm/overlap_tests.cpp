// Compares decisions on overlap with enumeration.
#include <set>

#include <gtest/gtest.h>

#include "gemm/plan/overlap.hpp"
#include "support/random.hpp"

namespace tenfold::testing {
namespace {

using gemm_impl::matrix_placement;

matrix_placement random_matrix(random_source &random, const char *base) {
    return {base + random.integer(0, 60), random.pick<index_t>({4, 8}), random.integer(1, 6),
            random.integer(1, 6),         random.integer(-9, 9),        random.integer(-9, 9)};
}

std::multiset<const char *> bytes_of(const matrix_placement &m) {
    std::multiset<const char *> found;
    for (index_t i = 0; i < m.rows; ++i)
        for (index_t j = 0; j < m.columns; ++j)
            for (index_t byte = 0; byte < m.element_size; ++byte)
                found.insert(static_cast<const char *>(m.data) +
                             (i * m.row_stride + j * m.column_stride) * m.element_size + byte);
    return found;
}

TEST(gemm_overlap, equals_enumeration) {
    static char memory[2000];
    int shared = 0;
    int own = 0;
    for (const int i : cases(20'000)) {
        random_source random(i);
        const matrix_placement a = random_matrix(random, memory + 900);
        const matrix_placement b = random_matrix(random, memory + 900 + random.integer(0, 200));
        const auto bytes_a = bytes_of(a);
        const auto bytes_b = bytes_of(b);
        bool meet = false;
        for (const char *byte : bytes_b)
            meet = meet || bytes_a.contains(byte);
        EXPECT_EQ(gemm_impl::share_memory(a, b), meet) << rerun_line(i);
        const bool repeats =
            std::set<const char *>(bytes_a.begin(), bytes_a.end()).size() != bytes_a.size();
        EXPECT_EQ(gemm_impl::overlaps_itself(a), repeats) << rerun_line(i);
        shared += meet;
        own += repeats;
        if (HasFailure())
            return;
    }
    EXPECT_GT(shared + own, 0);
}

} // namespace
} // namespace tenfold::testing
