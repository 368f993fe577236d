// GET /metrics: the text format of Prometheus, version 0.0.4.
#include <cstdio>

#include "apps/server/service.hpp"

namespace tenfold::server {
namespace {

class metrics_text {
public:
    void begin(const char *name, const char *type, const char *help) {
        name_ = name;
        text_ += "# HELP tenfold_" + name_ + " " + help + "\n# TYPE tenfold_" + name_ + " " + type +
                 "\n";
    }
    /// `labels`: "{kind=\"contract\"}", or nothing.
    void add(double value, const std::string &labels = "") {
        char number[32];
        std::snprintf(number, sizeof number, "%.17g", value);
        text_ += "tenfold_" + name_ + labels + " " + number + "\n";
    }
    void add_one(const char *name, const char *type, const char *help, double value) {
        begin(name, type, help);
        add(value);
    }
    std::string take() { return std::move(text_); }

private:
    std::string name_;
    std::string text_;
};

double number(byte_count bytes) { return static_cast<double>(bytes.value); }

} // namespace

std::string service::metrics() const {
    metrics_text text;
    const std::lock_guard lock(mutex_);
    text.add_one("jobs_waiting", "gauge", "Jobs in the queue.", static_cast<double>(queue_.size()));
    text.add_one("jobs_running", "gauge", "Jobs that run.", running_ ? 1 : 0);
    text.add_one("tensors", "gauge", "Tensors with names.", static_cast<double>(tensors_.size()));
    text.add_one("transfers", "gauge", "Transfers of bulk data that have not ended.",
                 static_cast<double>(transfers_.size()));
    text.add_one("memory_limit_bytes", "gauge", "Memory that a rank may use.",
                 number(ledger_.limit()));
    text.begin("memory_resident_bytes", "gauge", "Memory of tensors, by rank.");
    const per_rank &resident = ledger_.resident_by_rank();
    for (std::size_t rank = 0; rank < resident.size(); ++rank)
        text.add(static_cast<double>(resident[rank]), "{rank=\"" + std::to_string(rank) + "\"}");
    text.add_one("memory_bodies_bytes", "gauge", "Memory of uploads and downloads on rank 0.",
                 number(ledger_.staging()));
    const auto each = [&](const char *name, const char *help, double totals::*what) {
        text.begin(name, "counter", help);
        for (const auto &[key, sum] : totals_)
            text.add(sum.*what, "{kind=\"" + key.first + "\",result=\"" + key.second + "\"}");
    };
    each("jobs_total", "Jobs that ended.", &totals::jobs);
    each("job_seconds_total", "Seconds that jobs ran.", &totals::seconds);
    each("job_queue_seconds_total", "Seconds that jobs waited.", &totals::waited);
    each("job_received_bytes_total",
         "Bytes that ranks received in contractions and programs, the busiest rank of each step.",
         &totals::received);
    each("job_bytes_total", "Bytes that jobs were planned to move.", &totals::bytes);
    return text.take();
}

} // namespace tenfold::server
