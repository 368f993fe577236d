// Tenfold's own C interface, which this program has linked: C = A B + beta C.
#include <tenfold/tenfold.h>

#include "apps/bench/peers/peer.hpp"
#include "apps/common/program.hpp"

namespace tenfold::apps_impl {
namespace {

void require_ok(tenfold_error code) {
    if (code != TENFOLD_OK)
        throw failure(std::string("the C interface: ") + tenfold_last_error());
}

tenfold_type c_type_of(data_type type) noexcept {
    switch (type) {
    case data_type::f32:
        return TENFOLD_F32;
    case data_type::f64:
        return TENFOLD_F64;
    case data_type::c32:
        return TENFOLD_C32;
    default: // the suite has no other types
        return TENFOLD_C64;
    }
}

/// Column-major. Refers to the array.
tenfold_tensor c_tensor_of(const placed_array &array) {
    const extents_t &extents = array.shape().extents();
    return {.type = c_type_of(array.type()),
            .order = static_cast<std::int32_t>(extents.size()),
            .extents = extents.data(),
            .strides = nullptr,
            .conjugated = 0};
}

/// The arguments of C's functions for a case. They refer to each other and to the case's tensors.
class c_contraction {
public:
    explicit c_contraction(workload &work)
        : expression_(work.definition().text),
          d_(c_tensor_of(work.output_array())), beta_{.re = work.beta(), .im = 0} {
        for (std::size_t i = 0; i < work.definition().spec.inputs.size(); ++i) {
            inputs_.push_back(c_tensor_of(work.input_array(i)));
            addresses_.push_back(work.input_array(i).data());
        }
        const auto count = static_cast<std::int32_t>(inputs_.size());
        operands_ = {.inputs = inputs_.data(), .input_count = count, .c = nullptr, .d = &d_};
        data_ = {.inputs = addresses_.data(),
                 .input_count = count,
                 .c = nullptr,
                 .d = work.output_array().data()};
        options_.size = sizeof options_;
        options_.threads = work.threads();
        execution_.size = sizeof execution_;
        execution_.beta = &beta_;
        require_ok(tenfold_context_global(&context_));
        require_ok(tenfold_contraction_create(context_, expression_.c_str(), &operands_, &options_,
                                              &plan_));
    }
    ~c_contraction() { tenfold_contraction_destroy(plan_); }
    c_contraction(const c_contraction &) = delete;
    c_contraction &operator=(const c_contraction &) = delete;

    void execute_plan() const {
        require_ok(tenfold_contraction_execute(plan_, &data_, execution()));
    }
    void contract() const {
        require_ok(tenfold_contract(context_, expression_.c_str(), &operands_, &data_, &options_,
                                    execution()));
    }

private:
    /// NULL leaves all to its defaults, as most programs do.
    const tenfold_execute_options *execution() const noexcept {
        return beta_.re == 0 ? nullptr : &execution_;
    }

    std::string expression_;
    std::vector<tenfold_tensor> inputs_;
    std::vector<const void *> addresses_;
    tenfold_tensor d_;
    tenfold_scalar beta_;
    tenfold_operands operands_{};
    tenfold_data data_{};
    tenfold_contract_options options_{};
    tenfold_execute_options execution_{};
    const tenfold_context *context_ = nullptr;
    tenfold_contraction_plan *plan_ = nullptr;
};

class c_interface : public peer {
public:
    explicit c_interface(bool by_plan) : by_plan_(by_plan) {}

    std::function<void()> prepare(workload &work) override {
        const auto its = std::make_shared<const c_contraction>(work);
        if (by_plan_)
            return [its] { its->execute_plan(); };
        return [its] { its->contract(); };
    }

private:
    bool by_plan_;
};

} // namespace

std::unique_ptr<peer> make_c_interface(bool by_plan) {
    return std::make_unique<c_interface>(by_plan);
}

} // namespace tenfold::apps_impl
