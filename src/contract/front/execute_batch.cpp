// Many contractions of one plan: their checks, and who computes them.
#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "base/context_of.hpp"
#include "contract/front/batch_overlap.hpp"
#include "contract/front/checked_execution.hpp"
#include "contract/front/with_executor.hpp"
#include "gemm/plan/options.hpp"

namespace tenfold::contract_impl {
namespace {

using einsum_impl::A;
using einsum_impl::B;
using einsum_impl::C;
using einsum_impl::D;

template <class Void> bool has_count(const operand_batch<Void> &tensor, index_t count) noexcept {
    return !tensor.by_addresses() || std::ssize(tensor.addresses()) == count;
}

/// Whether 64 bits can count the bytes from the first tensor to the last.
template <class Void>
bool has_reach(const operand_batch<Void> &tensor, index_t element_size, index_t count) noexcept {
    index_t step, reach;
    return tensor.by_addresses() || count == 0 ||
           !(__builtin_mul_overflow(tensor.stride(), element_size, &step) ||
             __builtin_mul_overflow(step, count, &reach));
}

/// Null stays null in all contractions.
template <class Void>
batch_place place_of(const operand_batch<Void> &tensor, index_t element_size) noexcept {
    if (tensor.by_addresses())
        return {.addresses = tensor.addresses().data()};
    return {.first = static_cast<const std::byte *>(tensor.first()),
            .step = tensor.first() != nullptr ? tensor.stride() * element_size : 0};
}

batch_status check_addresses(const batch_tensor &tensor, index_t count) noexcept {
    const auto is_missing = [&](index_t i) { return tensor.place.at(i) == nullptr; };
    const index_t looked_at = tensor.place.addresses != nullptr ? count : 1;
    for (index_t i = 0; i < looked_at; ++i)
        if (is_missing(i))
            return {status(errc::null_pointer, tensor.name), i};
    return {};
}

/// A batch of a plan: its tensors, its checks, and its execution.
class batch_execution {
public:
    /// Throws std::bad_alloc with more than two inputs.
    batch_execution(const plan_state &state, const contraction_batch &batch)
        : state_(state),
          last_(state.sequence ? whole_of(state.sequence->steps.back().plan) : state),
          batch_(batch), alpha_(state.own_alpha(batch.alpha)), beta_(state.own_beta(batch.beta)),
          work_(last_, {alpha_, nullptr, nullptr, beta_, nullptr}) {}

    /// Everything but memory.
    batch_status check() {
        const einsum_impl::contraction_problem &last = last_.problem;
        // A batch has no data for an epilogue.
        if (batch_.count < 0 || last_.finish != nullptr ||
            batch_.inputs.size() != inputs_of(state_) || !has_count(batch_.c, batch_.count) ||
            !has_count(batch_.d, batch_.count) ||
            !std::ranges::all_of(batch_.inputs, [&](const input_batch &one) {
                return has_count(one, batch_.count);
            }))
            return {status(errc::invalid_argument)};
        if (const status scalars = check_scalars(last, alpha_, beta_); !scalars)
            return {scalars};
        if (is_empty())
            return {};
        if (const batch_status placed = place_tensors(); !placed.what)
            return placed;
        for (const batch_tensor &tensor : read_)
            if (const batch_status found = check_addresses(tensor, batch_.count); !found.what)
                return found;
        if (const batch_status found = check_addresses(d_, batch_.count); !found.what)
            return found;
        if (const batch_status found = check_shared_names(); !found.what)
            return found;
        return check_batch_overlap(d_, read_, batch_.count);
    }

    bool is_empty() const noexcept { return batch_.count == 0 || last_.facts.empty_output; }

