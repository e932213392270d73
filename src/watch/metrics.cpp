#include "watch/metrics.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <conch/version.hpp>
#include <iterator>
#include <utility>

namespace conch::watch {

namespace {

constexpr std::size_t past_max = 100;
constexpr std::array<std::string_view, 2> directions{"sent", "received"};

void head(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  fmt::format_to(std::back_inserter(out), "# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

template <class Value>
void single(std::string& out, std::string_view name, std::string_view type, std::string_view help,
            const Value& value) {
  head(out, name, type, help);
  fmt::format_to(std::back_inserter(out), "{} {}\n", name, value);
}

void labelled(std::string& out, std::string_view name, std::string_view labels,
              std::uint64_t value) {
  fmt::format_to(std::back_inserter(out), "{}{{{}}} {}\n", name, labels, value);
}

/// Escapes a label value.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    c == '\n' ? out += "\\n" : out += c;
  }
  return out + '"';
}

}  // namespace

void Histogram::add(Duration duration) {
  double seconds = seconds_of(duration);
  auto bound = std::lower_bound(bounds.begin(), bounds.end(), seconds);
  ++counts_[static_cast<std::size_t>(bound - bounds.begin())];
  sum_ += seconds;
}

void Histogram::print(std::string& out, std::string_view name) const {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    total += counts_[i];
    std::string bound = i < bounds.size() ? fmt::format("{}", bounds[i]) : "+Inf";
    fmt::format_to(std::back_inserter(out), "{}_bucket{{le=\"{}\"}} {}\n", name, bound, total);
  }
  fmt::format_to(std::back_inserter(out), "{0}_sum {1}\n{0}_count {2}\n", name, sum_, total);
}

void PeerMetrics::entered(std::string_view, const Entry& entry) {
  waits_.add(entry.waited);
  ++(entry.came ? handovers_ : again_);
}

void PeerMetrics::left(std::string_view, Mode, Duration held) { holds_.add(held); }

void PeerMetrics::lost(std::string_view lock, Mode mode, Duration held) {
  holds_.add(held);
  remember(loss_of(lock, mode, held));
}

void PeerMetrics::installed(Epoch epoch, const recovery::View& view) {
  remember(epoch_of(epoch, view));
}

void PeerMetrics::suspected(const PeerInstance& life) {
  ++suspicions_;
  remember(suspicion_of(life));
}

void PeerMetrics::remember(watch::Note note) {
  past_.push_back(std::move(note));
  if (past_.size() > past_max) past_.pop_front();
}

void PeerMetrics::sent(const PeerInstance&, const MessageNote& note) { count(0, note); }

void PeerMetrics::received(const PeerInstance&, const MessageNote& note) { count(1, note); }

void PeerMetrics::count(Direction direction, const MessageNote& note) {
  auto& counts = messages_[direction];
  auto found = counts.find(note.type);
  if (found == counts.end()) found = counts.emplace(note.type, 0).first;
  ++found->second;
}

std::string PeerMetrics::text(const node::Status& here) const {
  std::string out;
  head(out, "conch_build_info", "gauge", "Version, group, algorithm and peer; always 1.");
  labelled(out, "conch_build_info",
           fmt::format("version={},group={},algorithm={},peer=\"{:x}\"", quoted(version()),
                       quoted(here.group), quoted(here.view.algorithm), here.self.id.value),
           1);
  print_state(out, here);
  head(out, "conch_wait_seconds", "histogram", "Time from requesting a lock to holding it.");
  waits_.print(out, "conch_wait_seconds");
  head(out, "conch_hold_seconds", "histogram",
       "Time for which a lock was held, until it was released or lost.");
  holds_.print(out, "conch_hold_seconds");
  print_counts(out, here.parts.front().counts);
  return out;
}

void PeerMetrics::print_state(std::string& out, const node::Status& here) const {
  const node::StatusPart& part = here.parts.front();
  std::uint64_t held = 0;
  std::uint64_t waiting = 0;
  for (const node::LockPart& lock : part.locks) {
    held += lock.holds;
    waiting += lock.in_line;
  }
  single(out, "conch_locks_held", "gauge", "Locks that this peer holds.", held);
  single(out, "conch_locks_waiting", "gauge",
         "Threads and clients of this peer that wait for a lock.", waiting);
  single(out, "conch_members", "gauge", "Members of the group, as this peer knows it.",
         here.view.roster.size());
  single(out, "conch_epoch", "gauge", "The epoch of the group, as this peer knows it.",
         here.view.epoch.value);
  single(out, "conch_lease_seconds", "gauge",
         "Time until this peer's lease ends; 0 if it has none.",
         part.lease ? seconds_of(*part.lease) : 0.0);
  single(out, "conch_clients", "gauge", "Connections of conch lock and conch status.",
         part.clients);
}

void PeerMetrics::print_counts(std::string& out, const node::Counts& counts) const {
  head(out, "conch_handovers_total", "counter",
       "Entries, by whether the lock came from another peer or was here already.");
  labelled(out, "conch_handovers_total", "token=\"came\"", handovers_);
  labelled(out, "conch_handovers_total", "token=\"here\"", again_);
  head(out, "conch_messages_total", "counter", "Messages of locks and of the recovery, by type.");
  for (Direction direction : {0, 1})
    for (const auto& [type, count] : messages_[direction])
      labelled(out, "conch_messages_total",
               fmt::format("direction=\"{}\",type={}", directions[direction],
                           quoted(type.empty() ? "unread" : type)),
               count);
  head(out, "conch_bytes_total", "counter", "Bytes on all connections, including framing.");
  labelled(out, "conch_bytes_total", "direction=\"sent\"", counts.bytes_sent);
  labelled(out, "conch_bytes_total", "direction=\"received\"", counts.bytes_received);
  head(out, "conch_data_bytes_total", "counter", "Bytes of data transferred with locks.");
  for (Direction direction : {0, 1})
    labelled(out, "conch_data_bytes_total", fmt::format("direction=\"{}\"", directions[direction]),
             data_bytes_[direction]);
  single(out, "conch_epochs_total", "counter", "Epochs that began at this peer.", counts.epochs);
  single(out, "conch_suspicions_total", "counter", "Proposals by this peer to remove a member.",
         suspicions_);
  single(out, "conch_losses_total", "counter", "Locks lost while held.", counts.losses);
  single(out, "conch_connections_refused_total", "counter",
         "Connections from strangers that were refused.", counts.connections_refused);
}

}  // namespace conch::watch
