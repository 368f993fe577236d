#include "distributed/run/local_work.hpp"

#include <chrono>

#include "base/work.hpp"

namespace tenfold::dist_impl {

status multiply(const local_product &product, const base::function_ref<void()> *meanwhile) {
    const auto &[plan, alpha, a, b, beta, d, workspace] = product;
    if (meanwhile == nullptr)
        return plan.execute(alpha, a, b, beta, d, d, workspace);
    const execution_control look_after{.progress = [&](double) { (*meanwhile)(); },
                                       .stop = {},
                                       .interval = std::chrono::milliseconds(1)};
    base::watched_call watched(&look_after);
    const status result = plan.execute(alpha, a, b, beta, d, d, workspace);
    watched.finish(result);
    return result;
}

} // namespace tenfold::dist_impl
