// Requests that become jobs.
#include <charconv>

#include "apps/server/request_handler.hpp"

namespace tenfold::server {

using nlohmann::json;

namespace {

constexpr double default_wait = 60; ///< seconds

/// "4,3" or "" for a scalar.
extents_t parse_extents(const std::string &text) {
    extents_t extents;
    const char *at = text.data();
    const char *const end = at + text.size();
    while (at != end) {
        index_t extent = 0;
        const auto [next, failure] = std::from_chars(at, end, extent);
        if (failure != std::errc() || extent < 0 ||
            (next != end && (*next != ',' || next + 1 == end)) ||
            extents.size() == static_cast<std::size_t>(most_modes))
            throw wrong_request("extents: expected numbers such as 4,3");
        extents.push_back(extent);
        at = next == end ? end : next + 1;
    }
    return extents;
}

memory_order parse_order(const request_target &target, memory_order otherwise) {
    const auto text = target.find("order");
    if (text && *text != "C" && *text != "F")
        throw wrong_request("order: expected C or F");
    return !text ? otherwise : *text == "F" ? memory_order::fortran : memory_order::c;
}

bool parse_npy(const request_target &target) {
    const std::string format = target.find("format").value_or("npy");
    if (format != "npy" && format != "raw")
        throw wrong_request("format: expected npy or raw");
    return format == "npy";
}

/// A slice of a tensor says what a raw body's type and extents are.
struct known_format {
    const tensor_record *whole = nullptr;
    const slice *box = nullptr;
};
upload_format upload_format_of(const request_target &target, const known_format &known = {}) {
    upload_format format;
    const auto type = target.find("type");
    const auto extents = target.find("extents");
    if (type)
        format.type = parse_element_type(*type);
    if (parse_npy(target)) {
        if (extents || target.find("order"))
            throw wrong_request("an .npy body says extents and order itself");
        return format;
    }
    if (known.box == nullptr && (!type || !extents))
        throw wrong_request("a raw body needs type and extents");
    if (!type)
        format.type = known.whole->type;
    format.raw = extents ? parse_extents(*extents) : known.box->extents;
    format.order = parse_order(target, memory_order::c);
    return format;
}

} // namespace

request_handler::pinned::pinned(request_handler &handler, const std::vector<operand> &names,
                                const std::string *output)
    : of(handler.of) {
    const guard lock(of.mutex_);
    for (const operand &one : names)
        inputs.push_back(of.resolve(handler.request.user, one));
    if (output != nullptr)
        former = of.find(handler.request.user, *output);
    for (const tensor_pointer &one : all())
        of.tensors_.pin(one);
}

request_handler::pinned::~pinned() {
    if (taken_over)
        return;
    const guard lock(of.mutex_);
    for (const tensor_pointer &one : all())
        of.tensors_.unpin(one);
    of.changed_.notify_all();
}

void request_handler::pinned::forget_former() {
    const guard lock(of.mutex_);
    if (former)
        of.tensors_.unpin(former);
    former = nullptr;
}

std::vector<tensor_pointer> request_handler::pinned::all() const {
    std::vector<tensor_pointer> list = inputs;
    if (former)
        list.push_back(former);
    return list;
}

void request_handler::run_job() {
    const bool is_download = request.what->what == operation::download;
    if (is_download)
        request.target.check_query({"format", "order", "slice", "generation", "wait"});
    else if (request.what->what != operation::upload)
        request.target.check_query({"wait"});
    const double wait = wait_of_query(is_download ? most_wait : default_wait);
    if (is_download && wait == 0)
        throw wrong_request("wait: a download is the answer to its request, which must wait");
    std::optional<token_hash> hash;
    if (!request.idempotency_key.empty() && !is_download) {
        auto query = request.target.query;
        query.erase("wait"); // who asks again may wait longer, or not at all
        hash = hash_of(to_hex(hash_of(body)) + std::string(request.what->name) + request.parameter +
                       json(query).dump(-1, ' ', true, json::error_handler_t::replace));
        if (const job_pointer former = asked_before(*hash))
            return wait_for(former, wait, false);
    }
    const job_pointer made = make_job();
    if (hash) {
        const guard lock(of.mutex_);
        made->key = request.idempotency_key;
        if (!made->ended_with_server())
            of.keys_.insert_or_assign({request.user, request.idempotency_key},
                                      service::kept_answer{*hash, made});
    }
    wait_for(made, wait, false);
}

job_pointer request_handler::asked_before(const token_hash &hash) const {
    const guard lock(of.mutex_);
    const auto found = of.keys_.find({request.user, request.idempotency_key});
    if (found == of.keys_.end())
        return nullptr;
    if (found->second.request != hash)
        throw refusal(422, "key_reused", "the Idempotency-Key belongs to another request");
    return found->second.job;
}

job_pointer request_handler::submit(planned_job plan, pinned *operands) {
    std::vector<tensor_pointer> inputs;
    if (operands != nullptr) {
        if (plan.updates == 0)
            operands->forget_former();
        inputs = operands->all();
    }
    const job_pointer made =
        of.submit(request.user, std::move(plan), std::move(inputs), std::move(request.staging));
    if (operands != nullptr)
        operands->taken_over = true;
    return made;
}

job_pointer request_handler::make_job() {
    switch (request.what->what) {
    case operation::create_tensor:
        return create();
    case operation::fill_tensor: {
        pinned operands(*this, {operand{request.parameter}});
        return submit(plan_fill(scene(), parse_object(body), *operands.inputs[0]), &operands);
    }
    case operation::upload:
        return upload();
    case operation::download: {
        pinned operands(*this, {target_operand()});
        const tensor_record &what = *operands.inputs[0];
        const auto part = request.target.find("slice");
        const slice box = part ? parse_slice(*part, what)
                               : slice{extents_t(what.extents().size(), 0), what.extents()};
        return submit(plan_download(what, box, parse_npy(request.target),
                                    parse_order(request.target, memory_order::fortran)),
                      &operands);
    }
    case operation::contract: {
        const contract_request asked = contract_request::parse(parse_object(body), true);
        pinned operands(*this, asked.inputs, &asked.output);
        return submit(
            plan_contract(scene(),
                          {.request = asked, .inputs = operands.inputs, .former = operands.former}),
            &operands);
    }
    case operation::save_checkpoint: {
        std::unique_lock lock(of.mutex_);
        planned_job plan = of.plan_save();
        lock.unlock();
        return submit(std::move(plan), nullptr);
    }
    case operation::restore_tensor:
        return restore();
    case operation::import_tensor:
        return submit(plan_import(scene(), request.parameter, parse_object(body), of.root()),
                      nullptr);
    case operation::export_tensor: {
        pinned operands(*this, {operand{request.parameter}});
        return submit(plan_export(*operands.inputs[0], parse_object(body), of.root()), &operands);
    }
    case operation::describe_file:
        return submit(plan_describe(scene(), parse_object(body), of.root()), nullptr);
    case operation::run_program:
        return run_program();
    case operation::open_upload:
        return open_upload();
    case operation::open_download:
        return open_download();
    case operation::commit_transfer:
        return commit_transfer();
    case operation::map: {
        const element_request asked = element_request::parse_map(parse_object(body));
        pinned operands(*this, asked.inputs);
        return submit(plan_map(scene(), asked, operands.inputs), &operands);
    }
    default: {
        const element_request asked = element_request::parse_reduce(parse_object(body));
        pinned operands(*this, asked.inputs);
        return submit(plan_reduce(scene(), asked, operands.inputs), &operands);
    }
    }
}

job_pointer request_handler::create() {
    planned_job plan = plan_create(scene(), parse_object(body));
    plan.needs_new_name = true;
    {
        const guard lock(of.mutex_);
        of.check_output(request.user, *plan.output);
        if (of.tensors_.find(plan.output->user, plan.output->name))
            throw exists(plan.output->name_for(request.user));
    }
    return submit(std::move(plan), nullptr);
}

void request_handler::check_upload() const {
    request.target.check_query(
        {"format", "type", "extents", "order", "slice", "generation", "wait"});
    const guard lock(of.mutex_);
    if (request.target.find("slice")) {
        of.resolve(request.user, target_operand(), access_right::write);
        return;
    }
    if (request.target.find("generation"))
        throw wrong_request("generation: only with a slice; otherwise nothing is kept of it");
    if (new_address(request.parameter, request.user).owner != request.user)
        of.resolve(request.user, {request.parameter}, access_right::write);
    upload_format_of(request.target);
}

job_pointer request_handler::upload() {
    const auto part = request.target.find("slice");
    const auto bytes = std::make_shared<std::string>(std::move(body));
    if (!part)
        return submit(
            plan_upload(scene(), request.parameter, upload_format_of(request.target), bytes),
            nullptr);
    pinned operands(*this, {target_operand()});
    const tensor_record &former = *operands.inputs[0];
    const slice box = parse_slice(*part, former);
    return submit(plan_overwrite(scene(), former, box,
                                 upload_format_of(request.target, {&former, &box}), bytes),
                  &operands);
}

} // namespace tenfold::server
