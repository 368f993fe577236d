// The execution of a planned program: its tensors and scalars, and one function for each kind of
// step. Every rank has the same scalars, bit for bit, and so takes the same way.
//
// Between collective calls a rank that lacks memory can tell nobody. So entries are made at the
// start, small arguments come from the reserve (communicator::surely()), and what is larger is made
// in calls that fail on all ranks (collectively()).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tenfold/chem_diis.hpp>
#include <tenfold/dist_operations.hpp>
#include <tenfold/dist_program.hpp>

#include "distributed/comm/communicator.hpp"
#include "program/plan/plan_state.hpp"

namespace tenfold::program_impl {

/// What a line took so far. In all but `peak` and `nanoseconds` ranks agree.
struct tally {
    std::int64_t times = 0;
    std::uint64_t nanoseconds = 0; ///< on this rank
    index_t received = 0;
    index_t peak = 0; ///< bytes on this rank
};

class execution {
public:
    /// Collective. Takes the inputs, and the layouts of rank 0's plan.
    execution(const program_plan &plan, const world &everyone,
              const std::map<std::string, program_input> &inputs);

    /// Collective.
    program_result run();

private:
    /// A tensor of the program's own, or one of the caller's; neither before its first use and
    /// after its last.
    struct held {
        std::optional<dist_tensor<double>> own = std::nullopt;
        const dist_tensor<double> *given = nullptr;
        index_t bytes = 0; ///< of this rank's block

        bool exists() const noexcept { return given != nullptr || own; }
        const dist_tensor<double> &tensor() const { return given != nullptr ? *given : *own; }
        void free() noexcept {
            own.reset();
            given = nullptr;
        }
    };

    void check(const std::map<std::string, program_input> &inputs) const;
    void check_tensor(const program_tensor &input, const dist_tensor<double> *tensor) const;
    /// The layouts of this rank's plan as numbers; the ranks' own from those of rank 0.
    std::vector<int> numbers_of_layouts() const;
    void take_layouts(const std::vector<int> &numbers);
    /// Makes an entry for each name, so that lines need no memory for that.
    void make_entries();
    void bind(const std::string &name, const program_input &input);
    enum class start : std::uint8_t { zeros, unset };
    /// Collective.
    dist_tensor<double> &make(const std::string &name, start elements);

    /// Throws errc::stopped if the caller's control asks to stop. Whoever calls it agrees on that:
    /// what a rank left out since may be wrong on all of them.
    static void check_stop();

    /// Returns the step that follows.
    std::size_t run(std::size_t at);
    void run(const contraction_step &product);
    void run(const division_step &division);
    void run(const filling_step &filling);
    void run(const scalar_step &line);
    void run(const extrapolation_step &diis, std::size_t at);
    void run(const packing_step &packing);
    /// Collective. Returns the maximum over the ranks.
    index_t most_of(index_t bytes);

    const dist_tensor<double> &tensor(const std::string &name) const {
        return tensors_.at(name).tensor();
    }
    /// Collective. A tensor that is written; made if it does not exist.
    dist_tensor<double> &writable(const std::string &name);
    /// Bytes on this rank of all tensors, but for the operands of a product.
    index_t bytes_held(const contraction_step *beside = nullptr) const;
    void note(index_t received, index_t peak);

    double value(const coefficient &one) const;
    double value(const std::vector<coefficient> &terms) const;
    bool holds(const scalar_test &test) const;

    /// The divisor is a constant plus a function of each index.
    struct divisor {
        double constant;
        std::vector<std::vector<double>> by_mode; ///< from the block's first position on
    };
    divisor divisor_of(const division_step &division, const slice &block) const;

    /// All of the result but what it took.
    program_result outputs();
    program_result result();

    const internals::state_of<program_plan> &plan_;
    world everyone_;
    dist_impl::communicator &comm_;
    layout_map layouts_;
    std::map<std::string, held> tensors_;
    std::map<std::string, double> scalars_;
    std::map<std::size_t, chem::diis<dist_tensor<double>>> kept_; ///< by the step of "diis"
    std::vector<int> runs_;                                       ///< of blocks, by their last step
    std::vector<bool> ended_;    ///< by their tests, likewise; true of other steps
    std::vector<tally> tallies_; ///< by line
    std::vector<double> shares_; ///< likewise: of each of its steps in the program's time
    std::size_t line_ = 0;       ///< the present one
};

} // namespace tenfold::program_impl
