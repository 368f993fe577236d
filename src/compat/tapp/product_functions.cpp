// TAPP's functions about products.
#include <string>
#include <vector>

#include "compat/tapp/encoded.hpp"
#include "compat/tapp/product.hpp"

using namespace tenfold;
using namespace tenfold::tapp_impl;

namespace {

/// Programs pass handles that they never made: an unknown one is a new one.
surroundings surroundings_of(TAPP_handle number) {
    const handle *const found = find<handle>(number);
    return found != nullptr ? found->as_surroundings() : handle().as_surroundings();
}

/// Throws for a number that is no product.
const product &product_of(TAPP_tensor_product number) {
    const product *const found = find<product>(number);
    if (found == nullptr)
        throw failure(TENFOLD_TAPP_PRODUCT, sentence_about(TENFOLD_TAPP_PRODUCT));
    return *found;
}

/// Null for 0. Throws for a number that is no executor.
const tapp_impl::executor *executor_of(TAPP_executor number) {
    if (number == 0)
        return nullptr;
    const tapp_impl::executor *const found = find<tapp_impl::executor>(number);
    if (found == nullptr)
        throw failure(TENFOLD_TAPP_EXECUTOR, sentence_about(TENFOLD_TAPP_EXECUTOR));
    return found;
}

addresses resolved(const void *a, const void *b, const void *c, void *d) noexcept {
    return {a, b, c == TAPP_IN_PLACE ? d : c, d};
}

/// The code of a product that could not be made. Its message is that of the thread's last failure,
/// if that is the one.
TAPP_error code_of_failed(TAPP_tensor_product plan) noexcept {
    const TAPP_error code = code_in(plan);
    const bool is_last = failure_in(plan) == number_of_last_failure() % failure_numbers;
    return is_last ? code : keep(code, sentence_about(code));
}

/// Runs `work`, unless the product failed when it was made, and tells the status. work() returns a
/// code; `entry` is the entry of a batch that it is at, if there is one.
template <class Work> TAPP_error executed(TAPP_tensor_product plan, TAPP_status *told,
                                          const std::optional<int> &entry, const Work &work) {
    const bool is_failed = is_encoded(kind::failed_product, plan);
    const TAPP_error code = is_failed ? code_of_failed(plan) : guarded(work);
    if (told != nullptr)
        *told = encoded(kind::status, {code, 0, code != TENFOLD_TAPP_OK ? entry : std::nullopt});
    return code;
}

/// The tensors of each entry.
struct batch {
    int size;
    const void **a, **b, **c;
    void **d;

    /// `entry` is the one at fault, if there is one.
    status execute(const product &what, const tapp_impl::executor *with, const factors &scale,
                   std::optional<int> &entry) const {
        std::vector<const void *> own_c;
        const input_batch inputs[] = {at<input_batch>(a), at<input_batch>(b)};
        return what.execute(with,
                            {.count = size,
                             .alpha = scale.alpha,
                             .beta = scale.beta,
                             .inputs = inputs,
                             .c = scale.beta != 0.0 ? resolved_c(own_c) : input_batch(),
                             .d = at<output_batch>(d)},
                            entry);
    }

private:
    /// Null stands for null in all entries.
    template <class Batch, class Address> Batch at(Address *const *addresses) const {
        if (addresses == nullptr)
            return {};
        return Batch::at_addresses({addresses, static_cast<std::size_t>(size)});
    }

    /// C, which is D in entries that say so.
    input_batch resolved_c(std::vector<const void *> &own) const {
        if (c == nullptr || d == nullptr)
            return at<input_batch>(c == TAPP_IN_PLACE ? nullptr : c);
        for (int i = 0; i < size; ++i)
            own.push_back(c == TAPP_IN_PLACE || c[i] == TAPP_IN_PLACE ? d[i] : c[i]);
        return at<input_batch>(own.data());
    }
};

} // namespace

TAPP_error
TAPP_create_tensor_product(TAPP_tensor_product *plan, TAPP_handle handle, TAPP_element_op op_A,
                           TAPP_tensor_info A, const int64_t *idx_A, TAPP_element_op op_B,
                           TAPP_tensor_info B, const int64_t *idx_B, TAPP_element_op op_C,
                           TAPP_tensor_info C, const int64_t *idx_C, TAPP_element_op op_D,
                           TAPP_tensor_info D, const int64_t *idx_D, TAPP_prectype prec) {
    const TAPP_error code = guarded([&] {
        require(plan, "plan");
        const product_request request{{describe('A', A, idx_A), describe('B', B, idx_B),
                                       describe('C', C, idx_C), describe('D', D, idx_D)},
                                      {op_A, op_B, op_C, op_D},
                                      prec};
        *plan = publish(std::make_unique<product>(request, surroundings_of(handle)));
    });
    if (code != TENFOLD_TAPP_OK && plan != nullptr)
        *plan = encoded(kind::failed_product, {code, number_of_last_failure() % failure_numbers});
    return code;
}

TAPP_error TAPP_destroy_tensor_product(TAPP_tensor_product plan) {
    return guarded([&] {
        if (plan == 0 || is_encoded(kind::failed_product, plan))
            return;
        static_cast<void>(product_of(plan));
        destroy(plan);
    });
}

TAPP_error TAPP_execute_product(TAPP_tensor_product plan, TAPP_executor exec, TAPP_status *status,
                                const void *alpha, const void *A, const void *B, const void *beta,
                                const void *C, void *D) {
    return executed(plan, status, std::nullopt, [&]() -> TAPP_error {
        const product &computed = product_of(plan);
        const tapp_impl::executor *const with = executor_of(exec);
        const factors scale = computed.read_factors(alpha, beta);
        const addresses at = resolved(A, B, C, D);
        const tenfold::status result = computed.execute(with, scale, at);
        return result ? TENFOLD_TAPP_OK : keep_status(result);
    });
}

TAPP_error TAPP_execute_batched_product(TAPP_tensor_product plan, TAPP_executor exec,
                                        TAPP_status *status, int num_batches, const void *alpha,
                                        const void **A, const void **B, const void *beta,
                                        const void **C, void **D) {
    std::optional<int> entry;
    return executed(plan, status, entry, [&]() -> TAPP_error {
        const product &computed = product_of(plan);
        const tapp_impl::executor *const with = executor_of(exec);
        if (num_batches < 0)
            throw failure(TENFOLD_TAPP_BATCHES,
                          "the number of batches is " + std::to_string(num_batches));
        const factors scale = computed.read_factors(alpha, beta);
        const batch tensors{num_batches, A, B, C, D};
        const tenfold::status result = tensors.execute(computed, with, scale, entry);
        return result ? TENFOLD_TAPP_OK : keep_status(result);
    });
}
