#include "apps/server/planning.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "apps/server/confined_file.hpp"
#include "tensor/npy.hpp"

namespace tenfold::server {
namespace {

using nlohmann::json;

/// Messages of a transfer: chunks that were packed and chunks that were received.
constexpr index_t chunks_at_a_time = 3;

per_rank transfer_memory(int ranks, index_t bytes) {
    return per_rank(static_cast<std::size_t>(ranks),
                    chunks_at_a_time * std::min(chunk_bytes, bytes));
}

index_t bytes_in(const slice &box, data_type type) { return box.size() * size_of(type); }

json box_json(const slice &box) { return {{"offsets", box.offsets}, {"extents", box.extents}}; }

/// What a body says of itself, or the request of a raw one.
tensor_impl::npy_header header_of(const upload_format &format, const std::string &body) {
    const std::string source = "the body";
    const auto size = static_cast<index_t>(body.size());
    if (!format.raw) {
        const std::string_view bytes(body);
        const index_t header_size = tensor_impl::npy_header_size(
            source, bytes.substr(0, static_cast<std::size_t>(tensor_impl::npy_prefix_size)), size);
        return tensor_impl::parse_npy_header(
            source, bytes.substr(0, static_cast<std::size_t>(header_size)), size);
    }
    const data_type type = format.type.value_or(data_type::f64);
    const index_t expected = storage_bytes(layout(*format.raw), type).value;
    if (expected != size)
        throw refusal(400, std::string(tenfold::name(errc::invalid_argument)),
                      "the body has " + std::to_string(size) + " bytes, the tensor " +
                          std::to_string(expected),
                      {{"expected", expected}, {"got", size}});
    return {tensor_impl::npy_element::of(type), format.order == memory_order::fortran, *format.raw,
            0};
}

void check_becomes(const tensor_impl::npy_header &header, data_type type) {
    if (!is_arithmetic(type) || !header.element.becomes(type))
        throw error(errc::type_mismatch, "the body holds " + header.element.name() +
                                             ", which does not become " +
                                             std::string(tenfold::name(type)));
}

planned_job upload_job(const tensor_impl::npy_header &header, std::shared_ptr<std::string> body) {
    planned_job result;
    result.kind = "upload";
    result.bytes = static_cast<index_t>(body->size());
    result.body = std::move(body);
    result.work = {{"element", header.element.descr()},
                   {"fortran_order", header.fortran_order},
                   {"offset", header.data_offset}};
    return result;
}

/// {"value": x}, {"uniform": {"seed", "low", "high"}} or {"normal": {"seed", "mean", "deviation"}};
/// as ranks are told it.
json read_fill(const json *request) {
    if (request == nullptr)
        return {{"kind", "value"}, {"value", scalar_json(0)}};
    fields read(*request, "fill.");
    json result;
    if (const auto value = read.find_scalar("value")) {
        result = {{"kind", "value"}, {"value", scalar_json(*value)}};
    } else {
        const json *uniform = read.find("uniform");
        const json *normal = read.find("normal");
        if ((uniform == nullptr) == (normal == nullptr))
            throw wrong_request("fill: expected one of value, uniform and normal");
        const bool is_uniform = uniform != nullptr;
        fields inner(is_uniform ? *uniform : *normal,
                     is_uniform ? "fill.uniform." : "fill.normal.");
        const std::int64_t seed = inner.find_integer("seed", 0).value_or(1);
        const double first = inner.find_number(is_uniform ? "low" : "mean").value_or(0);
        const double second = inner.find_number(is_uniform ? "high" : "deviation").value_or(1);
        inner.finish();
        result = {{"kind", is_uniform ? "uniform" : "normal"},
                  {"seed", seed},
                  {"first", first},
                  {"second", second}};
    }
    read.finish();
    return result;
}

planned_job fill_job(const planning_scene &scene, const std::string &name, data_type type,
                     extents_t extents, json fill) {
    if (fill.contains("value"))
        check_number(scalar_of(fill.at("value")), "fill.value", name, type);
    planned_job result;
    result.kind = "create";
    result.output = new_record(scene, name, type, std::move(extents));
    result.memory.output = result.output->bytes;
    result.work = {{"do", "create"}, {"fill", std::move(fill)}};
    return result;
}

} // namespace

void check_number(scalar value, const std::string &what, const std::string &name, data_type type) {
    if (value.imag() != 0 && !is_complex(type))
        throw error(errc::type_mismatch, what + " is complex, '" + name + "' is real",
                    {.first = {.name = name, .type = type}});
}

tensor_address new_address(const std::string &name, const std::string &user) {
    tensor_address where = tensor_address::parse(name, user);
    if (!is_tensor_name(where.name))
        throw wrong_request("a tensor's name has 1 to 128 letters, digits, '_', '-' and '.', and "
                            "does not begin with '.'");
    return where;
}

tensor_pointer new_record(const planning_scene &scene, const std::string &name, data_type type,
                          extents_t extents) {
    const tensor_address where = new_address(name, scene.user);
    static_cast<void>(storage_bytes(layout(extents), type)); // throws if that is too much
    auto record = std::make_shared<tensor_record>();
    record->id = 0;
    record->user = where.owner;
    record->name = where.name;
    record->type = type;
    record->spread = distribution::block(std::move(extents), scene.ranks);
    record->bytes = bytes_of(record->spread, type);
    return record;
}

planned_job plan_create(const planning_scene &scene, const json &request) {
    fields read(request);
    const std::string name = read.text("name");
    const data_type type = parse_element_type(read.find_text("type").value_or("f64"));
    extents_t extents = read.extents("extents");
    json fill = read_fill(read.find("fill"));
    read.finish();
    return fill_job(scene, name, type, std::move(extents), std::move(fill));
}

planned_job plan_fill(const planning_scene &scene, const json &request,
                      const tensor_record &former) {
    fields read(request);
    json fill = read_fill(&read.get("fill"));
    read.finish();
    planned_job result = fill_job(scene, former.name_for(scene.user), former.type, former.extents(),
                                  std::move(fill));
    result.kind = "fill";
    result.updates = former.id;
    return result;
}

planned_job plan_upload(const planning_scene &scene, const std::string &name,
                        const upload_format &format, std::shared_ptr<std::string> body) {
    const tensor_impl::npy_header header = header_of(format, *body);
    const data_type type = format.type.value_or(header.element.type());
    check_becomes(header, type);
    planned_job result = upload_job(header, std::move(body));
    result.output = new_record(scene, name, type, header.shape);
    result.memory = {result.output->bytes,
                     transfer_memory(scene.ranks, result.output->total_bytes())};
    result.work["do"] = "upload";
    return result;
}

slice parse_slice(const std::string &text, const tensor_record &of) {
    const extents_t &extents = of.extents();
    slice box;
    const char *at = text.data();
    const char *const end = at + text.size();
    const auto read = [&](index_t otherwise) {
        index_t number = otherwise;
        if (at != end && *at >= '0' && *at <= '9') {
            const auto [next, failure] = std::from_chars(at, end, number);
            if (failure != std::errc())
                number = std::numeric_limits<index_t>::max(); // beyond any extent
            at = next;
        }
        return number;
    };
    while (at != end) {
        const std::size_t mode = box.offsets.size();
        const index_t extent = mode < extents.size() ? extents[mode] : 0;
        const index_t first = read(0);
        if (at == end || *at++ != ':')
            throw wrong_request("slice: expected a range for each mode, such as 0:4,2:,:");
        const index_t last = read(extent);
        if (at != end && (*at++ != ',' || at == end))
            throw wrong_request("slice: expected a range for each mode, such as 0:4,2:,:");
        if (mode < extents.size() && (first > last || last > extent))
            throw error(
                errc::extent_mismatch,
                "slice: mode " + std::to_string(mode) + " of '" + of.name + "' has extent " +
                    std::to_string(extent) + ", the range is " + std::to_string(first) + ":" +
                    std::to_string(last),
                {.first = {.name = of.name, .mode = static_cast<int>(mode), .extent = extent},
                 .second = {.extent = last}});
        box.offsets.push_back(first);
        box.extents.push_back(last - first);
    }
    if (box.offsets.size() != extents.size())
        throw error(errc::order_mismatch,
                    "slice: '" + of.name + "' has " + std::to_string(extents.size()) +
                        " modes, the slice " + std::to_string(box.offsets.size()),
                    {.first = {.name = of.name, .order = static_cast<index_t>(extents.size())},
                     .second = {.order = static_cast<index_t>(box.offsets.size())}});
    return box;
}

planned_job plan_overwrite(const planning_scene &scene, const tensor_record &former,
                           const slice &box, const upload_format &format,
                           std::shared_ptr<std::string> body) {
    const tensor_impl::npy_header header = header_of(format, *body);
    check_becomes(header, former.type);
    if (header.shape != box.extents)
        throw error(errc::extent_mismatch, "the body has the extents of " +
                                               slice{box.offsets, header.shape}.describe() +
                                               ", the slice " + box.describe());
    planned_job result = upload_job(header, std::move(body));
    result.output = new_record(scene, former.name_for(scene.user), former.type, former.extents());
    result.updates = former.id;
    result.overwrites = true;
    // The elements arrive in a tensor of the slice's extents.
    const per_rank part = bytes_of(distribution::block(box.extents, scene.ranks), former.type);
    const per_rank moved = part_memory(former, box);
    per_rank temporary = transfer_memory(scene.ranks, bytes_in(box, former.type));
    for (std::size_t rank = 0; rank < temporary.size(); ++rank)
        temporary[rank] = part[rank] + std::max(temporary[rank], moved[rank]);
    result.memory = {result.output->bytes, std::move(temporary)};
    result.work["do"] = "overwrite";
    result.work["box"] = box_json(box);
    return result;
}

per_rank part_memory(const tensor_record &former, const slice &box) {
    const auto ranks = static_cast<int>(former.bytes.size());
    per_rank result = bytes_of(distribution::block(box.extents, ranks), former.type); // is sent
    for (int rank = 0; rank < ranks; ++rank)
        result[static_cast<std::size_t>(rank)] +=
            std::min(bytes_in(box, former.type),
                     bytes_in(former.spread.block_of(rank), former.type)); // is received
    return result;
}

per_rank file_memory(int ranks, index_t tensor_bytes) {
    // dist_files.hpp: a block, and messages each way of at most 64 MiB. All that is on its way at
    // once is a block of each rank.
    const index_t messages = std::min({mib(64).value, ranks * saved_block.value, tensor_bytes});
    return per_rank(static_cast<std::size_t>(ranks), saved_block.value + 2 * messages);
}

planned_job plan_import(const planning_scene &scene, const std::string &name, const json &request,
                        const std::string &root) {
    constexpr std::size_t longest_header = 16 << 10; // npy.hpp takes at most 10000 bytes
    fields read(request);
    const auto parts = parse_file_path(read.text("file"));
    if (is_hdf5(parts))
        return plan_import_hdf5(scene, name, request, root);
    const auto asked = read.find_text("type");
    read.finish();
    const confined_file file(root, parts);
    if (!file.is_there())
        throw refusal(404, "not_found", "there is no file '" + file.name() + "'");
    const confined_file::content bytes = file.read(longest_header);
    const std::string_view start(bytes.start);
    const index_t header_size = tensor_impl::npy_header_size(
        file.name(), start.substr(0, static_cast<std::size_t>(tensor_impl::npy_prefix_size)),
        bytes.size);
    const tensor_impl::npy_header header = tensor_impl::parse_npy_header(
        file.name(), start.substr(0, static_cast<std::size_t>(header_size)), bytes.size);
    const data_type type = asked ? parse_element_type(*asked) : header.element.type();
    check_becomes(header, type);
    planned_job result;
    result.kind = "import";
    result.output = new_record(scene, name, type, header.shape);
    result.bytes = result.output->total_bytes();
    result.memory = {result.output->bytes, file_memory(scene.ranks, result.bytes)};
    result.work = {{"do", "import"}, {"root", root}, {"parts", parts}};
    return result;
}

planned_job plan_export(const tensor_record &what, const json &request, const std::string &root) {
    fields read(request);
    const auto parts = parse_file_path(read.text("file"));
    const auto dataset = find_dataset(read, parts);
    read.finish();
    const confined_file file(root, parts); // so that what is wrong is told at once
    planned_job result;
    result.kind = "export";
    result.bytes = what.total_bytes();
    result.memory.temporary = file_memory(static_cast<int>(what.bytes.size()), result.bytes);
    result.work = {{"do", "export"}, {"root", root}, {"parts", parts}};
    if (dataset)
        result.work["dataset"] = result.about["dataset"] = *dataset;
    return result;
}

planned_job plan_restore(const planning_scene &scene, const saved_tensor &what,
                         const std::string &folder) {
    planned_job result;
    result.kind = "restore";
    result.output = new_record(scene, what.name, what.type, what.extents);
    result.bytes = result.output->total_bytes();
    result.memory = {result.output->bytes, file_memory(scene.ranks, result.bytes)};
    result.work = {{"do", "load"}, {"file", folder + "/" + what.file()}};
    result.restores = what.id;
    return result;
}

planned_job plan_download(const tensor_record &what, const slice &box, bool npy,
                          memory_order order) {
    planned_job result;
    result.kind = "download";
    result.bytes = bytes_in(box, what.type);
    result.memory.temporary = transfer_memory(static_cast<int>(what.bytes.size()), result.bytes);
    result.download_type = npy ? "application/x-npy" : "application/octet-stream";
    result.work = {{"do", "download"},
                   {"npy", npy},
                   {"fortran_order", order == memory_order::fortran},
                   {"box", box_json(box)}};
    return result;
}

} // namespace tenfold::server
