#include "compat/tapp/settings.hpp"

#include <string>
#include <utility>

#include <tenfold/tenfold.h>

#include "compat/tapp/failure.hpp"

namespace tenfold::tapp_impl {
namespace {

/// Throws for numbers beyond the bounds.
int number_between(int low, int high, std::intptr_t value, const char *what) {
    if (value < low || value > high)
        throw failure(TENFOLD_TAPP_VALUE, std::string(what) + " is " + std::to_string(value) +
                                              ", not one of " + std::to_string(low) + " to " +
                                              std::to_string(high));
    return static_cast<int>(value);
}

[[noreturn]] void refuse_key(TAPP_key key, const char *object) {
    throw failure(TENFOLD_TAPP_KEY,
                  std::string(object) + " has no attribute of key " + std::to_string(key));
}

/// An enumerator by its number in the C interface, whose names both interfaces know.
template <class E, class Parse>
E enumerator_named(const char *name, Parse parse, std::intptr_t value, const char *what) {
    const std::optional<E> found = parse(name);
    if (!found)
        throw failure(TENFOLD_TAPP_VALUE,
                      std::string(what) + " is " + std::to_string(value) + ", which has no name");
    return *found;
}

/// A number that fits the C interface's enumerations; others become one that none has.
std::int32_t narrowed(std::intptr_t value) noexcept {
    return std::in_range<std::int32_t>(value) ? static_cast<std::int32_t>(value) : -1;
}

/// False for a key that is none of theirs.
bool set_choice(choices &chosen, TAPP_key key, std::intptr_t value) {
    switch (key) {
    case TENFOLD_TAPP_THREADS:
        chosen.threads = number_between(1, 4096, value, "the number of threads");
        return true;
    case TENFOLD_TAPP_WORKSPACE_LIMIT:
        if (value < 0)
            throw failure(TENFOLD_TAPP_VALUE,
                          "the workspace limit is " + std::to_string(value) + " bytes");
        chosen.workspace_limit = bytes(value);
        return true;
    case TENFOLD_TAPP_REPRODUCIBLE:
        chosen.reproducible = number_between(0, 1, value, "reproducible") == 1;
        return true;
    case TENFOLD_TAPP_TUNING:
        chosen.tuning = static_cast<tuning>(number_between(0, 2, value, "the tuning"));
        return true;
    default:
        return false;
    }
}

template <class T> std::intptr_t number_of(const std::optional<T> &value) {
    if (!value)
        throw failure(TENFOLD_TAPP_NOT_SET, "the attribute was not set");
    if constexpr (std::is_same_v<T, byte_count>)
        return value->value;
    else
        return static_cast<std::intptr_t>(*value);
}

/// Empty for a key that is none of theirs.
std::optional<std::intptr_t> get_choice(const choices &chosen, TAPP_key key) {
    switch (key) {
    case TENFOLD_TAPP_THREADS:
        return number_of(chosen.threads);
    case TENFOLD_TAPP_WORKSPACE_LIMIT:
        return number_of(chosen.workspace_limit);
    case TENFOLD_TAPP_REPRODUCIBLE:
        return number_of(chosen.reproducible);
    case TENFOLD_TAPP_TUNING:
        return number_of(chosen.tuning);
    default:
        return std::nullopt;
    }
}

bool clear_choice(choices &chosen, TAPP_key key) noexcept {
    switch (key) {
    case TENFOLD_TAPP_THREADS:
        chosen.threads.reset();
        return true;
    case TENFOLD_TAPP_WORKSPACE_LIMIT:
        chosen.workspace_limit.reset();
        return true;
    case TENFOLD_TAPP_REPRODUCIBLE:
        chosen.reproducible.reset();
        return true;
    case TENFOLD_TAPP_TUNING:
        chosen.tuning.reset();
        return true;
    default:
        return false;
    }
}

/// The process's, which is not destroyed.
std::shared_ptr<const context> global_context() {
    return {&context::global(), [](const context *) {}};
}

} // namespace

contract_options surroundings::options() const {
    return {.tuning = chosen.tuning.value_or(tuning::estimate),
            .workspace_limit = chosen.workspace_limit,
            .threads = chosen.threads.value_or(0),
            .reproducible = chosen.reproducible,
            .diagonal_output = true,
            .ctx = context.get()};
}

handle::handle() : context(global_context()) {}

namespace {

/// A context with what the handle has set.
std::shared_ptr<const context> context_with(const handle &set) {
    settings wanted = settings::from_environment();
    wanted.threads = set.chosen.threads.value_or(wanted.threads);
    wanted.workspace_limit = set.chosen.workspace_limit.value_or(wanted.workspace_limit);
    wanted.reproducible = set.chosen.reproducible.value_or(wanted.reproducible);
    if (set.isa)
        wanted.isa = set.isa;
    wanted.backend = set.backend.value_or(wanted.backend);
    wanted.wisdom = set.wisdom.value_or(wanted.wisdom);
    return std::make_shared<const context>(wanted);
}

/// Changes the handle as `change` says, if a context can be had then.
template <class Change> void change(handle &which, const Change &change) {
    handle changed;
    changed.chosen = which.chosen;
    changed.isa = which.isa;
    changed.backend = which.backend;
    changed.wisdom = which.wisdom;
    change(changed);
    which.context = context_with(changed);
    which.chosen = changed.chosen;
    which.isa = changed.isa;
    which.backend = changed.backend;
    which.wisdom.swap(changed.wisdom);
}

} // namespace

void handle::set(TAPP_key key, std::intptr_t value) {
    change(*this, [&](handle &changed) {
        if (set_choice(changed.chosen, key, value))
            return;
        switch (key) {
        case TENFOLD_TAPP_ISA:
            changed.isa = enumerator_named<tenfold::isa>(tenfold_isa_name(narrowed(value)),
                                                         parse_isa, value, "the instruction set");
            return;
        case TENFOLD_TAPP_BACKEND:
            changed.backend = enumerator_named<tenfold::backend>(
                tenfold_backend_name(narrowed(value)), parse_backend, value, "the back end");
            return;
        case TENFOLD_TAPP_WISDOM:
            if (value == 0)
                throw failure(TENFOLD_TAPP_VALUE, "the path of the wisdom file is null");
            changed.wisdom = reinterpret_cast<const char *>(value);
            return;
        default:
            refuse_key(key, "a handle");
        }
    });
}

std::intptr_t handle::get(TAPP_key key) const {
    if (const auto found = get_choice(chosen, key))
        return *found;
    switch (key) {
    case TENFOLD_TAPP_ISA:
        return number_of(isa) + TENFOLD_ISA_GENERIC;
    case TENFOLD_TAPP_BACKEND:
        return number_of(backend) + TENFOLD_BACKEND_NATIVE;
    case TENFOLD_TAPP_WISDOM:
        if (!wisdom)
            throw failure(TENFOLD_TAPP_NOT_SET, "the attribute was not set");
        return reinterpret_cast<std::intptr_t>(wisdom->c_str());
    default:
        refuse_key(key, "a handle");
    }
}

void handle::clear(TAPP_key key) {
    change(*this, [&](handle &changed) {
        if (clear_choice(changed.chosen, key))
            return;
        switch (key) {
        case TENFOLD_TAPP_ISA:
            changed.isa.reset();
            return;
        case TENFOLD_TAPP_BACKEND:
            changed.backend.reset();
            return;
        case TENFOLD_TAPP_WISDOM:
            changed.wisdom.reset();
            return;
        default:
            refuse_key(key, "a handle");
        }
    });
}

void executor::set(TAPP_key key, std::intptr_t value) {
    if (set_choice(chosen, key, value))
        return;
    if (key != TENFOLD_TAPP_CONTEXT)
        refuse_key(key, "an executor");
    const handle *const given = find<handle>(value);
    if (given == nullptr)
        throw failure(TENFOLD_TAPP_HANDLE, std::to_string(value) + " is no handle");
    of_handle = given->as_surroundings();
    handle_number = value;
}

std::intptr_t executor::get(TAPP_key key) const {
    if (const auto found = get_choice(chosen, key))
        return *found;
    if (key != TENFOLD_TAPP_CONTEXT)
        refuse_key(key, "an executor");
    if (handle_number == 0)
        throw failure(TENFOLD_TAPP_NOT_SET, "the attribute was not set");
    return handle_number;
}

void executor::clear(TAPP_key key) {
    if (clear_choice(chosen, key))
        return;
    if (key != TENFOLD_TAPP_CONTEXT)
        refuse_key(key, "an executor");
    handle_number = 0;
    of_handle = {};
}

surroundings executor::in_place_of(const surroundings &own) const {
    surroundings made = handle_number != 0 ? of_handle : own;
    made.chosen.threads = chosen.threads;
    made.chosen.workspace_limit = chosen.workspace_limit;
    made.chosen.reproducible = chosen.reproducible;
    if (chosen.tuning)
        made.chosen.tuning = chosen.tuning;
    return made;
}

} // namespace tenfold::tapp_impl
