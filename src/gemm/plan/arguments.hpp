// The checks that every public matrix product makes of its arguments before it writes anything.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <tenfold/gemm.hpp>

#include "base/option_checks.hpp"
#include "base/scalars.hpp"
#include "gemm/plan/overlap.hpp"
#include "gemm/plan/shape.hpp"

namespace tenfold::gemm_impl {

template <class T> batch_placement place(const matrix_view<T> &x, index_t count, index_t stride) {
    return {{x.data, sizeof(T), x.rows, x.columns, x.row_stride, x.column_stride}, count, stride};
}
template <class T> batch_placement place(const matrix_view<T> &x) { return place(x, 1, 0); }

/// The product of three views, whose extents agree. Only complex numbers have conjugates.
template <class InA, class InB, class Out>
gemm_shape shape_of(data_type type, const matrix_view<InA> &a, const matrix_view<InB> &b,
                    const matrix_view<Out> &c, const gemm_options &options) noexcept {
    return {type,
            c.rows,
            c.columns,
            a.columns,
            a.row_stride,
            a.column_stride,
            b.row_stride,
            b.column_stride,
            c.row_stride,
            c.column_stride,
            options.conj_a && is_complex(type),
            options.conj_b && is_complex(type)};
}

/// Messages begin with the function's name.
struct argument_checks {
    const char *function;

    [[noreturn]] void fail(errc code, const std::string &message,
                           error_details details = {}) const {
        throw error(code, std::string(function) + ": " + message, std::move(details));
    }

    enum class extent_of : std::uint8_t { rows, columns, batch };
    struct operand_extent {
        const char *letter;
        extent_of what;
        index_t extent;

        std::string text() const {
            constexpr const char *names[] = {"rows", "columns", "number of matrices"};
            return std::string(names[static_cast<int>(what)]) + " of " + letter + " is " +
                   std::to_string(extent);
        }
        error_operand details() const {
            error_operand operand{.name = letter, .extent = extent};
            if (what != extent_of::batch)
                operand.mode = static_cast<int>(what);
            return operand;
        }
    };

    /// Checks an extent that two operands share: "m: rows of A is 2, rows of C is 3".
    void equal(const char *name, const operand_extent &one, const operand_extent &other) const {
        if (one.extent != other.extent)
            fail(errc::extent_mismatch, std::string(name) + ": " + one.text() + ", " + other.text(),
                 {.label = name, .first = one.details(), .second = other.details()});
    }

    template <class T> void extents(const matrix_view<T> &x, const char *letter) const {
        if (x.rows < 0 || x.columns < 0)
            fail(errc::invalid_argument, std::string(letter) + " has " + std::to_string(x.rows) +
                                             " rows and " + std::to_string(x.columns) +
                                             " columns; neither may be negative");
    }

    /// Checks that positions in bytes fit 64 bits; others would overflow.
    void reach(const batch_placement &x, const char *letter) const {
        if (!fits_64_bits({x.first, 1, 0}))
            fail(errc::overflow, std::string(letter) + " has " + describe(x.first) +
                                     ": these positions do not fit 64 bits");
        if (!fits_64_bits(x))
            fail(errc::overflow, std::string("matrices of ") + letter + " are " +
                                     std::to_string(x.stride) + " elements of " +
                                     std::to_string(x.first.element_size) +
                                     " bytes from each other: these positions do not fit 64 bits");
    }

    /// Checks C(m x n) = A(m x k) B(k x n): the extents agree, and positions fit 64 bits.
    template <class InA, class InB, class Out> void
    product(const matrix_view<InA> &a, const matrix_view<InB> &b, const matrix_view<Out> &c) const {
        extents(a, "A");
        extents(b, "B");
        extents(c, "C");
        using enum extent_of;
        equal("m", {"A", rows, a.rows}, {"C", rows, c.rows});
        equal("n", {"B", columns, b.columns}, {"C", columns, c.columns});
        equal("k", {"A", columns, a.columns}, {"B", rows, b.rows});
        reach(place(a), "A");
        reach(place(b), "B");
        reach(place(c), "C");
    }

    /// Checks that alpha and beta are numbers of the output's type.
    void factors(data_type output, const gemm_options &options) const {
        if (!base::fits(output, options.alpha) || !base::fits(output, options.beta))
            fail(errc::type_mismatch,
                 "alpha or beta has an imaginary part, but the matrices are real",
                 {.first = {.name = "C", .type = output}});
    }

    void choices(const gemm_options &options) const {
        base::check_threads(options.threads, function);
        if (options.backend)
            base::check_enumerator(*options.backend, "backend", function);
    }

    void data(const void *address, const char *letter) const {
        if (address == nullptr)
            fail(errc::null_pointer, std::string(letter) + " is null", {.first = {.name = letter}});
    }

    void not_itself(const batch_placement &c) const {
        if (!overlaps_itself(c))
            return;
        const std::string strides = "row stride " + std::to_string(c.first.row_stride) +
                                    ", column stride " + std::to_string(c.first.column_stride);
        if (overlaps_itself(c.first))
            fail(errc::overlap, "C overlaps itself: " + strides, {.first = {.name = "C"}});
        fail(errc::overlap,
             "matrices of C overlap each other: " + strides + ", from matrix to matrix " +
                 std::to_string(c.stride),
             {.first = {.name = "C"}});
    }

    void apart(const batch_placement &input, const char *letter, const batch_placement &c) const {
        if (share_memory(input, c))
            fail(errc::overlap,
                 std::string("C overlaps ") + letter + "; copy " + letter + " or write to " +
                     (c.count > 1 ? "other matrices" : "another matrix"),
                 {.first = {.name = letter}, .second = {.name = "C"}});
    }

    /// Checks that pointers are not null and that C overlaps neither itself nor its inputs. A and B
    /// are inputs unless alpha is 0.
    template <class InA, class InB, class Out>
    void memory(const matrix_view<InA> &a, const matrix_view<InB> &b, const matrix_view<Out> &c,
                bool alpha_is_zero) const {
        if (c.rows == 0 || c.columns == 0)
            return;
        data(c.data, "C");
        not_itself(place(c));
        if (alpha_is_zero || a.columns == 0)
            return;
        data(a.data, "A");
        data(b.data, "B");
        apart(place(a), "A", place(c));
        apart(place(b), "B", place(c));
    }

    [[noreturn]] void no_workspace(byte_count size) const {
        fail(errc::out_of_memory,
             "cannot allocate " + std::to_string(size.value) + " bytes of workspace");
    }
};

} // namespace tenfold::gemm_impl
