// Programs of equations.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tenfold/dist_program.hpp>

#include "capi/structs.hpp"
#include "distributed/capi/arrays.hpp"
#include "distributed/capi/collective.hpp"
#include "distributed/capi/convert.hpp"

using namespace tenfold::capi_impl;

struct tenfold_program {
    tenfold::program own;
    on_demand<std::string> text = {};
    on_demand<std::vector<std::vector<const char *>>> ranges = {}; ///< of each tensor
};

struct tenfold_program_plan {
    std::shared_ptr<const tenfold::context> context; ///< null: that of the process
    tenfold::program_plan own;
    on_demand<std::string> text = {};
};

struct tenfold_program_result {
    int ranks = 0;
    tenfold::program_result own = {};
    on_demand<std::string> text = {};
};

namespace {

using tenfold::range_sizes;

range_sizes sizes_of(const tenfold_range_size *given, std::int32_t count) {
    require_count(count, given, "sizes");
    range_sizes sizes;
    for (std::int32_t i = 0; i < count; ++i) {
        require(given[i].range, ("size " + std::to_string(i) + ": range").c_str());
        if (!sizes.emplace(given[i].range, given[i].size).second)
            refuse("range '" + std::string(given[i].range) + "' has two sizes");
    }
    return sizes;
}

/// The bytes of all runs.
std::int64_t in_all(std::int64_t times, std::int64_t bytes) noexcept {
    return bytes > 0 && times > INT64_MAX / bytes ? INT64_MAX : times * bytes;
}

template <class Items>
const auto &item_at(const Items &items, std::int32_t index, const char *what) {
    if (index < 0 || static_cast<std::size_t>(index) >= items.size())
        refuse("there is no " + std::string(what) + " " + std::to_string(index) +
               "; the program has " + std::to_string(items.size()));
    return items[static_cast<std::size_t>(index)];
}

constexpr bool is(tenfold_tensor_role number, tenfold::tensor_role role) {
    return number == static_cast<tenfold_tensor_role>(role);
}
static_assert(is(TENFOLD_ROLE_INPUT, tenfold::tensor_role::input) &&
              is(TENFOLD_ROLE_OUTPUT, tenfold::tensor_role::output) &&
              is(TENFOLD_ROLE_INTERMEDIATE, tenfold::tensor_role::intermediate));

using input_map = std::map<std::string, tenfold::program_input>;

input_map inputs_of(const tenfold_program_input *given, std::int32_t count) {
    require_count(count, given, "inputs");
    input_map inputs;
    for (std::int32_t i = 0; i < count; ++i) {
        const tenfold_program_input &one = given[i];
        require(one.name, ("input " + std::to_string(i) + ": name").c_str());
        tenfold::program_input made = one.number;
        if (one.tensor != nullptr) {
            if (type_of(*one.tensor) != tenfold::data_type::f64)
                throw tenfold::error(tenfold::errc::type_mismatch,
                                     "input '" + std::string(one.name) + "' is " +
                                         std::string(name(type_of(*one.tensor))) +
                                         "; programs take f64");
            made = &tensor_of<double>(*one.tensor);
        } else if (one.function != nullptr) {
            made = tenfold::fill_callback(
                [function = one.function, user = one.user](
                    const tenfold::extents_t &offsets, const tenfold::tensor_view<double> &block) {
                    fill_block(offsets, block, function, user);
                });
        }
        if (!inputs.emplace(one.name, std::move(made)).second)
            refuse("input '" + std::string(one.name) + "' is bound twice");
    }
    return inputs;
}

/// What a rank brings to a run.
struct run_arguments {
    std::unique_ptr<tenfold_program_result> made;
    input_map inputs;
    std::unique_ptr<const taken_control> control;
};

tenfold_error make_program(tenfold_program **program, const char *given, const char *what,
                           tenfold::program (*read)(const char *)) noexcept {
    return guarded([&] {
        require(program, "program");
        *program = nullptr;
        require(given, what);
        *program = new tenfold_program{read(given)};
    });
}

} // namespace

tenfold_error tenfold_program_parse(const char *text, tenfold_program **program) {
    return make_program(program, text, "text",
                        [](const char *given) { return tenfold::parse_program(given); });
}

