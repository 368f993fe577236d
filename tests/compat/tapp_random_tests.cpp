// TAPP's products against plain loops, exactly on integers: labels of every kind, repeated ones,
// any labels' numbers, extents of 0 and 1, any strides, all types and mixtures, precisions,
// conjugation, factors, in place, executors, batches.
#include <array>
#include <iterator>

#include <gtest/gtest.h>
#include <tapp/tenfold.h>

#include "compat/tapp_tensors.hpp"

namespace tenfold::testing {
namespace {

std::string explained(TAPP_error code) {
    std::string text(TAPP_explain_error(code, 0, nullptr), ' ');
    TAPP_explain_error(code, text.size() + 1, text.data());
    return text;
}

void expect_ok(TAPP_error code) { ASSERT_EQ(code, TENFOLD_TAPP_OK) << explained(code); }

void *word(std::intptr_t value) { return reinterpret_cast<void *>(value); }

/// None, and some with attributes.
TAPP_executor some_executor(random_source &random) {
    static const auto all = [] {
        std::array<TAPP_executor, 4> made{};
        for (std::size_t i = 1; i < made.size(); ++i)
            TAPP_create_executor(&made[i]);
        TAPP_attr_set(made[1], TENFOLD_TAPP_THREADS, word(2));
        TAPP_attr_set(made[2], TENFOLD_TAPP_REPRODUCIBLE, word(1));
        TAPP_attr_set(made[3], TENFOLD_TAPP_WORKSPACE_LIMIT, word(std::intptr_t{1} << 30));
        return made;
    }();
    return all[static_cast<std::size_t>(random.integer(0, std::ssize(all) - 1))];
}

/// Types of A, B and C beside a D of the type.
std::array<data_type, 3> types_for(data_type d, random_source &random) {
    std::vector<data_type> allowed;
    for (const data_type type : all_data_types)
        if (is_complex(d) || !is_complex(type))
            allowed.push_back(type);
    std::array<data_type, 3> types{d, d, d};
    if (random.chance(0.4))
        return types;
    for (data_type &type : types)
        type = random.pick(allowed);
    if (random.chance(0.3))
        types[1] = types[0];
    return types;
}

/// Draws a product and computes it twice.
class random_product {
public:
    random_product(data_type type_of_d, random_source &random) : random_(random) {
        for (std::int64_t label = 0; label < 7; ++label)
            extents_[label * 1000003 - 2000000] = random.chance(0.03) ? 0 : random.integer(1, 3);
        draw_labels();
        const auto types = types_for(type_of_d, random);
        for (std::size_t t = 0; t < 3; ++t)
            tensors_[t].type = types[t];
        tensors_[3].type = type_of_d;
        for (random_tensor &tensor : tensors_) {
            for (const std::int64_t label : tensor.idx)
                tensor.extents.push_back(extents_.at(label));
            tensor.conjugated = random.chance(0.4);
            lay_out(tensor, &tensor != &d(), random);
        }
        in_place_ = random.chance(0.25);
        if (in_place_) {
            c().type = d().type;
            c().strides = d().strides;
            c().buffer = d().buffer;
            c().origin = d().origin;
        }
        alpha_ = random.chance(0.15) ? 0 : small_value(type_of_d, random);
        beta_ = random.chance(0.3) ? 0 : small_value(type_of_d, random);
        if (random.chance(0.3))
            entries_ = static_cast<int>(random.integer(0, 3));
        for (int entry = 0; entry < entries_; ++entry)
            data_.push_back(filled());
    }

    void run() {
        std::array<TAPP_tensor_info, 4> infos{};
        for (std::size_t t = 0; t < 4; ++t)
            expect_ok(TAPP_create_tensor_info(
                &infos[t], number_of(tensors_[t].type), static_cast<int>(tensors_[t].idx.size()),
                tensors_[t].extents.data(), tensors_[t].strides.data()));
        static constexpr TAPP_prectype precisions[] = {
            TAPP_DEFAULT_PREC,     TAPP_F32F32_ACCUM_F32, TAPP_F64F64_ACCUM_F64,
            TAPP_F16F16_ACCUM_F16, TAPP_F16F16_ACCUM_F32, TAPP_BF16BF16_ACCUM_F32};
        TAPP_tensor_product plan = 0;
        expect_ok(TAPP_create_tensor_product(
            &plan, 0, a().op(), infos[0], a().idx.data(), b().op(), infos[1], b().idx.data(),
            c().op(), infos[2], c().idx.data(), d().op(), infos[3], d().idx.data(),
            precisions[random_.integer(0, std::ssize(precisions) - 1)]));
        std::vector<std::array<random_tensor, 4>> expected = data_;
        for (auto &entry : expected)
            compute(entry);
        execute(plan);
        for (std::size_t entry = 0; entry < data_.size(); ++entry)
            compare(data_[entry][3], expected[entry][3]);
        expect_ok(TAPP_destroy_tensor_product(plan));
        for (const TAPP_tensor_info info : infos)
            expect_ok(TAPP_destroy_tensor_info(info));
    }

    std::string describe() const {
        std::ostringstream text;
        text << "A " << tensors_[0].describe() << "; B " << tensors_[1].describe() << "; C "
             << tensors_[2].describe() << "; D " << tensors_[3].describe() << "; alpha " << alpha_
             << " beta " << beta_ << (in_place_ ? " in place" : "") << ", " << entries_
             << " entries";
        return text.str();
    }

private:
    random_tensor &a() { return tensors_[0]; }
    random_tensor &b() { return tensors_[1]; }
    random_tensor &c() { return tensors_[2]; }
    random_tensor &d() { return tensors_[3]; }