    /// After check().
    status run(const execution_means &means) {
        const bool copies = some_copies();
        if (copies && !work_.plan_copy())
            return status(errc::out_of_memory);
        const bool plain = !copies && !state_.sequence;
        const team its_team = make_team(means);
        if (its_team.missing)
            return status(errc::out_of_memory);
        if (means.record != nullptr)
            record_work(*means.record, its_team);
        std::atomic<errc> failure{errc::ok};
        const std::size_t many = state_.sequence ? batch_.inputs.size() : 0;
        std::vector<const void *> inputs(many * static_cast<std::size_t>(its_team.threads));
        base::run_parallel(its_team.threads, [&](const base::team_member &me) {
            std::byte *const own = its_team.memory + me.id() * its_team.bytes_of_each;
            const base::range mine = base::split(batch_.count, me.size(), me.id());
            base::in_watched_parts(mine, batch_.count, [&](base::range part) {
                if (plain)
                    return last_.chosen->execute_each(plain_sources(), part.begin, part.end, own);
                const std::span own_inputs(inputs.data() + many * static_cast<std::size_t>(me.id()),
                                           many);
                for (index_t i = part.begin; i < part.end; ++i)
                    if (const status done = run_one(i, own_inputs, own); !done)
                        failure = done.code();
            });
        });
        return failure == errc::ok ? status() : status(failure);
    }

private:
    struct team {
        int threads = 1;
        index_t bytes_of_each = 0; ///< workspace of a contraction, in whole lines of caches
        std::byte *memory = nullptr;
        base::workspace_lease lease = {};
        bool missing = false; ///< there is no memory
    };

    bool multiplies() const noexcept {
        return work_.multiplies() && !(state_.sequence && state_.sequence->empty);
    }

    /// Fills what check() and run() look at.
    batch_status place_tensors() {
        const einsum_impl::contraction_problem &last = last_.problem;
        bool fits = has_reach(batch_.d, size_of(last.type[D]), batch_.count) &&
                    has_reach(batch_.c, size_of(last.type[C]), batch_.count);
        const auto place = [&](const auto &tensor, data_type type, const layout &shape, char name) {
            fits = fits && has_reach(tensor, size_of(type), batch_.count);
            return batch_tensor{fits ? place_of(tensor, size_of(type)) : batch_place(),
                                size_of(type), &shape, name};
        };
        d_ = place(batch_.d, last.type[D], last.touched[D], 'D');
        for (std::size_t i = 0; i < batch_.inputs.size() && multiplies(); ++i) {
            const auto t = i == 0 ? A : B;
            read_.push_back(place(
                batch_.inputs[i], state_.sequence ? state_.sequence->input_types[i] : last.type[t],
                state_.sequence ? state_.sequence->input_elements[i] : last.touched[t],
                name_of_operand(state_, i)));
        }
        c_ = place(batch_.c, last.type[C], last.touched[C], 'C');
        c_.may_be_d = last.same_c_and_d;
        if (work_.reads_c())
            read_.push_back(c_);
        return {fits ? status() : status(errc::overflow)};
    }

    /// In each contraction, operands of one name are one tensor.
    batch_status check_shared_names() const noexcept {
        if (!multiplies())
            return {};
        const auto at = [&](std::size_t number, index_t i) {
            return (number < batch_.inputs.size() ? read_[number] : d_).place.at(i);
        };
        for (const einsum_impl::shared_name &shared : state_.shared_names)
            for (index_t i = 0; i < batch_.count; ++i)
                if (at(shared.first, i) != at(shared.second, i))
                    return {status(errc::invalid_argument, name_of_operand(state_, shared.second)),
                            i};
        return {};
    }

    bool some_copies() const noexcept {
        if (state_.sequence) // the last step sees to it
            return false;
        if (work_.only_copies())
            return true;
        if (!work_.reads_c())
            return false;
        for (index_t i = 0; i < batch_.count; ++i)
            if (work_.copies(c_.place.at(i), d_.place.at(i)))
                return true;
        return false;
    }