tenfold_error tenfold_program_read(const char *path, tenfold_program **program) {
    return make_program(program, path, "path",
                        [](const char *given) { return tenfold::read_program(given); });
}

void tenfold_program_destroy(tenfold_program *program) { delete program; }

tenfold_error tenfold_program_text(const tenfold_program *program, const char **text) {
    return guarded([&] {
        require(program, "program");
        require(text, "text");
        *text = program->text.get([&] { return program->own.to_string(); }).c_str();
    });
}

tenfold_error tenfold_program_tensor_count(const tenfold_program *program, int32_t *count) {
    return guarded([&] {
        require(program, "program");
        require(count, "count");
        *count = static_cast<std::int32_t>(program->own.tensors().size());
    });
}

tenfold_error tenfold_program_tensor_get(const tenfold_program *program, int32_t index,
                                         tenfold_program_tensor *tensor) {
    return guarded([&] {
        require(program, "program");
        const tenfold::program_tensor &own = item_at(program->own.tensors(), index, "tensor");
        const auto &ranges_of_all = program->ranges.get([&] {
            std::vector<std::vector<const char *>> all;
            for (const tenfold::program_tensor &one : program->own.tensors()) {
                std::vector<const char *> &its = all.emplace_back();
                for (const std::string &range : one.ranges)
                    its.push_back(range.c_str());
            }
            return all;
        });
        const auto &ranges = ranges_of_all[static_cast<std::size_t>(index)];
        give({.size = 0,
              .name = own.name.c_str(),
              .role = static_cast<tenfold_tensor_role>(own.role),
              .order = static_cast<std::int32_t>(ranges.size()),
              .ranges = ranges.data()},
             tensor, "tensor");
    });
}

tenfold_error tenfold_program_plan_create(const tenfold_program *program,
                                          const tenfold_range_size *sizes, int32_t size_count,
                                          int32_t ranks, const tenfold_program_options *options,
                                          tenfold_program_plan **plan) {
    return guarded([&] {
        require(plan, "plan");
        *plan = nullptr;
        require(program, "program");
        const tenfold_program_options given = taken(options, "options");
        const tenfold_dist_options contraction = taken(given.contraction, "options: contraction");
        refuse_conjugated(contraction);
        const taken_control none(nullptr);
        tenfold::program_options how{
            .contraction = dist_options_of(contraction, none),
            .copies = {.any = given.one_copy == 0,
                       .memory_per_rank = memory_limit_of(given.memory_per_rank)}};
        if (given.repetitions != 0)
            how.repetitions = given.repetitions;
        *plan = new tenfold_program_plan{
            context_of(contraction),
            tenfold::make_program_plan(program->own, sizes_of(sizes, size_count), ranks, how)};
    });
}

void tenfold_program_plan_destroy(tenfold_program_plan *plan) { delete plan; }

tenfold_error tenfold_program_plan_summarise(const tenfold_program_plan *plan,
                                             tenfold_program_summary *summary) {
    return guarded([&] {
        require(plan, "plan");
        const tenfold::program_plan_summary &own = plan->own.summary();
        give({.size = 0,
              .ranks = own.ranks,
              .line_count = static_cast<std::int32_t>(plan->own.lines().size()),
              .converged = 1,
              .seconds = own.seconds,
              .bytes_received = own.received.value,
              .peak_bytes = own.peak.value},
             summary, "summary");
    });
}

tenfold_error tenfold_program_plan_line(const tenfold_program_plan *plan, int32_t index,
                                        tenfold_program_line *line) {
    return guarded([&] {
        require(plan, "plan");
        const tenfold::planned_line &own = item_at(plan->own.lines(), index, "line");
        const double seconds = static_cast<double>(own.times) * own.seconds;
        give({.size = 0,
              .number = own.line,
              .text = own.text.c_str(),
              .times = own.times,
              .seconds = seconds,
              .planned_seconds = seconds,
              .bytes_received = in_all(own.times, own.received.value),
              .peak_bytes = own.peak.value},
             line, "line");
    });
}

tenfold_error tenfold_program_plan_layout(const tenfold_program_plan *plan, const char *name,
                                          tenfold_distribution **distribution) {
    return guarded([&] {
        require(distribution, "distribution");
        *distribution = nullptr;
        require(plan, "plan");
        require(name, "name");
        const auto found = plan->own.layouts().find(name);
        if (found == plan->own.layouts().end())
            refuse("no line uses a tensor '" + std::string(name) + "'");
        *distribution = new tenfold_distribution{found->second};
    });
}

