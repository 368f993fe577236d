// Products: their plans, and how they are executed.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include <tenfold/contract_batch.hpp>

#include "compat/tapp/failure.hpp"
#include "compat/tapp/form.hpp"
#include "compat/tapp/objects.hpp"
#include "compat/tapp/settings.hpp"

namespace tenfold::tapp_impl {

/// The tensors' addresses of one execution.
struct addresses {
    const void *a, *b, *c;
    void *d;
};

/// What goes before them.
struct factors {
    scalar alpha, beta;
};

class product : public object {
public:
    static constexpr kind own_kind = kind::product;

    /// Plans in `own`. Throws what form_of() and make_plan() throw.
    product(const product_request &request, surroundings own);
    ~product() override;

    /// alpha and beta as a program gives them. Throws TENFOLD_TAPP_NULL_POINTER.
    factors read_factors(const void *alpha, const void *beta) const;

    /// Allocates nothing, if the plan for the executor is known.
    status execute(const executor *with, const factors &scale, const addresses &at) const;
    /// The same for a batch. `entry` is the one at fault, if there is one.
    status execute(const executor *with, const contraction_batch &batch,
                   std::optional<int> &entry) const;

private:
    /// The form, planned for one surroundings.
    struct planned {
        surroundings where;
        contraction_plan plan;
        const planned *next; ///< in the list of those that executors have asked for
    };

    /// A plan, and what an executor of TAPP's allows beyond what the plan was made for.
    struct planned_use {
        const planned &by;
        tenfold::executor bounds = {};
    };

    planned planned_in(surroundings where) const;
    /// For executors that say nothing, for null, and for those that the first plan fits: that one.
    planned_use use_for(const executor *with) const;
    std::optional<planned_use> use_of_first(const surroundings &where) const;
    const planned *find(const surroundings &where) const noexcept;

    product_form form_;
    planned first_;
    mutable std::mutex adding_;
    mutable std::atomic<const planned *> others_ = nullptr;
};

} // namespace tenfold::tapp_impl
