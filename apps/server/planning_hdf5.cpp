// Files of clients that have datasets.
#include "apps/server/confined_file.hpp"
#include "apps/server/planning.hpp"

namespace tenfold::server {

using nlohmann::json;

namespace {

void check_is_there(const std::string &root, const std::vector<std::string> &parts) {
    const confined_file file(root, parts);
    if (!file.is_there())
        throw refusal(404, "not_found", "there is no file '" + file.name() + "'");
}

} // namespace

std::optional<std::string> find_dataset(fields &request, const std::vector<std::string> &parts) {
    constexpr std::size_t longest = 1024;
    if (!is_hdf5(parts))
        return std::nullopt;
    std::string name = request.text("dataset");
    if (name.empty() || name.size() > longest || name.find('\0') != std::string::npos)
        throw wrong_request("dataset: expected the name of a dataset, such as ccsd/T2");
    return name;
}

planned_job plan_import_hdf5(const planning_scene &scene, const std::string &name,
                             const json &request, const std::string &root) {
    fields read(request);
    const auto parts = parse_file_path(read.text("file"));
    const auto dataset = find_dataset(read, parts);
    const data_type type = parse_element_type(read.text("type"));
    extents_t extents = read.extents("extents");
    read.finish();
    check_is_there(root, parts);
    planned_job result;
    result.kind = "import";
    result.output = new_record(scene, name, type, std::move(extents));
    result.bytes = result.output->total_bytes();
    result.memory = {result.output->bytes, file_memory(scene.ranks, result.bytes)};
    result.work = {{"do", "import"}, {"root", root}, {"parts", parts}, {"dataset", *dataset}};
    return result;
}

planned_job plan_describe(const planning_scene &scene, const json &request,
                          const std::string &root) {
    fields read(request);
    const auto parts = parse_file_path(read.text("file"));
    const auto dataset = find_dataset(read, parts);
    read.finish();
    check_is_there(root, parts);
    planned_job result;
    result.kind = "describe";
    result.memory.temporary = file_memory(scene.ranks, 0);
    result.work = {{"do", "describe"}, {"root", root}, {"parts", parts}};
    if (dataset)
        result.work["dataset"] = *dataset;
    return result;
}

} // namespace tenfold::server