    void draw_labels() {
        for (const auto &[label, extent] : extents_) {
            const auto kind = random_.integer(0, 11); // most labels stand in two tensors
            if (kind <= 2 || kind == 8 || kind == 9)
                a().idx.push_back(label);
            if ((kind >= 1 && kind <= 4) || kind == 8 || kind == 10)
                b().idx.push_back(label);
            if (kind == 0 || kind == 3 || kind == 4 || kind == 8)
                d().idx.push_back(label);
        }
        for (random_tensor *tensor : {&a(), &b(), &d()}) {
            if (!tensor->idx.empty() && tensor->idx.size() < 5 && random_.chance(0.15))
                tensor->idx.push_back(random_.pick(std::vector(tensor->idx))); // the diagonal
            random_.shuffle(tensor->idx);
        }
        c().idx = d().idx;
    }

    /// Fresh data. What must not be read holds NaN.
    std::array<random_tensor, 4> filled() {
        std::array<random_tensor, 4> made = tensors_;
        for (random_tensor &tensor : made)
            fill(tensor, random_);
        if (alpha_ == 0.0) {
            poison(made[0]);
            poison(made[1]);
        }
        if (in_place_) {
            made[2].buffer = made[3].buffer;
        }
        if (beta_ == 0.0)
            poison(made[2]);
        return made;
    }

    void compute(std::array<random_tensor, 4> &entry) {
        auto &[a, b, c, d] = entry;
        label_positions of_d, summed = extents_, at;
        for (const auto label : d.idx) {
            of_d[label] = extents_.at(label);
            summed.erase(label);
        }
        std::erase_if(summed, [&](const auto &mode) {
            const auto is_in = [&](const random_tensor &tensor) {
                return std::ranges::find(tensor.idx, mode.first) != tensor.idx.end();
            };
            return !is_in(a) && !is_in(b);
        });
        for_each_position(of_d, at, [&] {
            std::complex<double> sum = 0;
            if (alpha_ != 0.0)
                for_each_position(summed, at, [&] { sum += a.read(at) * b.read(at); });
            sum *= alpha_;
            if (beta_ != 0.0)
                sum += beta_ * c.read(at);
            store(d.type, d.conjugated ? std::conj(sum) : sum, d.at(at));
        });
    }

    void execute(TAPP_tensor_product plan) {
        std::array<std::byte, 16> alpha{}, beta{};
        store(d().type, alpha_, alpha.data());
        store(d().type, beta_, beta.data());
        std::vector<const void *> at_a, at_b, at_c;
        std::vector<void *> at_d;
        for (auto &[a, b, c, d] : data_) {
            const bool is_read = alpha_ != 0.0;
            at_a.push_back(is_read || random_.chance(0.5) ? a.data() : nullptr);
            at_b.push_back(is_read || random_.chance(0.5) ? b.data() : nullptr);
            at_d.push_back(d.data());
            if (in_place_)
                at_c.push_back(random_.chance(0.5) ? TAPP_IN_PLACE : d.data());
            else
                at_c.push_back(beta_ != 0.0 || random_.chance(0.5) ? c.data() : nullptr);
        }
        TAPP_status status = 0;
        const TAPP_executor exec = some_executor(random_);
        if (entries_ == 1)
            expect_ok(TAPP_execute_product(plan, exec, &status, alpha.data(), at_a[0], at_b[0],
                                           beta.data(), at_c[0], at_d[0]));
        else
            expect_ok(TAPP_execute_batched_product(plan, exec, &status, entries_, alpha.data(),
                                                   at_a.data(), at_b.data(), beta.data(),
                                                   at_c.data(), at_d.data()));
        void *code = nullptr;
        expect_ok(TAPP_attr_get(status, TENFOLD_TAPP_CODE, &code));
        EXPECT_EQ(code, word(TENFOLD_TAPP_OK));
        expect_ok(TAPP_destroy_status(status));
    }

    /// All elements of the buffer: those in gaps must be as they were.
    static void compare(const random_tensor &d, const random_tensor &expected) {
        const auto bytes = static_cast<std::size_t>(size_of(d.type));
        for (std::size_t at = 0; at < d.buffer.size(); at += bytes)
            ASSERT_EQ(load(d.type, d.buffer.data() + at), load(d.type, expected.buffer.data() + at))
                << "element " << at / bytes << " of the buffer";
    }

    random_source &random_;
    label_positions extents_;
    std::array<random_tensor, 4> tensors_; ///< A, B, C, D; the form, whose data nobody looks at
    bool in_place_ = false;
    std::complex<double> alpha_, beta_;
    int entries_ = 1;
    std::vector<std::array<random_tensor, 4>> data_;
};

template <class T> class TappRandom : public ::testing::Test {};
TYPED_TEST_SUITE(TappRandom, list_of_element_types<::testing::Types>);

TYPED_TEST(TappRandom, Products) {
    for (const int test_case : random_cases(usual_cases)) {
        SCOPED_TRACE(rerun_line(test_case));
        random_source random(test_case);
        random_product drawn(data_type_of<TypeParam>, random);
        SCOPED_TRACE(drawn.describe());
        drawn.run();
        if (::testing::Test::HasFatalFailure())
            return;
    }
}

} // namespace
} // namespace tenfold::testing
