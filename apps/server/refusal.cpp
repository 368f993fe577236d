#include "apps/server/refusal.hpp"

namespace tenfold::server {
namespace {

using nlohmann::json;

json operand_json(const error_operand &operand) {
    json fields = json::object();
    if (!operand.name.empty())
        fields["name"] = operand.name;
    if (operand.mode)
        fields["mode"] = *operand.mode;
    if (operand.extent)
        fields["extent"] = *operand.extent;
    if (operand.order)
        fields["order"] = *operand.order;
    if (operand.type)
        fields["type"] = name(*operand.type);
    return fields;
}

int status_of(errc code) noexcept {
    switch (code) {
    case errc::workspace_too_small:
    case errc::out_of_memory:
        return 507;
    case errc::stopped:
        return 409;
    case errc::unsupported:
        return 501;
    case errc::ok:
    case errc::disagreement:
    case errc::communication:
        return 500;
    default:
        return 400;
    }
}

} // namespace

json refusal::to_json() const {
    json value = fields_;
    value["code"] = code_;
    value["message"] = what();
    return value;
}

refusal wrong_request(const std::string &message) {
    return {400, std::string(name(errc::invalid_argument)), message};
}

refusal as_refusal(const error &problem) {
    const error_details &details = problem.details();
    json fields = json::object();
    if (!details.label.empty())
        fields["label"] = details.label;
    if (details.first != error_operand())
        fields["first"] = operand_json(details.first);
    if (details.second != error_operand())
        fields["second"] = operand_json(details.second);
    if (details.position)
        fields["position"] = *details.position;
    if (details.least)
        fields["least"] = details.least->value;
    return {status_of(problem.code()), std::string(name(problem.code())), problem.what(),
            std::move(fields)};
}

std::string json_text(const json &value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace tenfold::server