    /// One contraction per thread if that is too small for several; as many threads as have
    /// workspace.
    team make_team(const execution_means &means) const noexcept {
        team made;
        const int most = base::team_bound::allowed(state_.summary.threads);
        const double seconds = state_.summary.seconds;
        if (gemm_impl::worthwhile_team(most, seconds) == 1)
            made.threads = static_cast<int>(std::min<index_t>(
                gemm_impl::worthwhile_team(most, seconds * static_cast<double>(batch_.count)),
                batch_.count));
        const bool takes_none = work_.only_copies() && !state_.sequence;
        made.bytes_of_each = takes_none ? 0 : base::aligned_bytes(state_.summary.workspace.value);
        if (made.bytes_of_each == 0)
            return made;
        const byte_count limit =
            std::min(means.workspace_limit, state_.environment.workspace_limit);
        const auto fits = [&](index_t room) {
            return static_cast<int>(
                std::clamp<index_t>(room / made.bytes_of_each, 1, made.threads));
        };
        made.threads = fits(limit.value);
        std::size_t room = means.workspace.size();
        void *given = means.workspace.data();
        if (std::align(base::workspace_alignment,
                       static_cast<std::size_t>(state_.summary.workspace.value), given, room)) {
            made.threads = fits(static_cast<index_t>(room));
            made.memory = static_cast<std::byte *>(given);
            return made;
        }
        base::workspace_pool &pool =
            base::pool_of(means.ctx != nullptr ? *means.ctx : *state_.environment.ctx);
        made.lease = pool.acquire(bytes(made.threads * made.bytes_of_each));
        if (!made.lease && made.threads > 1) {
            made.threads = 1;
            made.lease = pool.acquire(bytes(made.bytes_of_each));
        }
        made.missing = !made.lease;
        made.memory = made.lease.memory().data();
        return made;
    }

    batch_sources plain_sources() const noexcept {
        const sources scalars = work_.with_scalars({});
        const auto input = [&](std::size_t i) {
            return i < read_.size() && multiplies() ? read_[i].place : batch_place();
        };
        const bool unary = last_.problem.unary;
        return {scalars.alpha,
                input(0),
                unary ? batch_place{.first = static_cast<const std::byte *>(scalars.b)} : input(1),
                scalars.beta,
                last_.chosen->reads_any_c() ? c_.place : d_.place,
                d_.place};
    }

    /// `inputs`: room for the addresses of more than two.
    status run_one(index_t i, std::span<const void *> inputs, std::byte *workspace) const noexcept {
        void *const d = const_cast<void *>(d_.place.at(i));
        if (!state_.sequence) {
            sources at = plain_sources().at(i);
            at.c = c_.place.at(i);
            return work_.run(at, d, workspace);
        }
        for (std::size_t k = 0; k < inputs.size(); ++k)
            inputs[k] = multiplies() ? read_[k].place.at(i) : nullptr;
        return execute_sequence(
            state_, {alpha_, inputs, beta_, c_.place.at(i)}, d,
            {.workspace = {workspace, static_cast<std::size_t>(state_.summary.workspace.value)}});
    }

    void record_work(execution_record &record, const team &its_team) const noexcept {
        const auto count = static_cast<double>(batch_.count);
        const auto bytes_of = [&](const batch_tensor &one) {
            return count * static_cast<double>(one.shape->size()) *
                   static_cast<double>(one.element_size);
        };
        record.flops = multiplies() ? count * state_.summary.flops : 0;
        record.bytes = bytes_of(d_);
        for (const batch_tensor &one : read_)
            record.bytes += bytes_of(one);
        record.workspace = bytes(its_team.threads * its_team.bytes_of_each);
    }

    const plan_state &state_;
    const plan_state &last_; ///< that which writes D
    const contraction_batch &batch_;
    scalar alpha_, beta_;
    checked_execution work_;
    std::vector<batch_tensor> read_; ///< inputs, if they are read, and C, if it is
    batch_tensor c_{}, d_{};
};

} // namespace
} // namespace tenfold::contract_impl

namespace tenfold {

status contraction_plan::execute_batch(const contraction_batch &batch, const executor &with,
                                       index_t *failed) const noexcept {
    if (failed != nullptr)
        *failed = -1;
    const auto work = [&](const contract_impl::plan_state &state,
                          const contract_impl::execution_means &means) noexcept {
        try {
            contract_impl::batch_execution execution(state, batch);
            const contract_impl::batch_status checked = execution.check();
            if (failed != nullptr)
                *failed = checked.contraction;
            if (!checked.what || execution.is_empty())
                return checked.what;
            return execution.run(means);
        } catch (const std::bad_alloc &) {
            return status(errc::out_of_memory);
        }
    };
    return contract_impl::run_with(*state_, with, work, std::max<index_t>(1, batch.count));
}

} // namespace tenfold
