// TBLIS (Matthews 2018) through tblis_tensor_mult: C = A B + beta C; the tensors hold the factors.
#include <array>
#include <complex>
#include <cstddef>

#include "apps/bench/peers/library.hpp"
#include "apps/bench/peers/peer.hpp"
#include "apps/bench/peers/type_letter.hpp"
#include "apps/common/host_array.hpp"
#include "apps/common/program.hpp"
#include "base/with_type.hpp"

namespace tenfold::apps_impl {
namespace {

/// The fields and type codes of tblis_tensor differ between versions. The library's own initialiser
/// fills them in, so that only the size matters (below 100 bytes in all versions).
struct opaque_tensor {
    alignas(16) std::array<std::byte, 256> bytes{};
};

using length = std::ptrdiff_t; // len_type and stride_type in default builds

template <class T> using init_function = void(opaque_tensor *tensor, T factor, int order,
                                              length *lengths, T *data, length *strides);
/// A null communicator means all threads that were set; a null configuration means the detected
/// one.
using mult_function = void(const void *communicator, const void *configuration,
                           const opaque_tensor *a, const char *labels_a, const opaque_tensor *b,
                           const char *labels_b, opaque_tensor *c, const char *labels_c);

/// A tensor with the arrays that it points to.
struct tblis_operand {
    opaque_tensor tensor;
    std::vector<length> lengths;
    std::vector<length> strides;
    std::string labels;
};

class tblis_peer : public peer {
public:
    tblis_peer(const peer_name &which, const bench_options &options)
        : library_(which.name, which.file),
          init_(library_.require<void()>(std::string("tblis_init_tensor_scaled_") +
                                         type_letter(options.type))),
          mult_(library_.require<mult_function>("tblis_tensor_mult")) {
        library_.set_threads(options.threads, "tblis_set_num_threads");
    }

    std::string reason_against(const bench_case &definition) const override {
        if (definition.spec.inputs.size() != 2)
            return "is not a product of two tensors";
        for (std::size_t i = 0; i < definition.extents.size(); ++i)
            if (definition.is_isolated(static_cast<label_t>(i)))
                return "has a label in one input only"; // TBLIS would give a wrong result
        return {};
    }

    std::function<void()> prepare(workload &work) override {
        const contraction_spec &spec = work.definition().spec;
        auto a = operand(spec.inputs[0], work.input_array(0), 1);
        auto b = operand(spec.inputs[1], work.input_array(1), 1);
        auto c = operand(spec.output, work.output_array(), work.beta());
        return [a, b, c, mult = mult_] {
            opaque_tensor target = c->tensor; // the call sets its factor, beta, to 1
            mult(nullptr, nullptr, &a->tensor, a->labels.c_str(), &b->tensor, b->labels.c_str(),
                 &target, c->labels.c_str());
        };
    }

private:
    std::shared_ptr<tblis_operand> operand(const std::vector<label_t> &labels,
                                           const placed_array &array, double factor) const {
        auto result = std::make_shared<tblis_operand>();
        for (std::size_t mode = 0; mode < labels.size(); ++mode) {
            result->lengths.push_back(array.shape().extents()[mode]);
            result->strides.push_back(array.shape().strides()[mode]);
            result->labels += static_cast<char>('a' + labels[mode]);
        }
        base::with_type(array.type(), [&]<class T>(T) {
            if constexpr (element_traits<T>::is_arithmetic) {
                auto *init = reinterpret_cast<init_function<T> *>(init_);
                // The interface is not const-correct; inputs are not written.
                auto *data = reinterpret_cast<T *>(const_cast<std::byte *>(array.data()));
                init(&result->tensor, T(static_cast<float>(factor)),
                     static_cast<int>(labels.size()), result->lengths.data(), data,
                     result->strides.data());
            }
        });
        return result;
    }

    library library_;
    void (*init_)();
    mult_function *mult_;
};

} // namespace

std::unique_ptr<peer> load_tblis(const peer_name &which, const bench_options &options) {
    return std::make_unique<tblis_peer>(which, options);
}

} // namespace tenfold::apps_impl
