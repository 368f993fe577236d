// Programs of equations as jobs: what their requests say, and what they take.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <tenfold/program.hpp>

#include "apps/server/planning.hpp"

namespace tenfold::server {

/// The body of /v1/programs and /v1/programs/explain.
struct program_request {
    std::string text;
    program equations;
    std::vector<std::string> names; ///< of the inputs that are tensors, in the program
    std::vector<operand> inputs;    ///< these tensors
    std::map<std::string, double> scalars;
    std::map<std::string, std::string> outputs; ///< the names that output tensors get
    range_sizes sizes;                          ///< that the request says

    /// Throws refusal, and as parse_program() does.
    static program_request parse(const nlohmann::json &request);
};

/// How all ranks plan it: `here` has their threads and nodes. Tensors have no copies where memory
/// is short.
program_options options_of_program(const dist_options &here, bool with_copies);

struct program_outline {
    program_plan plan;
    bool with_copies;
    std::vector<tensor_pointer> outputs;
    memory_demand memory;
    byte_count available; ///< for all that the program takes on a rank
};
/// Throws refusal, tenfold::error, memory_shortage.
program_outline outline_program(const planning_scene &scene, const program_request &request,
                                const std::vector<tensor_pointer> &inputs);
planned_job plan_program(const planning_scene &scene, const program_request &request,
                         const std::vector<tensor_pointer> &inputs);

} // namespace tenfold::server
