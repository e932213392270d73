// `conch trace check`: the traces of several peers as one, and what the oracles say of it.
//
// Each trace is in order, and a message is received after it was sent. What that leaves open, the
// clock decides, which all peers of a machine share. Between machines it proves nothing: there, an
// epoch comes after what was done in those before it, and an entry that looks wrong is put off as
// long as anything else can come before it. Traces are read once, side by side: what is remembered
// grows with the peers and the locks, not with what they did.
#pragma once

#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "audit/court.hpp"
#include "audit/docket.hpp"
#include "audit/lives.hpp"
#include "audit/stream.hpp"

namespace conch::audit {

/// Hears every line, in the order in which they are taken, and what is found wrong by then.
class Listener {
 public:
  /// A message of a peer that lives: the how many-th between two lives.
  struct Message {
    LifeId from;
    LifeId to;
    std::uint64_t number = 0;
  };

  virtual ~Listener() = default;
  virtual void hear(const trace::Line& line, Place place, std::optional<Message> message) = 0;
  virtual void hear(const Violation& violation) = 0;
};

class Audit {
 public:
  /// Throws Error if one of them is not a trace. The listener outlives it.
  explicit Audit(std::vector<TraceStream*> streams, Listener* listener = nullptr);

  /// To the ends of all.
  Docket run();

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
  Place place(std::size_t stream) const { return {stream, streams_[stream]->line_number()}; }

  bool has_come(std::size_t stream);
  /// Whether it may still begin to live in one of the traces.
  bool will_be_born(LifeId life) const;
  /// Of its next line: whether something else should come before it, if it can.
  std::optional<Court::Doubt> doubt(std::size_t stream);
  std::size_t take_least_doubtful();
  void proceed(std::size_t stream);
  void take(std::size_t stream);
  void tell(const trace::Line& line, LifeId who, Place place);
  void take_sent(const trace::Line& line, LifeId from, Place place);
  void take_received(const trace::Line& line, LifeId to, Place place);
  bool excuse(LifeId from);
  void report_unsent(const Life::Channel& channel, LifeId from, LifeId to, std::uint64_t number,
                     Place place);
  void queue(std::size_t stream);
  void try_again();
  void break_circle();
  Docket conclusion();

  std::vector<TraceStream*> streams_;
  Listener* listener_;
  std::size_t violations_told_ = 0;
  Lives lives_;
  Docket docket_;
  Court court_{lives_, docket_};
  /// Who speaks in each stream.
  std::vector<std::optional<LifeId>> speakers_;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
  /// Whose next line is the reception of what nobody has sent yet.
  std::vector<std::size_t> parked_;
  /// Whose next line is put off.
  std::vector<std::size_t> doubtful_;

  struct Clock {
    std::string name;
    std::optional<std::int64_t> begin = {};
    std::int64_t end = 0;
  };
  std::vector<Clock> clocks_;
  /// Of each stream: the number of its clock, and who writes it.
  std::vector<std::size_t> stream_clocks_;
  std::vector<std::string> writers_;
};

}  // namespace conch::audit
