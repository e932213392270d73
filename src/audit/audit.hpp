// Checks the traces of several peers as one run, for `conch trace check`: merges them and passes
// every line to the oracles of trace_checker.hpp.
//
// Each trace is in order, and a message is received after it was sent. Within a machine the shared
// clock decides the rest. Between machines clocks prove nothing. There, an epoch comes after
// everything in earlier epochs, and an entry that looks wrong is put off while anything else can
// come before it. Traces are read once, side by side: memory grows with the peers and locks, not
// with the length of the traces.
#pragma once

#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "audit/lives.hpp"
#include "audit/stream.hpp"
#include "audit/trace_checker.hpp"
#include "audit/trace_report.hpp"

namespace conch::audit {

/// Receives every line in merged order, and each violation as soon as it is found.
class TraceListener {
 public:
  /// A message between live peers. `number` counts the messages from one life to another, from 1.
  struct Message {
    LifeId from;
    LifeId to;
    std::uint64_t number = 0;
  };

  virtual ~TraceListener() = default;
  virtual void hear(const trace::Line& line, TracePosition place,
                    std::optional<Message> message) = 0;
  virtual void hear(const TraceViolation& violation) = 0;
};

class Audit {
 public:
  /// Throws Error if a stream is not a trace. The listener must outlive it.
  explicit Audit(std::vector<TraceStream*> streams, TraceListener* listener = nullptr);

  /// Reads all streams to their ends.
  TraceReport run();

 private:
  struct Turn {
    std::int64_t at;
    std::size_t stream;
    friend bool operator>(const Turn& a, const Turn& b) {
      return std::tie(a.at, a.stream) > std::tie(b.at, b.stream);
    }
  };

  LifeId speaker(std::size_t stream);
  void begin_life(std::size_t stream, const trace::Line& line);
  void end_life(std::size_t stream, Life::State how);
  std::size_t clock_of(std::string_view name);
  TracePosition place(std::size_t stream) const {
    return {stream, streams_[stream]->line_number()};
  }

  bool has_come(std::size_t stream);
  /// Whether this life may still begin in one of the traces.
  bool will_be_born(LifeId life) const;
  /// Whether another line should come before the stream's next line, if any can.
  std::optional<TraceChecker::Doubt> doubt(std::size_t stream);
  std::size_t take_least_doubtful();
  void proceed(std::size_t stream);
  void take(std::size_t stream);
  void tell(const trace::Line& line, LifeId who, TracePosition place);
  void take_sent(const trace::Line& line, LifeId from, TracePosition place);
  void take_received(const trace::Line& line, LifeId to, TracePosition place);
  bool excuse(LifeId from);
  void report_unsent(const Life::Channel& channel, LifeId from, LifeId to, std::uint64_t number,
                     TracePosition place);
  void queue(std::size_t stream);
  void try_again();
  void break_circle();
  TraceReport conclusion();

  std::vector<TraceStream*> streams_;
  TraceListener* listener_;
  std::size_t violations_told_ = 0;
  Lives lives_;
  TraceReport trace_report_;
  TraceChecker checker_{lives_, trace_report_};
  /// The life that each stream speaks for.
  std::vector<std::optional<LifeId>> speakers_;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
  /// Streams whose next line receives a message that was not sent yet.
  std::vector<std::size_t> parked_;
  /// Streams whose next line is put off.
  std::vector<std::size_t> doubtful_;

  struct Clock {
    std::string name;
    std::optional<std::int64_t> begin = {};
    std::int64_t end = 0;
  };
  std::vector<Clock> clocks_;
  /// For each stream: the index of its clock, and the peer that writes it.
  std::vector<std::size_t> stream_clocks_;
  std::vector<std::string> writers_;
};

}  // namespace conch::audit
