#include "compat/tapp/product.hpp"

#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <utility>

#include "compat/tapp/types.hpp"

namespace tenfold::tapp_impl {
namespace {

constexpr std::align_val_t line_of_caches{64};

struct freed_lines {
    void operator()(std::byte *block) const noexcept { ::operator delete(block, line_of_caches); }
};

/// Null for no bytes. Throws std::bad_alloc. (Sanitizers end the program in the operator that
/// throws.)
std::unique_ptr<std::byte, freed_lines> allocate(byte_count size) {
    if (size.value == 0)
        return nullptr;
    void *const block =
        ::operator new(static_cast<std::size_t>(size.value), line_of_caches, std::nothrow);
    if (block == nullptr)
        throw std::bad_alloc();
    return std::unique_ptr<std::byte, freed_lines>(static_cast<std::byte *>(block));
}

void require_operand(const void *address, const char *name) {
    if (address == nullptr)
        throw failure(TENFOLD_TAPP_NULL_POINTER,
                      std::string(name) + " is null where its elements are needed");
}

} // namespace

product::product(const product_request &request, surroundings own)
    : form_(form_of(request)), first_(planned_in(std::move(own))) {}

product::~product() {
    for (const planned *one = others_; one != nullptr;)
        delete std::exchange(one, one->next);
}

product::planned product::planned_in(surroundings where) const {
    const auto copy = [&](const std::optional<copy_form> &form) -> std::optional<transpose_plan> {
        if (!form)
            return std::nullopt;
        std::vector<int> same(static_cast<std::size_t>(form->shape_from.order()));
        std::iota(same.begin(), same.end(), 0);
        return transpose_plan(same, form->from, form->shape_from, form->to, form->shape_to, false,
                              {.threads = where.options().threads, .ctx = where.context.get()});
    };
    contraction_plan plan = plan_in(where);
    auto copy_of_c = copy(form_.copy_of_c), copy_of_d = copy(form_.copy_of_d);
    return {std::move(where), std::move(plan), std::move(copy_of_c), std::move(copy_of_d), nullptr};
}

contraction_plan product::plan_in(const surroundings &where) const {
    contract_options options = where.options();
    options.conj_output = form_.conj_output;
    const byte_count limit =
        options.workspace_limit.value_or(where.context->settings().workspace_limit);
    const index_t left = limit.value - form_.temporary_bytes.value;
    options.workspace_limit = bytes(std::max(left, index_t{0}));
    const auto plan = [&] {
        const input inputs[] = {form_.a, form_.b};
        return make_plan(form_.spec, inputs, form_.c, form_.d, options);
    };
    if (is_plain())
        return plan();

    index_t least = form_.temporary_bytes.value;
    try {
        contraction_plan made = plan();
        if (left >= 0)
            return made;
    } catch (const error &refused) {
        if (refused.code() != errc::workspace_too_small || !refused.details().least)
            throw;
        least += refused.details().least->value;
    }
    throw failure(TENFOLD_TAPP_WORKSPACE,
                  "the workspace limit is " + std::to_string(limit.value) + " bytes, but " +
                      std::to_string(least) + " are needed, " +
                      std::to_string(form_.temporary_bytes.value) +
                      " of them for temporary copies of tensors in another type");
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
/// nothing else; of copies the library cannot bound the threads.
std::optional<product::planned_use> product::use_of_first(const surroundings &where) const {
    surroundings others = where;
    others.chosen.threads = first_.where.chosen.threads;
    others.chosen.workspace_limit = first_.where.chosen.workspace_limit;
    const int threads = where.chosen.threads.value_or(0);
    if (others != first_.where || threads > first_.plan.summary().threads ||
        (threads > 0 && !is_plain()))
        return std::nullopt;
    planned_use use{first_, {.threads = threads}};
    if (const auto limit = where.chosen.workspace_limit) {
        use.bounds.workspace_limit = bytes(limit->value - form_.temporary_bytes.value);
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

void product::check(const factors &scale, const addresses &at) const {
    if (form_.d_is_empty)
        return;
    if (scale.alpha != 0.0 && !form_.sum_is_empty) {
        require_operand(at.a, "A");
        require_operand(at.b, "B");
    }
    if (scale.beta != 0.0) {
        if (at.c == nullptr)
            throw failure(TENFOLD_TAPP_C_IS_NULL, sentence_about(TENFOLD_TAPP_C_IS_NULL));
        if (at.c == at.d && !form_.c_lies_as_d)
            throw failure(TENFOLD_TAPP_OVERLAP,
                          "C has D's address, but another type or other strides");
    }
    require_operand(at.d, "D");
}

status product::execute_plain(const executor *with, const factors &scale,
                              const addresses &at) const {
    if (with == nullptr || with->is_plain()) // products may take only nanoseconds
        return first_.plan.execute(scale.alpha, at.a, at.b, scale.beta, at.c, at.d);
    const planned_use use = use_for(with);
    return use.by.plan.execute(scale.alpha, at.a, at.b, scale.beta, at.c, at.d, use.bounds);
}

status product::execute_plain(const executor *with, const contraction_batch &batch,
                              std::optional<int> &entry) const {
    const planned_use use = use_for(with);
    index_t failed = -1;
    const status done = use.by.plan.execute_batch(batch, use.bounds, &failed);
    if (failed >= 0)
        entry = static_cast<int>(failed);
    return done;
}

void product::execute(const executor *with, const factors &scale, std::span<const addresses> all,
                      std::optional<int> &entry) const {
    const planned_use use = use_for(with);
    if (form_.d_is_empty || all.empty())
        return;
    const auto block = allocate(form_.temporary_bytes);
    entry = 0;
    for (const addresses &at : all) {
        execute_converted(use, scale, at, block.get());
        ++*entry;
    }
    entry.reset();
}

void product::execute_converted(const planned_use &use, const factors &scale, const addresses &at,
                                std::byte *block) const {
    const auto &[where, plan, copy_of_c, copy_of_d, next] = use.by;
    const void *c = at.c;
    if (copy_of_c) {
        if (scale.beta != 0.0)
            copy_of_c->execute(1.0, at.c, 0.0, block).throw_if_failed();
        c = block;
    }
    void *const d = copy_of_d ? block : at.d;
    plan.execute(scale.alpha, at.a, at.b, scale.beta, c, d, use.bounds).throw_if_failed();
    if (copy_of_d)
        copy_of_d->execute(1.0, d, 0.0, at.d).throw_if_failed();
}

} // namespace tenfold::tapp_impl
