#include "apps/server/planning.hpp"

#include <algorithm>

#include "tensor/npy.hpp"

namespace tenfold::server {
namespace {

using nlohmann::json;

/// Messages of a transfer: chunks that were packed and chunks that were received.
constexpr index_t chunks_at_a_time = 3;

per_rank transfer_memory(const tensor_record &what) {
    const index_t bytes = std::min(chunk_bytes, what.total_bytes());
    return per_rank(what.bytes.size(), chunks_at_a_time * bytes);
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
    planned_job result;
    result.kind = "create";
    result.output = new_record(scene, name, type, std::move(extents));
    result.memory.output = result.output->bytes;
    result.work = {{"do", "create"}, {"fill", std::move(fill)}};
    return result;
}

} // namespace

tensor_pointer new_record(const planning_scene &scene, const std::string &name, data_type type,
                          extents_t extents) {
    if (!is_tensor_name(name))
        throw wrong_request("a tensor's name has 1 to 128 letters, digits, '_', '-' and '.', and "
                            "does not begin with '.'");
    static_cast<void>(storage_bytes(layout(extents), type)); // throws if that is too much
    auto record = std::make_shared<tensor_record>();
    record->id = 0;
    record->user = scene.user;
    record->name = name;
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
    planned_job result =
        fill_job(scene, former.name, former.type, former.extents(), std::move(fill));
    result.kind = "fill";
    result.updates = former.id;
    return result;
}

planned_job plan_upload(const planning_scene &scene, const std::string &name,
                        const upload_format &format, std::shared_ptr<std::string> body) {
    const std::string source = "the body";
    const auto size = static_cast<index_t>(body->size());
    tensor_impl::npy_header header{};
    if (format.raw) {
        header.element = tensor_impl::npy_element::of(format.type.value_or(data_type::f64));
        header.fortran_order = format.order == memory_order::fortran;
        header.shape = *format.raw;
        header.data_offset = 0;
        const index_t expected =
            storage_bytes(layout(header.shape), format.type.value_or(data_type::f64)).value;
        if (expected != size)
            throw refusal(400, std::string(tenfold::name(errc::invalid_argument)),
                          "the body has " + std::to_string(size) + " bytes, the tensor " +
                              std::to_string(expected),
                          {{"expected", expected}, {"got", size}});
    } else {
        const std::string_view bytes(*body);
        const index_t header_size = tensor_impl::npy_header_size(
            source, bytes.substr(0, static_cast<std::size_t>(tensor_impl::npy_prefix_size)), size);
        header = tensor_impl::parse_npy_header(
            source, bytes.substr(0, static_cast<std::size_t>(header_size)), size);
    }
    const data_type type = format.type.value_or(header.element.type());
    if (!is_arithmetic(type) || !header.element.becomes(type))
        throw error(errc::type_mismatch, "the body holds " + header.element.name() +
                                             ", which does not become " +
                                             std::string(tenfold::name(type)));
    planned_job result;
    result.kind = "upload";
    result.output = new_record(scene, name, type, header.shape);
    result.memory = {result.output->bytes, transfer_memory(*result.output)};
    result.bytes = size;
    result.body = std::move(body);
    result.work = {{"do", "upload"},
                   {"element", header.element.descr()},
                   {"fortran_order", header.fortran_order},
                   {"offset", header.data_offset}};
    return result;
}

planned_job plan_download(const tensor_record &what, bool npy, memory_order order) {
    planned_job result;
    result.kind = "download";
    result.memory.temporary = transfer_memory(what);
    result.bytes = what.total_bytes();
    result.download_type = npy ? "application/x-npy" : "application/octet-stream";
    result.work = {
        {"do", "download"}, {"npy", npy}, {"fortran_order", order == memory_order::fortran}};
    return result;
}

} // namespace tenfold::server
