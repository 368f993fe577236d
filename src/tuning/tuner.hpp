// Tunes plans: by wisdom, or else by a search on scratch memory.
//
// `estimate` measures nothing and takes what wisdom has. A search is skipped if wisdom has one of
// the requested level or a higher one. If something prevents tuning (memory, a file), the text says
// so and the estimate stays.
#pragma once

#include <mutex>
#include <string>

#include <omp.h>

#include <tenfold/error.hpp>

#include "tuning/measuring.hpp"
#include "tuning/wisdom.hpp"

namespace tenfold::tuning_impl {

/// Tunes one plan. A derived class defines the choices of its kind of plan and how to search them.
template <class Choice> class tuner {
public:
    /// `known` is null if there is no wisdom.
    tuner(tenfold::tuning level, wisdom<Choice> *known) : level_(level), known_(known) {}
    virtual ~tuner() = default;
    tuner(const tuner &) = delete;
    tuner &operator=(const tuner &) = delete;

    /// Tunes one choice and returns how it was made; empty if it is the estimate. `key` names the
    /// problem in wisdom. Without `searches`, only wisdom is asked, and its choice is taken
    /// whatever its level.
    std::string tune(const std::string &key, bool searches) {
        if (std::string how = recall(key, searches); !how.empty() || !searches)
            return how;
        const std::lock_guard alone(measuring());
        // Another thread may just have measured the same problem.
        if (std::string how = recall(key, searches); !how.empty())
            return how;
        const std::string level = std::string(name(level_)) + ": ";
        try {
            refuse_within_parallel_region();
            const Choice choice = search(level_);
            adopt(choice);
            if (known_ != nullptr)
                note(unsaved_, known_->remember(key, choice));
            return level + describe(choice);
        } catch (const error &why) {
            return level + "the estimate, not measured: " + why.what();
        }
    }

    /// Returns lines on what went wrong with wisdom; each begins with `title`.
    std::string faults(const std::string &title) const {
        std::string lines;
        if (!ignored_.empty())
            lines += title + "ignored: " + ignored_ + "\n";
        if (!unsaved_.empty())
            lines += title + "not saved: " + unsaved_ + "\n";
        return lines;
    }

private:
    /// Throws tenfold::error if the estimate is to stay.
    virtual Choice search(tenfold::tuning level) = 0;
    /// Makes it the plan's choice; returns false if the plan has no such choice.
    virtual bool adopt(const Choice &choice) = 0;
    virtual std::string describe(const Choice &choice) const = 0;

    static void refuse_within_parallel_region() {
        if (omp_in_parallel())
            throw error(errc::unsupported,
                        "inside a parallel region other threads would be measured too");
    }

    /// Takes wisdom's choice, if there is one of the requested level or higher.
    std::string recall(const std::string &key, bool searches) {
        if (known_ == nullptr)
            return {};
        const typename wisdom<Choice>::answer answer = known_->look_up(key);
        note(ignored_, answer.fault);
        if (!answer.found || (searches && answer.found->level < level_))
            return {};
        if (adopt(*answer.found))
            return std::string(name(answer.found->level)) + ": " + describe(*answer.found) +
                   ", from wisdom " + known_->file();
        note(ignored_, known_->file() + ": its choice, '" + answer.found->text() +
                           "', is none of the candidates");
        return {};
    }

    /// Keeps only the first fault; others follow from it.
    static void note(std::string &fault, const std::string &another) {
        if (fault.empty())
            fault = another;
    }

    tenfold::tuning level_;
    wisdom<Choice> *known_;
    std::string ignored_;
    std::string unsaved_;
};

} // namespace tenfold::tuning_impl
