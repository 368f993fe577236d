// What the opaque handles of the distributed C interface hold.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <tenfold/dist.hpp>
#include <tenfold/dist_async.hpp>
#include <tenfold/dist_files.hpp>
#include <tenfold/dist_types.hpp>
#include <tenfold/tenfold_dist.h>

#include "capi/handles.hpp"

namespace tenfold::capi_impl {

template <class... T> using one_of_tensors = std::variant<dist_tensor<T>...>;
using any_dist_tensor = list_of_distributed_types<one_of_tensors>;

/// Of one or two inputs, or of more.
using any_dist_plan = std::variant<dist_plan, dist_sequence>;
using any_dist_report = std::variant<dist_report, dist_sequence_report>;

/// Of a copy, a contraction, or a redistribution.
template <class... T> using one_of_futures =
    std::variant<dist_future<void>, dist_future<dist_report>, dist_future<dist_tensor<T>>...>;
using any_dist_future = list_of_distributed_types<one_of_futures>;

struct prepared_contraction;

} // namespace tenfold::capi_impl

struct tenfold_world {
    tenfold::world shared;
};

struct tenfold_distribution {
    tenfold::distribution spread;
    tenfold::capi_impl::on_demand<std::string> text = {};
};

struct tenfold_dist_tensor {
    /// Empty until the collective call that makes it: memory for the handle is found before.
    std::optional<tenfold::capi_impl::any_dist_tensor> any;
};

struct tenfold_dist_plan {
    std::shared_ptr<const tenfold::context> context; ///< null: that of the process
    std::string expression;
    tenfold::capi_impl::any_dist_plan plan;
    std::size_t inputs;
    tenfold::distribution output; ///< of D
    tenfold::capi_impl::on_demand<std::string> explanation = {};
    tenfold::capi_impl::on_demand<std::string> json = {};
};

struct tenfold_dist_record {
    std::shared_ptr<const tenfold::context> context; ///< null: that of the process
    std::string expression;
    std::size_t inputs;
    tenfold::distribution output; ///< of D
    /// Empty until the collective call is done: memory for the handle is found before.
    std::optional<tenfold::capi_impl::any_dist_report> done = std::nullopt;
};

struct tenfold_dist_future {
    /// What options point to, of a contraction; it outlives that.
    std::shared_ptr<const tenfold::capi_impl::prepared_contraction> arguments = nullptr;
    /// Empty until the collective call that begins it: memory for the handle is found before.
    std::optional<tenfold::capi_impl::any_dist_future> begun = std::nullopt;
    /// What a redistribution makes, empty until it was waited for; null once it is taken.
    std::unique_ptr<tenfold_dist_tensor> made = nullptr;
    /// Of a contraction, once it was waited for.
    std::optional<tenfold::dist_report> report = std::nullopt;
};

struct tenfold_stored_list {
    std::vector<tenfold::stored_tensor> tensors;
};
