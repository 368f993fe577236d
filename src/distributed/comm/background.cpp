#include "distributed/comm/background.hpp"

#include <algorithm>
#include <string>

#include <tenfold/error.hpp>

#include "distributed/comm/communicator.hpp"

namespace tenfold::dist_impl {
namespace {

/// Every MPI has tags up to 32767. Operations have one after the other, so that none has that of
/// an operation which is still under way.
constexpr int first_tag = 16;
constexpr std::uint64_t tags = 1 << 14;

/// More of them are hardly meant; all are looked at in every wait.
constexpr std::size_t most_operations = 256;

int tag_of(std::uint64_t begun) noexcept { return first_tag + static_cast<int>(begun % tags); }

} // namespace

background_work::background_work(const world &where, const char *operation, std::uint64_t written)
    : where_(where), comm_(internals::of(where)), operation_(operation), written_(written) {}

void background_work::enter() noexcept {
    comm_.begin_background(*this);
    is_listed_ = true;
}

void background_work::finish() {
    comm_.wait_for_background(*this);
    comm_.end_background(*this);
    is_listed_ = false;
}

void background_work::leave() noexcept {
    if (!is_listed_)
        return;
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (finalised != 0 && !is_through()) {
        comm_.abandon_messages();
    } else if (!is_through()) {
        const inside_library here(comm_);
        try {
            comm_.wait_for_background(*this);
        } catch (...) {
            take_back();
        }
    }
    comm_.end_background(*this);
    is_listed_ = false;
}

void communicator::prepare_background() {
    const int tag = tag_of(background_begun_);
    const bool is_taken =
        std::any_of(background_.begin(), background_.end(),
                    [tag](const background_work *one) { return one->tag() == tag; });
    if (is_taken || background_.size() >= most_operations)
        throw error(errc::invalid_argument, std::to_string(background_.size()) +
                                                " operations are under way; wait for the first of "
                                                "them before the next begins");
    background_.reserve(background_.size() + 1);
}

void communicator::begin_background(background_work &work) noexcept {
    work.call_ = calls_;
    work.tag_ = tag_of(background_begun_++);
    background_.push_back(&work);
    if (presence_ != nullptr && background_.size() == 1)
        presence_->owe_since(calls_);
}

void communicator::end_background(const background_work &work) noexcept {
    std::erase(background_, &work);
    if (presence_ != nullptr)
        presence_->owe_since(background_.empty() ? UINT64_MAX : background_.front()->call());
}

void communicator::expect_not_written(std::string_view what, std::uint64_t number) const {
    for (const background_work *one : background_)
        if (one->written() == number)
            throw error(errc::invalid_argument, std::string(what) + " is the output of " +
                                                    one->operation() + ", collective call " +
                                                    std::to_string(one->call()) +
                                                    ", which is under way; wait for it first");
}

} // namespace tenfold::dist_impl
