// Products of small matrices that are computed again and again, in turns with others that differ
// from them in one thing only.
#include <algorithm>
#include <complex>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tblis/tblis.h>

#include "support/message_of.hpp"

namespace tenfold::testing {
namespace {

using namespace tblis;

constexpr int many = 100;

/// A matrix of complex numbers that are all different.
struct matrix {
    explicit matrix(int first) {
        for (std::size_t at = 0; at < elements.size(); ++at)
            elements[at] = {static_cast<double>(first + static_cast<int>(at)),
                            static_cast<double>(at % 3)};
        tblis_init_tensor_z(&view, 2, lengths, elements.data(), strides);
    }
    matrix(const matrix &) = delete;
    matrix &operator=(const matrix &) = delete;

    dcomplex at(const std::string &labels, std::pair<char, std::ptrdiff_t> one,
                std::pair<char, std::ptrdiff_t> other) const {
        std::ptrdiff_t offset = 0;
        for (std::size_t mode = 0; mode < 2; ++mode)
            offset += strides[mode] * (labels[mode] == one.first ? one.second : other.second);
        const dcomplex value = elements[static_cast<std::size_t>(offset)];
        return view.conj != 0 ? std::conj(value) : value;
    }

    len_type lengths[2] = {3, 3};
    stride_type strides[2] = {1, 3};
    std::vector<dcomplex> elements = std::vector<dcomplex>(20);
    tblis_tensor view;
};

/// One product of matrices, its labels, and its sum.
struct product {
    matrix a{1}, b{20}, c{50};
    std::string in_a = "ik", in_b = "kj", in_c = "ij";

