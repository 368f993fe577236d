#include "distributed/run/local_work.hpp"

namespace tenfold::dist_impl {

status multiply(const local_product &product) {
    const auto &[plan, alpha, a, b, beta, d, workspace] = product;
    return plan.execute(alpha, a, b, beta, d, d, workspace);
}

} // namespace tenfold::dist_impl
