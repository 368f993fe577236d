// Transfers of bulk data: from a request to a ticket, and to their end. docs/server.md says how
// clients use them.
//
// A transfer is opened by a job, because all ranks must know of it. Until it ends, it pins a
// tensor: of a download the one that is read, so that a job that writes a part of it makes a copy;
// of an upload a new one without a name, to which no job has access before the transfer is
// committed.
#include "apps/server/request_handler.hpp"

namespace tenfold::server {

using nlohmann::json;

namespace {

json box_json(const slice &box) { return {{"offsets", box.offsets}, {"extents", box.extents}}; }

slice whole(const extents_t &extents) { return {extents_t(extents.size(), 0), extents}; }

} // namespace

void service::end_transfer(transfer &what) {
    if (what.state == transfer_state::open)
        tensors_.unpin(what.tensor);
    what.state = transfer_state::ended;
    what.tensor = nullptr;
    what.secret.clear();
    closes_.push_back(what.number);
    transfers_.erase(what.number); // lastly: `what` may be the last one who has it
    changed_.notify_all();
}

void service::end_late_transfers(job::clock::time_point now) {
    std::vector<transfer_pointer> late;
    for (const auto &[number, one] : transfers_)
        if (one->state == transfer_state::open && one->until < now)
            late.push_back(one);
    for (const transfer_pointer &one : late)
        end_transfer(*one);
}

void service::settle_transfer(job &what, bool is_done) {
    if (const transfer_pointer opened = what.plan.opens) {
        if (!is_done)
            return end_transfer(*opened);
        opened->tensor = opened->is_upload ? what.plan.output : what.inputs.front();
        tensors_.pin(opened->tensor);
        opened->until = transfer::clock::now() + std::chrono::seconds(opened->seconds);
        opened->state = transfer_state::open;
        what.result["transfer"] = opened->id();
    }
    if (const transfer_pointer committed = what.plan.commits) {
        if (is_done && committed->former == 0) { // the elements stay where they are
            what.plan.output->storage = std::exchange(committed->tensor->storage, 0);
            committed->tensor->bytes.assign(committed->tensor->bytes.size(), 0);
        }
        end_transfer(*committed);
    }
}

transfer_pointer request_handler::transfer_of_user() const {
    const auto number = number_of(request.parameter, 'x');
    const auto found = number ? of.transfers_.find(*number) : of.transfers_.end();
    if (found == of.transfers_.end() || found->second->user != request.user ||
        found->second->state == transfer_state::opening)
        throw refusal(404, "no_transfer",
                      "there is no transfer '" + request.parameter + "'; it may have ended");
    if (found->second->state == transfer_state::committing)
        throw refusal(409, "committing", "'" + request.parameter + "' is being committed");
    return found->second;
}

void request_handler::show_transfer() {
    const guard lock(of.mutex_);
    respond({{"transfer", transfer_of_user()->ticket()}});
}

void request_handler::close_transfer() {
    const guard lock(of.mutex_);
    const transfer_pointer what = transfer_of_user();
    of.end_transfer(*what);
    respond({{"ended", what->id()}});
}

job_pointer request_handler::open(const transfer_pointer &made, planned_job plan,
                                  pinned *operands) {
    made->user = request.user;
    made->secret = new_token();
    made->endpoints = of.options_.bulk;
    {
        const guard lock(of.mutex_);
        std::size_t open = 0;
        for (const auto &[number, one] : of.transfers_)
            open += one->user == request.user ? 1U : 0U;
        if (open >= most_transfers)
            throw refusal(429, "too_many_transfers",
                          "a user may have " + std::to_string(most_transfers) +
                              " transfers at a time");
        made->number = ++of.last_transfer_;
        of.transfers_.emplace(made->number, made);
    }
    plan.opens = made;
    plan.work = {{"do", "open"},
                 {"transfer", made->number},
                 {"secret", to_hex(hash_of(made->secret))},
                 {"upload", made->is_upload},
                 {"seconds", made->seconds},
                 {"fortran_order", made->order == memory_order::fortran},
                 {"box", box_json(made->is_upload ? whole(made->box.extents) : made->box)}};
    try {
        return submit(std::move(plan), operands);
    } catch (...) {
        const guard lock(of.mutex_);
        of.transfers_.erase(made->number); // no rank knows of it
        throw;
    }
}

transfer_request request_handler::asked_transfer(bool is_upload) const {
    if (of.options_.bulk.empty())
        throw refusal(409, "no_bulk", "the server offers no bulk data; send it by /data");
    return transfer_request::parse(parse_object(body), is_upload);
}

job_pointer request_handler::open_upload() {
    const transfer_request asked = asked_transfer(true);
    const auto made = std::make_shared<transfer>();
    made->is_upload = true;
    made->order = asked.order;
    made->seconds = asked.seconds;
    data_type type = asked.type.value_or(data_type::f64);
    if (asked.slice_text) {
        const guard lock(of.mutex_);
        const tensor_pointer former =
            of.resolve(request.user, {request.parameter, asked.generation}, access_right::write);
        made->box = parse_slice(*asked.slice_text, *former);
        made->former = former->id;
        type = former->type;
    } else {
        made->box = whole(*asked.extents);
    }
    planned_job plan;
    plan.kind = "open_upload";
    plan.output = new_record(scene(), request.parameter, type, made->box.extents);
    plan.memory.output = plan.output->bytes;
    return open(made, std::move(plan), nullptr);
}

job_pointer request_handler::open_download() {
    const transfer_request asked = asked_transfer(false);
    pinned operands(*this, {operand{request.parameter, asked.generation}});
    const tensor_record &what = *operands.inputs[0];
    const auto made = std::make_shared<transfer>();
    made->box = asked.slice_text ? parse_slice(*asked.slice_text, what) : whole(what.extents());
    made->order = asked.order;
    made->seconds = asked.seconds;
    planned_job plan;
    plan.kind = "open_download";
    plan.bytes = 0; // clients read them from ranks, beside jobs
    return open(made, std::move(plan), &operands);
}

job_pointer request_handler::commit_transfer() {
    transfer_pointer what;
    tensor_pointer staging, former;
    planned_job plan;
    {
        const guard lock(of.mutex_);
        what = transfer_of_user();
        if (!what->is_upload)
            throw wrong_request("'" + what->id() + "' is a download, which needs no commit");
        staging = what->tensor;
        if (what->former != 0)
            former = of.resolve(request.user, {staging->name_for(request.user), what->former},
                                access_right::write);
        what->state = transfer_state::committing;
        if (former)
            of.tensors_.pin(former);
    }
    try {
        plan.kind = "commit";
        plan.commits = what;
        plan.bytes = staging->total_bytes();
        plan.work = {{"do", "commit"}, {"transfer", what->number}};
        std::vector<tensor_pointer> inputs{staging};
        plan.output = new_record(scene(), staging->name_for(request.user), staging->type,
                                 former ? former->extents() : staging->extents());
        if (former) {
            inputs.insert(inputs.begin(), former);
            plan.memory = {plan.output->bytes, part_memory(*former, what->box)};
            plan.updates = former->id;
            plan.overwrites = true;
            plan.work["box"] = box_json(what->box);
        }
        return of.submit(request.user, std::move(plan), std::move(inputs), nullptr);
    } catch (...) {
        const guard lock(of.mutex_);
        what->state = transfer_state::open; // the client may ask again
        if (former)
            of.tensors_.unpin(former);
        throw;
    }
}

} // namespace tenfold::server