tenfold_error tenfold_program_plan_text(const tenfold_program_plan *plan, const char **text) {
    return guarded([&] {
        require(plan, "plan");
        require(text, "text");
        *text = plan->text.get([&] { return plan->own.describe(); }).c_str();
    });
}

tenfold_error tenfold_program_run(const tenfold_program_plan *plan, const tenfold_world *world,
                                  const tenfold_program_input *inputs, int32_t input_count,
                                  tenfold_program_result **result) {
    return tenfold_program_run_with(plan, world, inputs, input_count, nullptr, result);
}

tenfold_error tenfold_program_run_with(const tenfold_program_plan *plan, const tenfold_world *world,
                                       const tenfold_program_input *inputs, int32_t input_count,
                                       const tenfold_program_run_options *options,
                                       tenfold_program_result **result) {
    const auto prepare = [&] {
        require(result, "result");
        require(plan, "plan");
        run_arguments own;
        own.made = std::make_unique<tenfold_program_result>();
        own.inputs = inputs_of(inputs, input_count);
        own.control = std::make_unique<const taken_control>(taken(options, "options").control);
        return own;
    };
    return guarded([&] {
        if (result != nullptr)
            *result = nullptr;
        require(world, "world");
        collective(world->shared, prepare, [&](run_arguments &own) {
            own.made->ranks = world->shared.size();
            own.made->own =
                tenfold::run_program(plan->own, world->shared, own.inputs, own.control->get());
            *result = own.made.release();
        });
    });
}

void tenfold_program_result_destroy(tenfold_program_result *result) { delete result; }

tenfold_error tenfold_program_result_scalar(const tenfold_program_result *result, const char *name,
                                            double *value) {
    return guarded([&] {
        require(result, "result");
        require(name, "name");
        require(value, "value");
        const auto found = result->own.scalars.find(name);
        if (found == result->own.scalars.end())
            refuse("the program has no output '" + std::string(name) + "' that is a scalar");
        *value = found->second;
    });
}

tenfold_error tenfold_program_result_take(tenfold_program_result *result, const char *name,
                                          tenfold_dist_tensor **tensor) {
    return guarded([&] {
        require(tensor, "tensor");
        *tensor = nullptr;
        require(result, "result");
        require(name, "name");
        const auto found = result->own.tensors.find(name);
        if (found == result->own.tensors.end())
            refuse("there is no output tensor '" + std::string(name) + "', or it was taken");
        auto made = std::make_unique<tenfold_dist_tensor>();
        made->any.emplace(std::move(found->second));
        result->own.tensors.erase(found);
        *tensor = made.release();
    });
}

tenfold_error tenfold_program_result_summarise(const tenfold_program_result *result,
                                               tenfold_program_summary *summary) {
    return guarded([&] {
        require(result, "result");
        double seconds = 0;
        std::int64_t received = 0;
        for (const tenfold::executed_line &one : result->own.lines) {
            seconds += one.seconds;
            received += one.received.value;
        }
        give({.size = 0,
              .ranks = result->ranks,
              .line_count = static_cast<std::int32_t>(result->own.lines.size()),
              .converged = result->own.converged ? 1 : 0,
              .seconds = seconds,
              .bytes_received = received,
              .peak_bytes = result->own.peak.value},
             summary, "summary");
    });
}

tenfold_error tenfold_program_result_line(const tenfold_program_result *result, int32_t index,
                                          tenfold_program_line *line) {
    return guarded([&] {
        require(result, "result");
        const tenfold::executed_line &own = item_at(result->own.lines, index, "line");
        give({.size = 0,
              .number = own.line,
              .text = own.text.c_str(),
              .times = own.times,
              .seconds = own.seconds,
              .planned_seconds = own.planned,
              .bytes_received = own.received.value,
              .peak_bytes = own.peak.value},
             line, "line");
    });
}

tenfold_error tenfold_program_result_text(const tenfold_program_result *result, const char **text) {
    return guarded([&] {
        require(result, "result");
        require(text, "text");
        *text = result->text.get([&] { return result->own.describe(); }).c_str();
    });
}
