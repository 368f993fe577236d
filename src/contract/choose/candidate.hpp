// A candidate: one way to carry out a contraction, with its workspace, its predicted cost and its
// description.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <tenfold/context.hpp>
#include <tenfold/types.hpp>

namespace tenfold::contract_impl {

class planned_epilogue; // contract/epilogues/planned_epilogue.hpp
class bound_epilogue;

/// The options of a planner call, with all defaults resolved.
struct plan_environment {
    const context *ctx = nullptr;
    int threads = 1;
    tenfold::backend backend = backend::native;
    bool reproducible = false;
    tenfold::bf16_sums bf16_sums = bf16_sums::automatic;
    byte_count workspace_limit{INT64_MAX};
    tenfold::tuning tuning = tuning::estimate; ///< for a contraction that is a mere transposition
    tenfold::algorithm algorithm = algorithm::automatic; ///< as requested
    /// Nobody asks for the candidates that are not chosen: those that cannot be are not made, and
    /// none is described.
    bool only_choice = false;
    const planned_epilogue *finish = nullptr; ///< of the contraction; null: none

    bool limited() const noexcept { return workspace_limit < byte_count{INT64_MAX}; }
    /// Whether candidates that take longer than another one can be left out.
    bool only_cheapest() const noexcept {
        return only_choice && algorithm == algorithm::automatic && !limited() && !reproducible;
    }
};

/// What a contraction of one or two inputs reads: D = alpha op(A) op(B) + beta op(C).
struct sources {
    scalar alpha;
    const void *a;
    const void *b;
    scalar beta;
    const void *c;
    std::span<const void *const> epilogue = {}; ///< data of its steps
    /// The epilogue that whoever executes this applies to every element of D once; null: none.
    const bound_epilogue *finish = nullptr;
};

/// When a candidate can apply an epilogue itself.
enum class fusion : std::uint8_t {
    never,
    if_beta_is_zero,
    always,
    in_plain_loops ///< always, and nobody asks what pays
};

/// Where one tensor of each contraction of a batch begins.
struct batch_place {
    const void *const *addresses = nullptr; ///< null: at equal distances
    const std::byte *first = nullptr;
    index_t step = 0; ///< bytes from each to the next

    const void *at(index_t i) const noexcept {
        return addresses != nullptr ? addresses[i] : first + i * step;
    }
};

/// The same for all of them. D's place is that of memory that may be written.
struct batch_sources {
    scalar alpha;
    batch_place a, b;
    scalar beta;
    batch_place c, d;

    sources at(index_t i) const noexcept { return {alpha, a.at(i), b.at(i), beta, c.at(i)}; }
    void *d_at(index_t i) const noexcept { return const_cast<void *>(d.at(i)); }
    bool in_steps() const noexcept {
        return a.addresses == nullptr && b.addresses == nullptr && d.addresses == nullptr;
    }
};

/// Immutable; execute() may run on several threads at once.
class candidate {
public:
    virtual ~candidate() = default;

    virtual tenfold::algorithm algorithm() const noexcept = 0;
    /// Predicted seconds.
    virtual double seconds() const noexcept = 0;
    virtual byte_count workspace() const noexcept = 0;
    /// One line, without a newline.
    virtual std::string describe() const = 0;
    /// Bytes of memory that it occupies, about (base/footprint.hpp).
    virtual std::size_t footprint() const noexcept = 0;

    /// When execute() can apply this epilogue itself, where it writes D.
    virtual fusion fuses(const planned_epilogue &) const noexcept { return fusion::never; }
    /// What is done about the epilogue, as describe(); empty if there is none.
    virtual std::string describe_epilogue() const { return {}; }

    /// True if execute() accepts any C, conjugated or not. Otherwise from.c must be d: the plan has
    /// already stored beta op(C) in D.
    virtual bool reads_any_c() const noexcept { return false; }

    /// D = alpha op(A) op(B) + beta op(C). All arguments are already checked; `workspace` has
    /// workspace() bytes and is aligned to 64.
    virtual void execute(const sources &from, void *d, std::byte *workspace) const noexcept = 0;

    /// execute() for the contractions [begin, end) of a batch, one after the other.
    virtual void execute_each(const batch_sources &from, index_t begin, index_t end,
                              std::byte *workspace) const noexcept {
        for (index_t i = begin; i < end; ++i)
            execute(from.at(i), from.d_at(i), workspace);
    }
};

/// What users read of it: describe(), and describe_epilogue() if there is one.
std::string description_of(const candidate &one);

using candidate_ptr = std::shared_ptr<const candidate>;

} // namespace tenfold::contract_impl
