#include "sim/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/distribution.hpp"

namespace conch::sim {

Summary summarize(std::vector<double> values) {
  if (values.empty()) return {};
  auto count = static_cast<double>(values.size());
  double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (double value : values) squares += (value - mean) * (value - mean);
  auto [least, largest] = std::minmax_element(values.begin(), values.end());
  Summary summary{.mean = mean, .std = std::sqrt(squares / count), .max = *largest, .min = *least};
  // The smallest value that at least this share of all do not exceed. Values before `begin` do not
  // exceed those after it.
  auto begin = values.begin();
  auto percentile = [&](double share) {
    auto rank = static_cast<std::ptrdiff_t>(std::ceil(share * count));
    auto place = values.begin() + std::max<std::ptrdiff_t>(rank, 1) - 1;
    std::nth_element(begin, place, values.end());
    begin = place;
    return *place;
  };
  summary.p50 = percentile(0.5);
  summary.p95 = percentile(0.95);
  summary.p99 = percentile(0.99);
  return summary;
}

double jain_index(const std::vector<double>& shares) {
  double sum = 0;
  double squares = 0;
  for (double share : shares) {
    sum += share;
    squares += share * share;
  }
  return squares == 0 ? 1 : sum * sum / (static_cast<double>(shares.size()) * squares);
}

Metrics::Metrics(std::vector<std::uint32_t> cluster_of, std::vector<std::string> kinds,
                 bool restless)
    : cluster_of_(std::move(cluster_of)),
      kinds_(std::move(kinds)),
      restless_(restless),
      by_kind_(kinds_.size()),
      load_(cluster_of_.size()),
      asked_(cluster_of_.size()),
      is_inside_(cluster_of_.size()),
      wait_of_(cluster_of_.size()) {}

void Metrics::requested(Node node, Time now) {
  if (quiet()) asked_when_quiet_ = node;
  ++requests_;
  ++waiting_;
  asked_[node] = now;
}

void Metrics::entered(Node node, Time now) {
  --waiting_;
  ++inside_;
  is_inside_[node] = true;
  double wait_s = seconds_of(now - *asked_[node]);
  asked_[node].reset();
  waits_s_.push_back(wait_s);
  wait_of_[node].add(wait_s);
  bool local = entered_last_ && cluster_of_[*entered_last_] == cluster_of_[node];
  (local ? wait_local_ : wait_remote_).add(wait_s);
  entered_last_ = node;
  if (asked_when_quiet_ == node) client_delay_.add(wait_s);
  if (left_to_waiters_) sync_delay_.add(seconds_of(now - *left_to_waiters_));
  asked_when_quiet_.reset();
  left_to_waiters_.reset();
}

void Metrics::exited(Node node, Time now) {
  --inside_;
  is_inside_[node] = false;
  if (waiting_ > 0) left_to_waiters_ = now;
}

void Metrics::gave_up(Node node) {
  --waiting_;
  ++withdrawn_;
  asked_[node].reset();
  if (waiting_ == 0) left_to_waiters_.reset();
  if (asked_when_quiet_ == node) asked_when_quiet_.reset();
}

void Metrics::crashed(Node node) {
  if (is_inside_[node]) --inside_;
  is_inside_[node] = false;
  if (asked_[node]) --waiting_;
  asked_[node].reset();
}

MetricsReport Metrics::report(Time end) const {
  MetricsReport report;
  report.requests = requests_;
  report.entries = waits_s_.size();
  report.withdrawn = withdrawn_;
  report.messages = traffic_;
  report.messages.total = traffic_.local + traffic_.global;
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
    if (by_kind_[kind] > 0) report.messages.by_type[kinds_[kind]] = by_kind_[kind];
  report.application_messages = application_messages_;
  auto total = static_cast<double>(report.messages.total);
  auto entries = static_cast<double>(report.entries);
  if (report.entries > 0) {
    report.messages_per_entry = total / entries;
    report.busy_messages_per_entry =
        static_cast<double>(report.messages.total - traffic_.idle) / entries;
  }
  report.wait_s = summarize(waits_s_);
  report.wait_local_s = wait_local_.value();
  report.wait_remote_s = wait_remote_.value();
  report.client_delay_s = client_delay_.value();
  report.client_delays = client_delay_.count;
  report.sync_delay_s = sync_delay_.value();
  report.sync_delays = sync_delay_.count;
  report.duration_s = seconds_of(end.time_since_epoch());
  if (report.duration_s > 0) report.throughput_per_s = entries / report.duration_s;
  std::vector<double> waits;
  for (const Mean& mean : wait_of_)
    if (mean.count > 0) waits.push_back(mean.value());
  report.fairness = jain_index(waits);
  for (std::uint64_t load : load_) {
    report.load_mean += static_cast<double>(load) / static_cast<double>(load_.size());
    report.load_max = std::max(report.load_max, load);
  }
  return report;
}

}  // namespace conch::sim
