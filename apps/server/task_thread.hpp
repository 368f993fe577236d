// Tasks that run one at a time, in their order.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "apps/server/slices.hpp"

namespace tenfold::server {

/// Runs tasks on a thread of its own, or on the caller's.
class task_thread {
public:
    task_thread() : thread_([this] { work(); }) {}
    /// Runs what is there and ends.
    ~task_thread() {
        {
            const std::lock_guard lock(mutex_);
            ends_ = true;
        }
        changed_.notify_one();
        thread_.join();
    }
    task_thread(const task_thread &) = delete;
    task_thread &operator=(const task_thread &) = delete;

    /// `task` does not throw.
    void post(std::function<void()> task) {
        {
            const std::lock_guard lock(mutex_);
            tasks_.push_back(std::move(task));
        }
        changed_.notify_one();
    }

    /// Runs the task on this thread if no other one is there, and behind the others if some are.
    void run_or_post(std::function<void()> task) {
        {
            const std::lock_guard lock(mutex_);
            if (is_running_ || !tasks_.empty()) {
                tasks_.push_back(std::move(task));
                return; // who runs the others wakes the thread
            }
            is_running_ = true;
        }
        task();
        task = nullptr;
        bool has_more = false;
        {
            const std::lock_guard lock(mutex_);
            is_running_ = false;
            has_more = !tasks_.empty();
        }
        if (has_more)
            changed_.notify_one();
    }

private:
    void work() {
        ask_for_slices(slice_of_answers);
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [this] { return !is_running_ && (ends_ || !tasks_.empty()); });
            if (tasks_.empty())
                return;
            is_running_ = true;
            std::function<void()> task = std::move(tasks_.front());
            tasks_.pop_front();
            lock.unlock();
            task();
            task = nullptr;
            lock.lock();
            is_running_ = false;
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> tasks_;
    bool is_running_ = false; ///< a task, on whichever thread
    bool ends_ = false;
    std::thread thread_; ///< the last member: it uses the others
};

} // namespace tenfold::server
