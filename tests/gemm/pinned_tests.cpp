// Compares forms, blocks, thread grids and predictions of matrix products on fictitious machines
// with a table.
#include <cstdio>
#include <sstream>
#include <stdexcept>

#include <gtest/gtest.h>

#include "gemm/forms/small.hpp"
#include "gemm/plan/plan.hpp"
#include "gemm/plan/shape.hpp"
#include "support/described_machines.hpp"
#include "support/pinned.hpp"

namespace tenfold::testing {
namespace {

using gemm_impl::gemm_form;
using gemm_impl::gemm_plan;
using gemm_impl::gemm_plan_options;
using gemm_impl::gemm_shape;

/// "wide x8 f64 100x200x300 crc": m x n x k, then whether A, B and D are stored by columns or rows;
/// "part-of=<elements>" of D may follow.
struct question {
    const context *ctx = nullptr;
    gemm_shape shape;
    gemm_plan_options options;

    explicit question(const std::string &text) {
        std::istringstream in(text);
        std::string machine, threads, type, extents, order, part;
        in >> machine >> threads >> type >> extents >> order >> part;
        ctx = &described_context(machine);
        options = gemm_plan_options::from(*ctx);
        options.threads = std::stoi(threads.substr(1));
        shape.type = parse_data_type(type).value();
        long long m = 0, n = 0, k = 0;
        if (std::sscanf(extents.c_str(), "%lldx%lldx%lld", &m, &n, &k) != 3 || order.size() != 3)
            throw std::invalid_argument("not a product: " + text);
        shape.m = m;
        shape.n = n;
        shape.k = k;
        const auto lay = [](bool by_rows, index_t rows, index_t columns, index_t &row_stride,
                            index_t &column_stride) {
            row_stride = by_rows ? columns : 1;
            column_stride = by_rows ? 1 : rows;
        };
        lay(order[0] == 'r', shape.m, shape.k, shape.row_stride_a, shape.column_stride_a);
        lay(order[1] == 'r', shape.k, shape.n, shape.row_stride_b, shape.column_stride_b);
        lay(order[2] == 'r', shape.m, shape.n, shape.row_stride_d, shape.column_stride_d);
        if (part.starts_with("part-of="))
            options.whole.d = std::stod(part.substr(8));
    }
};

/// The properties that describe() leaves out.
std::string stores_of(const question &asked, const gemm_plan &plan) {
    const auto &kernel =
        *gemm_impl::select(asked.shape.type, asked.options.instruction_set)->kernel;
    const gemm_shape shape = gemm_impl::orient(asked.shape, kernel.vector_length).shape;
    const auto whole = static_cast<index_t>(asked.options.whole.d);
    const base::machine &machine = *asked.options.machine;
    const auto blocks = gemm_impl::choose_blocking(machine, kernel, size_of(shape.type));
    const auto stores = [](bool past) { return past ? ", D past the caches" : ""; };
    switch (plan.form()) {
    case gemm_form::dot:
    case gemm_form::gemv: {
        const bool turned = asked.shape.n != 1;
        const gemm_impl::gemv_problem problem{turned ? asked.shape.transposed() : asked.shape,
                                              &kernel, plan.threads()};
        using access = gemm_impl::gemv_problem::access;
        const access how = problem.form();
        return std::string(how == access::columns ? ", by columns"
                           : how == access::rows  ? ", by rows"
                                                  : ", element by element") +
               ", k in " + std::to_string(problem.leaves()) + " leaves";
    }
    case gemm_form::outer:
        return stores(
            gemm_impl::make_outer_problem(shape, kernel, machine, plan.threads(), whole).streams);
    case gemm_form::packed:
        return stores(
            gemm_impl::make_macro_problem(shape, kernel, {machine, blocks, plan.threads()}, whole)
                .streams);
    case gemm_form::streamed: {
        const auto made =
            gemm_impl::make_streamed_problem(shape, kernel, machine, plan.threads(), whole);
        const char *by = made.multiply == kernel.skinny.tall   ? "tall"
                         : made.multiply == kernel.skinny.wide ? "wide"
                                                               : "deep";
        return ", " + std::to_string(made.kc) + " steps, " + by + stores(made.bypasses_caches);
    }
    default:
        return "";
    }
}

lines answer(const std::string &text) {
    const question asked(text);
    if (gemm_impl::select(asked.shape.type, asked.ctx->isa())->variant.isa != asked.ctx->isa())
        return {};
    const gemm_plan plan(asked.shape, asked.options);
    char numbers[96];
    std::snprintf(numbers, sizeof numbers, "%#.3g us, %lld bytes",
                  plan.predicted_seconds(asked.options) * 1e6,
                  static_cast<long long>(plan.workspace_size().value));
    const auto small = gemm_impl::find_small_form(asked.shape, asked.options);
    return {plan.describe() + stores_of(asked, plan), numbers,
            std::string("as a small one: ") +
                (!small          ? "no"
                 : small->copies ? "from copies"
                                 : "in place") +
                (small && small->turned ? ", transposed" : "")};
}

TEST(PinnedProducts, AreAsInTheTable) { expect_pinned(TENFOLD_PINNED_PLANS, answer); }

} // namespace
} // namespace tenfold::testing
