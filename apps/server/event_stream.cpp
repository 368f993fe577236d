#include "apps/server/event_stream.hpp"

#include "apps/server/refusal.hpp"

namespace tenfold::server {

void event_stream::add(std::string_view event, const nlohmann::json &data) {
    append("event: " + std::string(event) + "\ndata: " + json_text(data) + "\n\n");
}

void event_stream::keep_alive() { append(":\n\n"); }

void event_stream::append(std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (is_finished_ || is_dropped_)
        return;
    if (waiting_.size() + text.size() > most_waiting_bytes) {
        is_dropped_ = true;
        waiting_ = {};
        is_listening_ = true; // even if it still sends: it need not go on
    } else {
        waiting_ += text;
    }
    call();
}

void event_stream::finish() {
    const std::lock_guard lock(mutex_);
    is_finished_ = true;
    call();
}

void event_stream::abandon() {
    const std::lock_guard lock(mutex_);
    is_dropped_ = true;
    waiting_ = {};
    wake_ = nullptr;
}

bool event_stream::is_over() const {
    const std::lock_guard lock(mutex_);
    return is_finished_ || is_dropped_;
}

event_stream::piece event_stream::take() {
    const std::lock_guard lock(mutex_);
    is_listening_ = waiting_.empty() && !is_finished_ && !is_dropped_;
    return {std::exchange(waiting_, {}), is_finished_, is_dropped_};
}

void event_stream::listen(std::function<void()> wake) {
    const std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
}

void event_stream::call() {
    if (std::exchange(is_listening_, false) && wake_)
        wake_();
}

} // namespace tenfold::server
