// One thread that runs tasks in their order.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "apps/server/short_slices.hpp"

namespace tenfold::server {

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

private:
    void work() {
        ask_for_short_slices();
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [this] { return ends_ || !tasks_.empty(); });
            if (tasks_.empty())
                return;
            std::function<void()> task = std::move(tasks_.front());
            tasks_.pop_front();
            lock.unlock();
            task();
            task = nullptr;
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> tasks_;
    bool ends_ = false;
    std::thread thread_; ///< the last member: it uses the others
};

} // namespace tenfold::server