    /// What C should hold, by plain loops. The labels are i, j and k.
    std::vector<dcomplex> expected() const {
        std::vector<dcomplex> result = c.elements;
        for (len_type i = 0; i < c.lengths[in_c == "ij" ? 0 : 1]; ++i)
            for (len_type j = 0; j < c.lengths[in_c == "ij" ? 1 : 0]; ++j) {
                dcomplex sum = 0;
                for (len_type k = 0; k < a.lengths[in_a == "ik" ? 1 : 0]; ++k)
                    sum += a.at(in_a, {'i', i}, {'k', k}) * b.at(in_b, {'k', k}, {'j', j});
                const auto at = static_cast<std::size_t>(c.strides[0] * (in_c == "ij" ? i : j) +
                                                         c.strides[1] * (in_c == "ij" ? j : i));
                const auto &alpha_a = a.view.alpha<dcomplex>(), &alpha_b = b.view.alpha<dcomplex>();
                result[at] = alpha_a * alpha_b * sum + c.view.alpha<dcomplex>() * result[at];
            }
        return result;
    }
    void set_length(char label, len_type length) {
        const std::pair<matrix *, const std::string *> all[] = {
            {&a, &in_a}, {&b, &in_b}, {&c, &in_c}};
        for (const auto &[tensor, labels] : all)
            if (const auto mode = labels->find(label); mode != std::string::npos)
                tensor->lengths[mode] = length;
    }
    void compute(const tblis_comm *comm = nullptr) {
        tblis_tensor target = c.view; // calls reset its factor
        tblis_tensor_mult(comm, nullptr, &a.view, in_a.c_str(), &b.view, in_b.c_str(), &target,
                          in_c.c_str());
        EXPECT_EQ(target.alpha<dcomplex>(), dcomplex(1));
    }
    void expect_right(const std::string &what, const tblis_comm *comm = nullptr) {
        const std::vector<dcomplex> before = c.elements, wanted = expected();
        compute(comm);
        EXPECT_EQ(c.elements, wanted) << what;
        c.elements = before;
    }
};

/// Labels keep their lengths.
void relabel(matrix &tensor, std::string &labels, const std::string &to) {
    if (labels != to)
        std::swap(tensor.lengths[0], tensor.lengths[1]);
    labels = to;
}

TEST(TblisRepeated, EveryDifferenceCounts) {
    using change = std::pair<const char *, std::function<void(product &)>>;
    const std::vector<change> changes{
        {"none", [](product &) {}},
        {"labels of A", [](product &one) { relabel(one.a, one.in_a, "ki"); }},
        {"labels of B", [](product &one) { relabel(one.b, one.in_b, "jk"); }},
        {"labels of C", [](product &one) { relabel(one.c, one.in_c, "ji"); }},
        {"strides of A", [](product &one) { one.a.strides[1] = 4; }},
        {"strides of B", [](product &one) { std::swap(one.b.strides[0], one.b.strides[1]); }},
        {"strides of C", [](product &one) { one.c.strides[1] = 5; }},
        {"length of i", [](product &one) { one.set_length('i', 2); }},
        {"length of j", [](product &one) { one.set_length('j', 1); }},
        {"length of k", [](product &one) { one.set_length('k', 0); }},
        {"conjugation of A", [](product &one) { one.a.view.conj = 1; }},
        {"conjugation of B", [](product &one) { one.b.view.conj = 1; }},
        {"alpha of A",
         [](product &one) {
             one.a.view.alpha<dcomplex>() = {0, 2};
         }},
        {"alpha of B", [](product &one) { one.b.view.alpha<dcomplex>() = -3; }},
        {"no alpha", [](product &one) { one.b.view.alpha<dcomplex>() = 0; }},
        {"beta",
         [](product &one) {
             one.c.view.alpha<dcomplex>() = {2, -1};
         }},
        {"no beta", [](product &one) { one.c.view.alpha<dcomplex>() = 0; }}};
    for (const change &kept : changes) {
        product one;
        kept.second(one);
        for (int call = 0; call < many; ++call)
            one.expect_right(kept.first);
        for (const change &next : changes) {
            product other;
            kept.second(other);
            next.second(other);
            other.expect_right(std::string(kept.first) + ", then " + next.first);
            other.expect_right(std::string(kept.first) + ", then " + next.first, tblis_single);
            one.expect_right(kept.first);
        }
    }
}

TEST(TblisRepeated, ManyProductsTakeTurns) {
    std::vector<product> all(50);
    for (std::size_t which = 0; which < all.size(); ++which) {
        all[which].a.strides[1] = 3 + static_cast<stride_type>(which % 4);
        all[which].b.strides[1] = 3 + static_cast<stride_type>(which / 4 % 4);
        all[which].c.strides[1] = 3 + static_cast<stride_type>(which / 16);
    }
    for (int round = 0; round < 3; ++round)
        for (product &one : all)
            one.expect_right("in turns");
    for (product &one : all)
        for (int call = 0; call < many; ++call)
            one.expect_right("in a row");
    for (product &one : all)
        one.expect_right("once more");
}

TEST(TblisRepeated, MistakesAreNamedAsInTheFirstCall) {
    product one;
    for (int call = 0; call < many; ++call)
        one.expect_right("right");
    const std::vector<dcomplex> before = one.c.elements;
    tblis_tensor target = one.c.view;
    const auto refused = [&](errc code) {
        const std::string message = message_of(
            [&] {
                tblis_tensor_mult(nullptr, nullptr, &one.a.view, "ik", &one.b.view, "kj", &target,
                                  "ij");
            },
            code);
        EXPECT_EQ(one.c.elements, before);
        return message;
    };
    void *const data = std::exchange(one.a.view.data, nullptr);
    EXPECT_EQ(refused(errc::null_pointer), "A is null where its elements are needed");
    one.a.view.data = one.c.elements.data();
    refused(errc::overlap);
    one.a.view.data = data;
    one.a.view.len = nullptr;
    refused(errc::invalid_argument);
    one.a.view.len = one.a.lengths;
    one.a.lengths[1] = 2;
    EXPECT_EQ(refused(errc::extent_mismatch),
              "label 'k': A mode 1 has extent 2, B mode 0 has extent 3");
    one.a.lengths[1] = 3;
    one.expect_right("again");
}

TEST(TblisRepeated, EachThreadKeepsItsOwn) {
    std::vector<std::thread> threads;
    for (int number = 0; number < 4; ++number)
        threads.emplace_back([] {
            product one;
            for (int call = 0; call < many; ++call)
                one.expect_right("on a thread");
        });
    for (std::thread &one : threads)
        one.join();
}

/// Computes a product when its thread ends: after what the library keeps for the thread is gone, if
/// that was made later.
struct last_product {
    ~last_product() {
        one.expect_right("at the end");
        one.expect_right("at the very end");
    }
    product one;
};

TEST(TblisRepeated, ThreadsMayComputeWhileTheyEnd) {
    std::thread([] {
        thread_local last_product last;
        for (int call = 0; call < many; ++call)
            last.one.expect_right("before the end");
    }).join();
}

} // namespace
} // namespace tenfold::testing
