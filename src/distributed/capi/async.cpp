// Operations in the background.
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include <tenfold/dist_async.hpp>

#include "capi/structs.hpp"
#include "distributed/capi/collective.hpp"
#include "distributed/capi/contraction_call.hpp"
#include "distributed/capi/convert.hpp"

using namespace tenfold::capi_impl;

namespace {

using tenfold::dist_future;
using tenfold::dist_report;
using tenfold::dist_tensor;
using handle = std::unique_ptr<tenfold_dist_future>;

/// Memory for a handle, before the collective call that begins its operation.
handle handle_for(tenfold_dist_future **place) {
    require(place, "future");
    *place = nullptr;
    return std::make_unique<tenfold_dist_future>();
}

any_dist_future &begun_by(tenfold_dist_future *future) {
    require(future, "future");
    return *future->begun;
}

} // namespace

tenfold_error tenfold_dist_copy_async(const tenfold_dist_tensor *x, tenfold_dist_tensor *y,
                                      tenfold_dist_future **future) {
    return collective_on(
        y, "y",
        [&]<class T>(dist_tensor<T> &) {
            handle made = handle_for(future);
            require_like(x, "x", *y, "y");
            return std::pair(std::move(made), &tensor_of<T>(*x));
        },
        [&]<class T>(dist_tensor<T> &own, std::pair<handle, const dist_tensor<T> *> &prepared) {
            prepared.first->begun.emplace(tenfold::copy_async(*prepared.second, own));
            *future = prepared.first.release();
        });
}

tenfold_error tenfold_dist_redistribute_async(const tenfold_dist_tensor *tensor,
                                              const tenfold_distribution *distribution,
                                              tenfold_dist_future **future) {
    return collective_on(
        tensor, "tensor",
        [&](auto &) {
            handle made = handle_for(future);
            made->made = std::make_unique<tenfold_dist_tensor>();
            require(distribution, "distribution");
            return std::pair(std::move(made), distribution->spread);
        },
        [&](auto &own, std::pair<handle, tenfold::distribution> &prepared) {
            prepared.first->begun.emplace(
                tenfold::redistribute_async(own, std::move(prepared.second)));
            *future = prepared.first.release();
        });
}

tenfold_error tenfold_dist_contract_async(const char *expression, const tenfold_dist_input *inputs,
                                          int32_t input_count, tenfold_dist_tensor *d,
                                          const tenfold_dist_options *options,
                                          tenfold_dist_future **future) {
    return guarded([&] {
        require(d, "d");
        const auto prepare = [&] {
            handle made = handle_for(future);
            auto own = std::make_shared<const prepared_contraction>(
                prepare_contraction({expression, inputs, input_count, d, options}));
            if (own->inputs.size() > 2)
                refuse("contractions in the background have one or two inputs, not " +
                       std::to_string(own->inputs.size()));
            made->arguments = std::move(own);
            return made;
        };
        collective(world_of(*d), prepare, [&](handle &made) {
            using namespace tenfold::dist_impl;
            const prepared_contraction &own = *made->arguments;
            const auto output = with_tensor(*d, [](const auto &one) { return any_of(one); });
            made->begun.emplace(dist_future<dist_report>(start_contraction(
                expression, own.inputs[0].any().its,
                own.inputs.size() == 2 ? &own.inputs[1].any().its : nullptr, output, own.options)));
            *future = made.release();
        });
    });
}

tenfold_error tenfold_dist_future_test(tenfold_dist_future *future, int32_t *through) {
    return guarded([&] {
        require(through, "through");
        *through = std::visit([](auto &one) { return one.test(); }, begun_by(future)) ? 1 : 0;
    });
}

tenfold_error tenfold_dist_future_wait(tenfold_dist_future *future) {
    return guarded([&] {
        std::visit(
            [&]<class Result>(dist_future<Result> &one) {
                if constexpr (std::is_void_v<Result>)
                    one.wait();
                else if constexpr (std::is_same_v<Result, dist_report>)
                    future->report.emplace(one.wait());
                else
                    future->made->any.emplace(one.wait());
            },
            begun_by(future));
    });
}

tenfold_error tenfold_dist_future_take(tenfold_dist_future *future, tenfold_dist_tensor **made) {
    return guarded([&] {
        require(made, "made");
        *made = nullptr;
        require(future, "future");
        if (future->made == nullptr || !future->made->any)
            refuse("the future has no tensor: its operation is no redistribution, or it was not "
                   "waited for, or the tensor was taken");
        *made = future->made.release();
    });
}

tenfold_error tenfold_dist_future_report(const tenfold_dist_future *future,
                                         tenfold_dist_report *report) {
    return guarded([&] {
        require(future, "future");
        require(report, "report");
        if (!future->report)
            refuse("the future has no report: its operation is no contraction, or it was not "
                   "waited for");
        give(report_of(*future->report), report, "report");
    });
}

void tenfold_dist_future_destroy(tenfold_dist_future *future) { delete future; }
