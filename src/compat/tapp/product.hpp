// Products: their plans, and how they are executed.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include <tenfold/transpose.hpp>

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

    /// Throws for an address that is null where elements are read or written, and for a C at D's
    /// address that lies otherwise.
    void check(const factors &scale, const addresses &at) const;

    /// Whether all tensors have the type that is computed in.
    bool is_plain() const noexcept { return !form_.converts(); }
    /// Needs no check() and allocates nothing, if the plan for the executor is known.
    status execute_plain(const executor *with, const factors &scale, const addresses &at) const;

    /// The same for a batch. `entry` is the one at fault, if there is one.
    status execute_plain(const executor *with, const contraction_batch &batch,
                         std::optional<int> &entry) const;

    /// Computes one product after another by copies in another type, which check() has seen.
    /// Throws; `entry` is the one that failed then.
    void execute(const executor *with, const factors &scale, std::span<const addresses> all,
                 std::optional<int> &entry) const;

private:
    /// The form, planned for one surroundings.
    struct planned {
        surroundings where;
        contraction_plan plan;
        std::optional<transpose_plan> copy_of_c, copy_of_d; ///< as the form has them
        const planned *next; ///< in the list of those that executors have asked for
    };

    /// A plan, and what an executor of TAPP's allows beyond what the plan was made for.
    struct planned_use {
        const planned &by;
        tenfold::executor bounds = {};
    };

    planned planned_in(surroundings where) const;
    contraction_plan plan_in(const surroundings &where) const;
    /// For executors that say nothing, for null, and for those that the first plan fits: that one.
    planned_use use_for(const executor *with) const;
    std::optional<planned_use> use_of_first(const surroundings &where) const;
    const planned *find(const surroundings &where) const noexcept;
    void execute_converted(const planned_use &use, const factors &scale, const addresses &at,
                           std::byte *block) const;

    product_form form_;
    planned first_;
    mutable std::mutex adding_;
    mutable std::atomic<const planned *> others_ = nullptr;
};

} // namespace tenfold::tapp_impl
