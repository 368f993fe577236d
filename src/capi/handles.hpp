// What the opaque handles of the C interface hold.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <tenfold/calibrate.hpp>
#include <tenfold/context.hpp>
#include <tenfold/contract.hpp>
#include <tenfold/contraction_epilogue.hpp>
#include <tenfold/epilogue.hpp>
#include <tenfold/tenfold.h>
#include <tenfold/transpose.hpp>

#include "capi/run_calls.hpp"

namespace tenfold::capi_impl {

/// A value that is made when it is asked for first. Thread-safe.
template <class T> class on_demand {
public:
    template <class Make> const T &get(const Make &make) const {
        const std::lock_guard lock(mutex_);
        if (!value_)
            value_ = make();
        return *value_;
    }

private:
    mutable std::mutex mutex_;
    mutable std::optional<T> value_;
};

/// A path in the arrays of a tenfold_path.
struct path_arrays {
    std::vector<std::int32_t> positions, counts;
};

} // namespace tenfold::capi_impl

struct tenfold_context {
    /// Plans share it, so that handles may be destroyed in any order.
    std::shared_ptr<const tenfold::context> shared;
};

struct tenfold_contraction_plan {
    std::shared_ptr<const tenfold::context> context;
    tenfold::contraction_plan plan;
    bool has_c; ///< C is a tensor of its own
    /// By step of its epilogue: the caller's function; null of other steps.
    std::vector<tenfold_run_function> functions = {};
    tenfold::capi_impl::on_demand<std::string> explanation = {};
    tenfold::capi_impl::on_demand<std::string> json = {};
    tenfold::capi_impl::on_demand<tenfold::capi_impl::path_arrays> path = {};
};

struct tenfold_transpose_plan {
    std::shared_ptr<const tenfold::context> context;
    tenfold::transpose_plan plan;
    tenfold::capi_impl::on_demand<std::string> explanation = {};
};

struct tenfold_epilogue {
    tenfold::epilogue steps;
    tenfold::capi_impl::run_calls calls;
};

struct tenfold_contraction_epilogue {
    tenfold::contraction_epilogue steps;
    tenfold::capi_impl::run_calls calls;
};

struct tenfold_calibration {
    tenfold::calibration_result found;
};

struct tenfold_stop {
    std::stop_source source;
};
