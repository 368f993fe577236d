#include <optional>

#include <tenfold/dist_operations.hpp>
#include <tenfold/dist_program.hpp>

#include "apps/server/execute.hpp"
#include "apps/server/fields.hpp"
#include "apps/server/planning_program.hpp"

namespace tenfold::server {
namespace {

using nlohmann::json;

constexpr std::size_t longest_profile = 16 << 10;

} // namespace

json execute_program(const execution &now) {
    const json &work = now.work;
    std::optional<program_plan> plan;
    agree(now.where, [&] {
        plan = make_program_plan(parse_program(work.at("program").get<std::string>()),
                                 work.at("sizes").get<range_sizes>(), now.where.size(),
                                 options_of_program({.threads = now.where.threads(),
                                                     .ranks_per_node = now.where.ranks_per_node()},
                                                    work.at("copies")));
    });
    std::map<std::string, program_input> inputs;
    for (const auto &[name, value] : work.at("scalars").items())
        inputs.emplace(name, value.get<double>());
    for (std::size_t i = 0; i < work.at("names").size(); ++i)
        inputs.emplace(work.at("names")[i], &now.store.get<double>(now.input(i)));
    program_result result = run_program(*plan, now.where, inputs, &now.control);
    std::vector<std::pair<std::uint64_t, dist_tensor<double>>> made;
    for (const json &output : work.at("outputs")) {
        dist_tensor<double> tensor(now.where, output.at("extents").get<extents_t>());
        auto computed = result.tensors.extract(output.at("name").get<std::string>());
        copy(computed.mapped(), tensor);
        made.emplace_back(output.at("id"), std::move(tensor));
    }
    for (auto &[id, tensor] : made)
        now.store.keep(id, std::move(tensor));
    json scalars = json::object();
    for (const auto &[name, value] : result.scalars)
        scalars[name] = number_json(value);
    double seconds = 0;
    index_t received = 0;
    for (const executed_line &line : result.lines) {
        seconds += line.seconds;
        received += line.received.value;
    }
    return {{"scalars", std::move(scalars)},
            {"converged", result.converged},
            {"seconds", seconds},
            {"bytes_received", received},
            {"peak_bytes_per_rank", result.peak.value},
            {"profile", result.describe().substr(0, longest_profile)}};
}

} // namespace tenfold::server
