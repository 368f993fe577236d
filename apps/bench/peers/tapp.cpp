// TAPP through TAPP_execute_product: D = A B + beta D, planned once.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tenfold/tapp/tapp.h>

#include "apps/bench/peers/library.hpp"
#include "apps/bench/peers/peer.hpp"
#include "apps/common/program.hpp"
#include "base/with_type.hpp"

namespace tenfold::apps_impl {
namespace {

/// The functions of a library.
struct tapp_functions {
    explicit tapp_functions(const peer_name &which) : own(which.name, which.file) {}

    void check(TAPP_error code) const {
        if (code == 0)
            return;
        std::array<char, 256> text{};
        explain_error(code, text.size(), text.data());
        throw failure(std::string("peer 'tapp': ") + text.data());
    }

    library own;
#define TENFOLD_FUNCTION(name)                                                                     \
    decltype(TAPP_##name) *name = own.require<decltype(TAPP_##name)>("TAPP_" #name)
    TENFOLD_FUNCTION(create_handle);
    TENFOLD_FUNCTION(destroy_handle);
    TENFOLD_FUNCTION(create_executor);
    TENFOLD_FUNCTION(destroy_executor);
    TENFOLD_FUNCTION(create_tensor_info);
    TENFOLD_FUNCTION(destroy_tensor_info);
    TENFOLD_FUNCTION(create_tensor_product);
    TENFOLD_FUNCTION(destroy_tensor_product);
    TENFOLD_FUNCTION(execute_product);
    TENFOLD_FUNCTION(explain_error);
#undef TENFOLD_FUNCTION
};

TAPP_datatype tapp_type_of(data_type type) noexcept {
    switch (type) {
    case data_type::f32:
        return TAPP_F32;
    case data_type::f64:
        return TAPP_F64;
    case data_type::c32:
        return TAPP_C32;
    default: // peers have no other types
        return TAPP_C64;
    }
}

/// A number of the tensors' type.
struct tapp_factor {
    alignas(16) std::array<std::byte, 16> bytes{};

    tapp_factor(data_type type, double value) {
        base::with_arithmetic_type(type, [&]<class T>(T) {
            const T number(static_cast<typename element_traits<T>::real>(value));
            std::memcpy(bytes.data(), &number, sizeof number);
        });
    }
};

/// A plan, and what its execution is given. Refers to the case's tensors.
class tapp_product {
public:
    tapp_product(std::shared_ptr<const tapp_functions> functions, workload &work)
        : tapp_(std::move(functions)), one_(work.type(), 1), beta_(work.type(), work.beta()),
          a_(work.input_array(0).data()), b_(work.input_array(1).data()),
          d_(work.output_array().data()) {
        tapp_->check(tapp_->create_handle(&handle_));
        tapp_->check(tapp_->create_executor(&executor_));
        const contraction_spec &spec = work.definition().spec;
        const operand a(*tapp_, work.input_array(0), spec.inputs[0]);
        const operand b(*tapp_, work.input_array(1), spec.inputs[1]);
        const operand d(*tapp_, work.output_array(), spec.output);
        tapp_->check(tapp_->create_tensor_product(
            &plan_, handle_, TAPP_IDENTITY, a.info, a.labels.data(), TAPP_IDENTITY, b.info,
            b.labels.data(), TAPP_IDENTITY, d.info, d.labels.data(), TAPP_IDENTITY, d.info,
            d.labels.data(), TAPP_DEFAULT_PREC));
    }
    ~tapp_product() {
        tapp_->destroy_tensor_product(plan_);
        tapp_->destroy_executor(executor_);
        tapp_->destroy_handle(handle_);
    }
    tapp_product(const tapp_product &) = delete;
    tapp_product &operator=(const tapp_product &) = delete;

    void execute() const {
        tapp_->check(tapp_->execute_product(plan_, executor_, nullptr, one_.bytes.data(), a_, b_,
                                            beta_.bytes.data(), d_, d_));
    }

private:
    /// A tensor's description, which the plan does not keep.
    struct operand {
        operand(const tapp_functions &functions, const placed_array &array,
                const std::vector<label_t> &names)
            : tapp(functions), labels(names.begin(), names.end()) {
            tapp.check(tapp.create_tensor_info(
                &info, tapp_type_of(array.type()), static_cast<int>(labels.size()),
                array.shape().extents().data(), array.shape().strides().data()));
        }
        ~operand() { tapp.destroy_tensor_info(info); }
        operand(const operand &) = delete;
        operand &operator=(const operand &) = delete;

        const tapp_functions &tapp;
        std::vector<std::int64_t> labels;
        TAPP_tensor_info info = 0;
    };

    std::shared_ptr<const tapp_functions> tapp_;
    tapp_factor one_, beta_;
    const void *a_, *b_;
    void *d_;
    TAPP_handle handle_ = 0;
    TAPP_executor executor_ = 0;
    TAPP_tensor_product plan_ = 0;
};

class tapp_peer : public peer {
public:
    explicit tapp_peer(const peer_name &which)
        : functions_(std::make_shared<const tapp_functions>(which)) {}

    std::string reason_against(const bench_case &definition) const override {
        return definition.spec.inputs.size() == 2 ? "" : "is not a product of two tensors";
    }

    std::function<void()> prepare(workload &work) override {
        const auto its = std::make_shared<const tapp_product>(functions_, work);
        return [its] { its->execute(); };
    }

private:
    std::shared_ptr<const tapp_functions> functions_;
};

} // namespace

std::unique_ptr<peer> load_tapp(const peer_name &which, const bench_options & /*options*/) {
    return std::make_unique<tapp_peer>(which);
}

} // namespace tenfold::apps_impl
