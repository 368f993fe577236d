#include "compat/tapp/product.hpp"

#include <memory>
#include <utility>

#include "compat/tapp/types.hpp"

namespace tenfold::tapp_impl {

product::product(const product_request &request, surroundings own)
    : form_(form_of(request)), first_(planned_in(std::move(own))) {}

product::~product() {
    for (const planned *one = others_; one != nullptr;)
        delete std::exchange(one, one->next);
}

product::planned product::planned_in(surroundings where) const {
    contract_options options = where.options();
    options.conj_output = form_.conj_output;
    options.f64_sums = form_.f64_sums;
    const input inputs[] = {form_.a, form_.b};
    contraction_plan plan = make_plan(form_.spec, inputs, form_.c, form_.d, options);
    return {std::move(where), std::move(plan), nullptr};
}

const product::planned *product::find(const surroundings &where) const noexcept {
    if (first_.where == where)
        return &first_;
    for (const planned *one = others_.load(std::memory_order_acquire); one != nullptr;
         one = one->next)
        if (one->where == where)
            return one;
    return nullptr;
}

/// A plan serves executors that allow fewer threads, or as much workspace as it needs, and say
/// nothing else.
std::optional<product::planned_use> product::use_of_first(const surroundings &where) const {
    surroundings others = where;
    others.chosen.threads = first_.where.chosen.threads;
    others.chosen.workspace_limit = first_.where.chosen.workspace_limit;
    const int threads = where.chosen.threads.value_or(0);
    if (others != first_.where || threads > first_.plan.summary().threads)
        return std::nullopt;
    planned_use use{first_, {.threads = threads}};
    if (const auto limit = where.chosen.workspace_limit) {
        use.bounds.workspace_limit = limit;
        if (*use.bounds.workspace_limit < first_.plan.workspace_size())
            return std::nullopt;
    }
    return use;
}

product::planned_use product::use_for(const executor *with) const {
    if (with == nullptr || with->is_plain())
        return {first_};
    surroundings where = with->in_place_of(first_.where);
    if (const auto use = use_of_first(where))
        return *use;
    if (const planned *const known = find(where))
        return {*known};
    const std::lock_guard lock(adding_);
    if (const planned *const known = find(where))
        return {*known};
    auto added = std::make_unique<planned>(planned_in(std::move(where)));
    added->next = others_.load(std::memory_order_relaxed);
    others_.store(added.get(), std::memory_order_release);
    return {*added.release()};
}

factors product::read_factors(const void *alpha, const void *beta) const {
    require(alpha, "alpha");
    require(beta, "beta");
    return {read_scalar(alpha, form_.scalar_type), read_scalar(beta, form_.scalar_type)};
}

status product::execute(const executor *with, const factors &scale, const addresses &at) const {
    if (with == nullptr || with->is_plain()) // products may take only nanoseconds
        return first_.plan.execute(scale.alpha, at.a, at.b, scale.beta, at.c, at.d);
    const planned_use use = use_for(with);
    return use.by.plan.execute(scale.alpha, at.a, at.b, scale.beta, at.c, at.d, use.bounds);
}

status product::execute(const executor *with, const contraction_batch &batch,
                        std::optional<int> &entry) const {
    const planned_use use = use_for(with);
    index_t failed = -1;
    const status done = use.by.plan.execute_batch(batch, use.bounds, &failed);
    if (failed >= 0)
        entry = static_cast<int>(failed);
    return done;
}

} // namespace tenfold::tapp_impl
