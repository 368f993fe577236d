// What random cases of TBLIS's interface do not show: threads, aliases, numbers without a type,
// wrong arguments.
#include <complex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tblis.h> // by its shorter name

#include "support/message_of.hpp"

namespace tenfold::testing {
namespace {

using namespace tblis;

/// A dense column-major tensor of doubles.
struct doubles {
    doubles(std::vector<len_type> length, double value)
        : lengths(std::move(length)), strides(lengths.size()) {
        stride_type step = 1;
        for (std::size_t mode = 0; mode < lengths.size(); ++mode) {
            strides[mode] = step;
            step *= lengths[mode];
        }
        elements.assign(static_cast<std::size_t>(step), value);
        tblis_init_tensor_d(&view, static_cast<unsigned>(lengths.size()), lengths.data(),
                            elements.data(), strides.data());
    }

    std::vector<len_type> lengths;
    std::vector<stride_type> strides;
    std::vector<double> elements;
    tblis_tensor view;
};

TEST(Tblis, InitialisesAllMembers) {
    len_type length = 3;
    stride_type stride = 2;
    std::complex<float> data[6];
    tblis_tensor tensor;
    tensor.conj = 7; // in C, members hold anything at first
    tblis_init_tensor_scaled_c(&tensor, {2, 3}, 1, &length, data, &stride);
    EXPECT_EQ(tensor.type, TYPE_SCOMPLEX);
    EXPECT_EQ(tensor.conj, 0);
    EXPECT_EQ(tensor.alpha<scomplex>(), scomplex(2, 3));
    EXPECT_EQ(tensor.data, data);
    EXPECT_EQ(tensor.ndim, 1U);
    EXPECT_EQ(tensor.len, &length);
    EXPECT_EQ(tensor.stride, &stride);
    tblis_init_tensor_c(&tensor, 1, &length, data, &stride);
    EXPECT_EQ(tensor.alpha<scomplex>(), scomplex(1));
    tblis_scalar number;
    tblis_init_scalar_z(&number, {4, 5});
    EXPECT_EQ(number.type, TYPE_DCOMPLEX);
    EXPECT_EQ(number.get<dcomplex>(), dcomplex(4, 5));
}

TEST(Tblis, CountsThreads) {
    const unsigned before = tblis_get_num_threads();
    EXPECT_GE(before, 1U);
    tblis_set_num_threads(3);
    EXPECT_EQ(tblis_get_num_threads(), 3U);
    tblis_set_num_threads(0); // Tenfold's settings: the test's
    EXPECT_EQ(tblis_get_num_threads(), 2U);
    tblis_set_num_threads(before);
}

TEST(Tblis, RefusesCommunicatorsOfSeveralThreads) {
    struct { // as TCI lays it out
        void *context = nullptr;
        unsigned gangs = 1, gang = 0, threads = 2, thread = 0;
    } team;
    doubles a({2, 2}, 1), b({2, 2}, 1), c({2, 2}, 5);
    const auto *const comm = reinterpret_cast<const tblis_comm *>(&team);
    const auto message = message_of(
        [&] { tblis_tensor_mult(comm, nullptr, &a.view, "ab", &b.view, "bc", &c.view, "ac"); },
        errc::unsupported);
    EXPECT_NE(message.find("2 threads"), std::string::npos) << message;
    EXPECT_EQ(c.elements, std::vector<double>(4, 5));
    team.threads = 1;
    tblis_tensor_mult(comm, tblis_get_config("any"), &a.view, "ab", &b.view, "bc", &c.view, "ac");
    EXPECT_EQ(c.elements, std::vector<double>(4, 7));
}

TEST(Tblis, AnyCharacterIsALabel) {
    doubles a({2, 3}, 1), b({3, 2}, 1), c({2, 2}, 0);
    const label_type in_a[] = {'\0', static_cast<char>(200)};
    const label_type in_b[] = {static_cast<char>(200), '['}, in_c[] = {'\0', '['};
    tblis_tensor_mult(nullptr, nullptr, &a.view, in_a, &b.view, in_b, &c.view, in_c);
    EXPECT_EQ(c.elements, std::vector<double>(4, 3));
}

TEST(Tblis, TakesManyModes) {
    // More modes than products read without memory of their own; most have length 1.
    std::vector<len_type> length(20, 1);
    length[2] = length[11] = 3;
    doubles a(length, 2), b({3, 3}, 5), c({3, 3}, 7);
    tblis_tensor_mult(nullptr, nullptr, &a.view, "abcdefghijklmnopqrst", &b.view, "lz", &c.view,
                      "cz");
    EXPECT_EQ(c.elements, std::vector<double>(9, 3 * 2 * 5 + 7));
}

TEST(Tblis, ReadsNumbersAsTheTensorsType) {
    doubles a({4}, 1);
    tblis_scalar number(2.5);
    number.type = TYPE_SCOMPLEX; // many programs leave it unset
    a.view.scalar.type = TYPE_FLOAT;
    tblis_tensor_shift(nullptr, nullptr, &number, &a.view, "i");
    EXPECT_EQ(a.elements, std::vector<double>(4, 3.5));
}

TEST(Tblis, AddsInPlace) {
    doubles a({3, 2}, 2);
    tblis_tensor same = a.view;
    same.scalar = 3.0;
    tblis_tensor_add(nullptr, nullptr, &same, "ij", &a.view, "ij");
    EXPECT_EQ(a.elements, std::vector<double>(6, 8));
    doubles square({3, 3}, 2);
    same = square.view;
    message_of([&] { tblis_tensor_add(nullptr, nullptr, &same, "ij", &square.view, "ji"); },
               errc::overlap);
}

TEST(Tblis, ScalarsHaveNoModes) {
    doubles a({}, 3), b({1, 1}, 4), c({}, 5);
    tblis_tensor_mult(nullptr, nullptr, &a.view, "", &b.view, "xy", &c.view, nullptr);
    EXPECT_EQ(c.elements[0], 17);
    tblis_scalar result(0.0);
    tblis_tensor_dot(nullptr, nullptr, &a.view, "", &b.view, "xy", &result);
    EXPECT_EQ(result.get<double>(), 12);
    len_type index = 7;
    tblis_tensor_reduce(nullptr, nullptr, REDUCE_MAX, &b.view, "xy", &result, &index);
    EXPECT_EQ(result.get<double>(), 4);
    EXPECT_EQ(index, 0);
}

TEST(Tblis, ReducesToTheFirstOfEqualElements) {
    doubles a({3, 2}, 1);
    a.elements = {1, 5, 2, 5, 1, 1};
    tblis_scalar result(0.0);
    len_type index = 0;
    tblis_tensor_reduce(nullptr, nullptr, REDUCE_MAX, &a.view, "ij", &result, &index);
    EXPECT_EQ(index, 1);
    tblis_tensor_reduce(nullptr, nullptr, REDUCE_MIN, &a.view, "ij", &result, &index);
    EXPECT_EQ(index, 0);
    a.elements.assign(6, 0.0); // nothing exceeds 0
    tblis_tensor_reduce(nullptr, nullptr, REDUCE_MAX_ABS, &a.view, "ij", &result, &index);
    EXPECT_EQ(result.get<double>(), 0);
    EXPECT_EQ(index, -1);
    a.view.scalar = -2.0; // what is largest is smallest, and not multiplied
    a.elements = {1, 5, 2, 5, 1, 1};
    tblis_tensor_reduce(nullptr, nullptr, REDUCE_MAX, &a.view, "ij", &result, nullptr);
    EXPECT_EQ(result.get<double>(), 1);
}

TEST(Tblis, WrongArgumentsAreNamed) {
    doubles a({2, 3}, 1), b({4, 2}, 1), c({2, 2}, 5);
    const auto refused = [&](errc code, const char *in_a, const char *in_b, const char *in_c) {
        const auto message = message_of(
            [&] {
                tblis_tensor_mult(nullptr, nullptr, &a.view, in_a, &b.view, in_b, &c.view, in_c);
            },
            code);
        EXPECT_EQ(c.elements, std::vector<double>(4, 5)) << "C was written";
        return message;
    };
    EXPECT_EQ(refused(errc::extent_mismatch, "ik", "kj", "ij"),
              "label 'k': A mode 1 has extent 3, B mode 0 has extent 4");
    const auto only_in_c = refused(errc::unknown_label, "ik", "lj", "iz");
    EXPECT_NE(only_in_c.find("'z'"), std::string::npos) << only_in_c;
    c.view.type = TYPE_FLOAT; // A and B are wider
    refused(errc::type_mismatch, "ik", "lj", "ij");
    c.view.type = TYPE_DOUBLE;
    a.view.type = static_cast<type_t>(3); // the largest number that is one
    refused(errc::type_mismatch, "ik", "lj", "ij");
    a.view.type = TYPE_DOUBLE;
    a.view.len = nullptr;
    EXPECT_EQ(refused(errc::invalid_argument, "ik", "lj", "ij"),
              "a tensor of 2 modes has no lengths, strides or labels");
    a.view.len = a.lengths.data();
    a.view.data = nullptr;
    refused(errc::null_pointer, "ik", "lj", "ij");
    a.view.data = a.elements.data();
    const auto unknown = message_of(
        [&] {
            tblis_scalar result;
            tblis_tensor_reduce(nullptr, nullptr, static_cast<reduce_t>(7), &a.view, "ij", &result,
                                nullptr);
        },
        errc::invalid_argument);
    EXPECT_EQ(unknown, "the reduction is 7; TBLIS's reductions are 0 to 6");
}

TEST(Tblis, RefusesTensorsOfTwoTypes) {
    doubles a({2, 2}, 1), b({2, 2}, 1), c({2, 2}, 5);
    const auto expect_refused = [&](const char *message, auto call) {
        EXPECT_EQ(message_of(call, errc::type_mismatch), message);
        EXPECT_EQ(c.elements, std::vector<double>(4, 5)) << "C was written";
    };
    const auto mult = [&] {
        tblis_tensor_mult(nullptr, nullptr, &a.view, "ik", &b.view, "kj", &c.view, "ij");
    };
    tblis_scalar result(5.0);
    const auto dot = [&] {
        tblis_tensor_dot(nullptr, nullptr, &a.view, "ik", &b.view, "ki", &result);
    };
    const auto add = [&] { tblis_tensor_add(nullptr, nullptr, &a.view, "ik", &c.view, "ik"); };
    b.view.type = TYPE_FLOAT; // its factor would be read as if it were A's
    const char *const of_b = "A is f64 and B is f32; the tensors of a call have one type";
    expect_refused(of_b, mult);
    expect_refused(of_b, dot);
    b.view.type = TYPE_DOUBLE;
    a.view.type = TYPE_FLOAT;
    expect_refused("A is f32 and B is f64; the tensors of a call have one type", add);
    b.view.type = TYPE_FLOAT;
    expect_refused("A is f32 and C is f64; the tensors of a call have one type", mult);
    EXPECT_EQ(result.get<double>(), 5);
}

TEST(Tblis, OutputsWithoutMemoryAreNamed) {
    doubles a({2, 2}, 1), b({2, 2}, 1), c({2, 2}, 5);
    c.view.data = nullptr;
    const auto message = [](auto call) { return message_of(call, errc::null_pointer); };
    const std::string null = " is null where its elements are needed";
    EXPECT_EQ(message([&] {
                  tblis_tensor_mult(nullptr, nullptr, &a.view, "ik", &b.view, "kj", &c.view, "ij");
              }),
              "C" + null);
    EXPECT_EQ(message([&] { tblis_tensor_add(nullptr, nullptr, &a.view, "ij", &c.view, "ij"); }),
              "B" + null);
    c.view.scalar = 2.0;
    EXPECT_EQ(message([&] { tblis_tensor_scale(nullptr, nullptr, &c.view, "ij"); }), "A" + null);
}

TEST(Tblis, OperationsOnOneTensorRefuseWhatContractionsDo) {
    tblis_scalar number(9.0), result(5.0);
    doubles a({3, 2}, 1), one({2}, 1);
    const std::vector<double> before = a.elements;
    const auto expect_refused = [&](errc code, const char *message, tblis_tensor view,
                                    const char *labels) {
        EXPECT_EQ(
            message_of([&] { tblis_tensor_set(nullptr, nullptr, &number, &view, labels); }, code),
            message);
        EXPECT_EQ(
            message_of([&] { tblis_tensor_shift(nullptr, nullptr, &number, &view, labels); }, code),
            message);
        for (const auto op :
             {REDUCE_SUM, REDUCE_SUM_ABS, REDUCE_MAX, REDUCE_MAX_ABS, REDUCE_MIN, REDUCE_MIN_ABS})
            EXPECT_EQ(message_of(
                          [&] {
                              tblis_tensor_reduce(nullptr, nullptr, op, &view, labels, &result,
                                                  nullptr);
                          },
                          code),
                      message);
        EXPECT_EQ(a.elements, before);
    };
    expect_refused(errc::extent_mismatch, "label 'i': A mode 0 has extent 3, A mode 1 has extent 2",
                   a.view, "ii");
    one.lengths[0] = -2;
    expect_refused(errc::invalid_argument, "mode 0 has extent -2; extents are 0 or more", one.view,
                   "i");
    a.view.data = nullptr;
    expect_refused(errc::null_pointer, "A is null where its elements are needed", a.view, "ij");
    a.lengths[1] = 0; // no elements, no memory
    tblis_tensor_set(nullptr, nullptr, &number, &a.view, "ij");
    tblis_tensor_reduce(nullptr, nullptr, REDUCE_MAX, &a.view, "ij", &result, nullptr);
}

} // namespace
} // namespace tenfold::testing
