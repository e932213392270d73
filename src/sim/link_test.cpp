#include "sim/link.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <limits>
#include <numeric>

#include "core/encode.hpp"
#include "core/hash.hpp"
#include "core/measure.hpp"
#include "core/print.hpp"
#include "core/testing/dice.hpp"

namespace conch::sim::link_test {

using namespace std::chrono_literals;

using Payload = std::uint64_t;
using NumberLink = Link<Payload>;
using Frame = NumberLink::Frame;
using Frames = NumberLink::Frames;
using Payloads = std::vector<Payload>;

Frame data(std::uint64_t sequence, Payload payload, std::uint64_t acknowledged = 0) {
  return {sequence, acknowledged, payload};
}
Frame acknowledgement(std::uint64_t acknowledged) { return {0, acknowledged, std::nullopt}; }

Payloads numbers(Payload first, Payload last) {
  Payloads payloads(last - first + 1);
  std::iota(payloads.begin(), payloads.end(), first);
  return payloads;
}

Payloads sequences(const Frames& frames) {
  Payloads found;
  for (const Frame& frame : frames) found.push_back(frame.sequence);
  return found;
}

/// A link that has sent the payloads 1 .. count and heard nothing.
NumberLink after_sending(Payload count, std::size_t capacity = NumberLink::default_capacity) {
  NumberLink link(capacity);
  Frames lost;
  for (Payload payload : numbers(1, count)) EXPECT_TRUE(link.send(payload, lost));
  return link;
}

/// What one call of `receive` gave.
struct Received {
  Frames frames;
  Payloads delivered;
};
Received receive(NumberLink& link, const Frame& frame) {
  Received received;
  link.receive(frame, received.frames, received.delivered);
  return received;
}

Frames time_out(NumberLink& link) {
  Frames frames;
  link.timeout(frames);
  return frames;
}

/// How often a network does each of these, in percent.
struct Weather {
  unsigned loss = 0;
  unsigned duplication = 0;
  unsigned reordering = 0;
};
constexpr Weather fair{};

struct Side {
  explicit Side(std::size_t capacity) : link(capacity) {}
  NumberLink link;
  Payload last_sent = 0;
  /// On their way to the other side.
  Frames in_flight;
  Payloads delivered;

  void send() {
    Frames out;
    if (link.send(last_sent + 1, out)) ++last_sent;
    transmit(out);
  }
  void receive(const Frame& frame) {
    Frames out;
    link.receive(frame, out, delivered);
    transmit(out);
  }
  void time_out() {
    Frames out;
    link.timeout(out);
    transmit(out);
  }
  bool at_rest() const { return link.idle() && in_flight.empty(); }

 private:
  void transmit(const Frames& out) { in_flight.insert(in_flight.end(), out.begin(), out.end()); }
};

/// Two links and the network between them.
class LinkPair {
 public:
  LinkPair(std::uint64_t seed, std::size_t capacity)
      : dice_(seed), sides_{Side(capacity), Side(capacity)} {}

  Side& side(std::size_t index) { return sides_[index]; }

  /// One thing happens to one of the sides.
  void step(const Weather& weather) {
    Side& mine = sides_[dice_.below(2)];
    switch (dice_.below(8)) {
      case 0: return mine.time_out();
      case 1:
      case 2: return mine.send();
      default: return deliver_one(mine, weather);
    }
  }

  /// Gives the links fair weather until they rest, and says whether they did.
  bool settle() {
    constexpr int rounds_max = 1000;
    for (int round = 0; round < rounds_max && !at_rest(); ++round) {
      for (Side& mine : sides_) {
        if (mine.in_flight.empty()) mine.time_out();
        while (!mine.in_flight.empty()) deliver_one(mine, fair);
      }
    }
    return at_rest();
  }

  struct Faults {
    int lost = 0;
    int duplicated = 0;
    int reordered = 0;
  };
  const Faults& faults() const { return faults_; }

 private:
  void deliver_one(Side& mine, const Weather& weather) {
    if (mine.in_flight.empty()) return;
    std::size_t index = 0;
    if (dice_.percent(weather.reordering)) index = dice_.below(mine.in_flight.size());
    if (index != 0) ++faults_.reordered;
    Frame frame = mine.in_flight[index];
    if (dice_.percent(weather.duplication)) {
      ++faults_.duplicated;
    } else {
      mine.in_flight.erase(mine.in_flight.begin() + static_cast<std::ptrdiff_t>(index));
    }
    if (dice_.percent(weather.loss)) return void(++faults_.lost);
    Side& peer = &mine == &sides_[0] ? sides_[1] : sides_[0];
    peer.receive(frame);
  }

  bool at_rest() const { return sides_[0].at_rest() && sides_[1].at_rest(); }

  Dice dice_;
  std::array<Side, 2> sides_;
  Faults faults_;
};

TEST(Link, DeliversExactlyOnceAndInOrderWhateverTheNetworkDoes) {
  LinkPair::Faults seen;
  std::size_t delivered = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    Weather weather{static_cast<unsigned>(dice.below(80)), static_cast<unsigned>(dice.below(50)),
                    static_cast<unsigned>(dice.below(100))};
    LinkPair session(seed, NumberLink::default_capacity);
    for (int step = 0; step < 400; ++step) session.step(weather);
    ASSERT_TRUE(session.settle());
    for (std::size_t i : {0, 1}) {
      ASSERT_GT(session.side(i).last_sent, 0u);
      ASSERT_EQ(session.side(1 - i).delivered, numbers(1, session.side(i).last_sent));
      delivered += session.side(1 - i).delivered.size();
    }
    seen.lost += session.faults().lost;
    seen.duplicated += session.faults().duplicated;
    seen.reordered += session.faults().reordered;
  }
  EXPECT_GT(delivered, 50'000u);
  EXPECT_GT(seen.lost, 50'000);
  EXPECT_GT(seen.duplicated, 50'000);
  EXPECT_GT(seen.reordered, 50'000);
}

TEST(Link, DeliversAPrefixEvenIfItBreaks) {
  int broken = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    LinkPair session(seed, 4);
    for (int step = 0; step < 300; ++step) session.step({20, 20, 50});
    for (std::size_t i : {0, 1}) {
      const Payloads& delivered = session.side(1 - i).delivered;
      ASSERT_LE(delivered.size(), session.side(i).last_sent);
      if (!delivered.empty()) {
        ASSERT_EQ(delivered, numbers(1, delivered.back()));
      }
      broken += session.side(i).link.broken();
    }
  }
  EXPECT_GT(broken, 100);
}

TEST(Link, CrossesAPerfectNetworkWithoutRepeatingAnything) {
  NumberLink sender;
  NumberLink receiver;
  for (Payload payload : numbers(1, 1000)) {
    Frames frames;
    ASSERT_TRUE(sender.send(payload, frames));
    ASSERT_EQ(frames, (Frames{data(payload, payload)}));
    Received received = receive(receiver, frames[0]);
    ASSERT_EQ(received.frames, (Frames{acknowledgement(payload)}));
    ASSERT_EQ(received.delivered, (Payloads{payload}));
    receive(sender, received.frames[0]);
    ASSERT_TRUE(sender.idle());
  }
}

TEST(Link, AcknowledgesADuplicateAgain) {
  NumberLink link;
  receive(link, data(1, 11));
  Received again = receive(link, data(1, 11));
  EXPECT_EQ(again.frames, (Frames{acknowledgement(1)}));
  EXPECT_TRUE(again.delivered.empty());
}

TEST(Link, DoesNotAnswerAnAcknowledgement) {
  NumberLink link = after_sending(1);
  EXPECT_TRUE(receive(link, acknowledgement(1)).frames.empty());
}

TEST(Link, AcknowledgesInTheDataFrameThatFollows) {
  NumberLink link;
  Frames out;
  Payloads delivered;
  link.receive(data(1, 11), out, delivered);
  link.receive(data(2, 12), out, delivered);
  EXPECT_EQ(out, (Frames{acknowledgement(2)}));
  ASSERT_TRUE(link.send(21, out));
  EXPECT_EQ(out, (Frames{data(1, 21, 2)}));
  ASSERT_TRUE(link.send(22, out));
  EXPECT_EQ(out, (Frames{data(1, 21, 2), data(2, 22, 2)}));
}

TEST(Link, DataFramesAcknowledge) {
  NumberLink link = after_sending(3);
  receive(link, data(1, 11, 2));
  EXPECT_EQ(link.unacknowledged(), 1u);
}

TEST(Link, HoldsBackWhatCameBeforeItsTurn) {
  NumberLink link;
  EXPECT_TRUE(receive(link, data(3, 13)).delivered.empty());
  EXPECT_EQ(receive(link, data(2, 12)).frames, (Frames{acknowledgement(0)}));
  EXPECT_FALSE(link.idle());
  Received first = receive(link, data(1, 11));
  EXPECT_EQ(first.delivered, (Payloads{11, 12, 13}));
  EXPECT_EQ(first.frames, (Frames{acknowledgement(3)}));
  EXPECT_TRUE(link.idle());
}

TEST(Link, DropsWhatIsFurtherAheadThanItsCapacity) {
  NumberLink link(2);
  receive(link, data(2, 12));
  receive(link, data(3, 13));
  EXPECT_EQ(receive(link, data(1, 11)).delivered, (Payloads{11, 12}));
  EXPECT_EQ(receive(link, data(3, 13)).delivered, (Payloads{13}));
}

TEST(Link, BreaksForGoodWhenThePeerLeavesTooMuchUnacknowledged) {
  NumberLink link = after_sending(3, 3);
  Frames out;
  EXPECT_FALSE(link.broken());
  EXPECT_FALSE(link.send(4, out));
  EXPECT_TRUE(link.broken());
  EXPECT_TRUE(link.idle());
  EXPECT_FALSE(link.wants_timer());

  Received late = receive(link, data(1, 11, 3));
  EXPECT_TRUE(late.frames.empty());
  EXPECT_TRUE(late.delivered.empty());
  EXPECT_FALSE(link.send(5, out));
  EXPECT_TRUE(time_out(link).empty());
  EXPECT_TRUE(out.empty());
  EXPECT_TRUE(link.broken());
}

TEST(Link, HasRoomAgainAfterAnAcknowledgement) {
  NumberLink link = after_sending(3, 3);
  receive(link, acknowledgement(1));
  Frames out;
  EXPECT_TRUE(link.send(4, out));
  EXPECT_FALSE(link.send(5, out));
}

TEST(Link, IgnoresAnAcknowledgementOfWhatWasNeverSent) {
  constexpr auto largest = std::numeric_limits<std::uint64_t>::max();
  NumberLink link = after_sending(2);
  const NumberLink before = link;
  for (std::uint64_t acknowledged : {std::uint64_t{3}, largest}) {
    Received received = receive(link, data(1, 11, acknowledged));
    EXPECT_TRUE(received.frames.empty());
    EXPECT_TRUE(received.delivered.empty());
    receive(link, acknowledgement(acknowledged));
    EXPECT_EQ(link, before);
  }
}

TEST(Link, IgnoresAFrameWithANumberButNoPayloadOrAPayloadButNoNumber) {
  NumberLink link = after_sending(2);
  const NumberLink before = link;
  EXPECT_TRUE(receive(link, Frame{1, 1, std::nullopt}).frames.empty());
  EXPECT_TRUE(receive(link, Frame{0, 1, 11}).frames.empty());
  EXPECT_EQ(link, before);
}

TEST(Link, IgnoresAnAcknowledgementThatWasOvertaken) {
  NumberLink link = after_sending(3);
  receive(link, acknowledgement(2));
  const NumberLink before = link;
  receive(link, acknowledgement(1));
  receive(link, acknowledgement(0));
  EXPECT_EQ(link, before);
}

TEST(Link, KeepsNoMoreThanItsCapacityWhateverArrives) {
  constexpr std::size_t capacity = 8;
  Dice dice(1);
  NumberLink link = after_sending(capacity, capacity);
  Payloads delivered;
  Frames out;
  for (int i = 0; i < 100'000; ++i) {
    std::uint64_t near = dice.percent(50) ? delivered.size() + dice.below(20) : dice.number();
    Frame frame{near, dice.below(12), dice.number()};
    if (dice.percent(10)) frame.payload.reset();
    link.receive(frame, out, delivered);
    ASSERT_LE(remembered(link), 2 * capacity);
    ASSERT_LE(out.size(), 1u);
  }
  EXPECT_GT(delivered.size(), 1000u);
}

TEST(Link, RepeatsTheOldestFirstAndNoMoreThanABurst) {
  NumberLink link = after_sending(100);
  EXPECT_EQ(sequences(time_out(link)), numbers(1, NumberLink::burst_max));
  EXPECT_EQ(sequences(time_out(link)), numbers(1, NumberLink::burst_max));
  receive(link, acknowledgement(98));
  EXPECT_EQ(time_out(link), (Frames{data(99, 99), data(100, 100)}));
}

TEST(Link, RepeatsTheRestAsAcknowledgementsComeIn) {
  NumberLink sender = after_sending(NumberLink::default_capacity);
  NumberLink receiver;
  Payloads delivered;
  Frames there = time_out(sender);
  Frames back;
  std::size_t transmitted = 0;
  while (!there.empty()) {
    transmitted += there.size();
    for (const Frame& frame : there) receiver.receive(frame, back, delivered);
    there.clear();
    for (const Frame& frame : back) sender.receive(frame, there, delivered);
    back.clear();
  }
  EXPECT_TRUE(sender.idle());
  EXPECT_EQ(transmitted, NumberLink::default_capacity);
  EXPECT_EQ(delivered, numbers(1, NumberLink::default_capacity));
}

TEST(Link, RepeatsOnlyWhatWasSentBeforeTheTimeout) {
  NumberLink link = after_sending(20);
  time_out(link);
  Frames out;
  ASSERT_TRUE(link.send(21, out));
  EXPECT_EQ(sequences(receive(link, acknowledgement(16)).frames), numbers(17, 20));
  EXPECT_TRUE(receive(link, acknowledgement(17)).frames.empty());
}

TEST(Link, RepeatsNothingThatWasAcknowledged) {
  NumberLink link = after_sending(5);
  EXPECT_TRUE(link.wants_timer());
  receive(link, acknowledgement(5));
  EXPECT_FALSE(link.wants_timer());
  EXPECT_TRUE(time_out(link).empty());
}

TEST(Link, CountsAttemptsUntilSomethingIsAcknowledged) {
  NumberLink link = after_sending(2);
  EXPECT_EQ(link.attempts(), 0u);
  time_out(link);
  time_out(link);
  EXPECT_EQ(link.attempts(), 2u);
  receive(link, acknowledgement(0));
  EXPECT_EQ(link.attempts(), 2u);
  receive(link, acknowledgement(1));
  EXPECT_EQ(link.attempts(), 0u);
}

TEST(Link, StaysTheSameHoweverOftenItRepeatsInVain) {
  NumberLink link = after_sending(2);
  for (unsigned i = 0; i < backoff_doublings_max; ++i) time_out(link);
  const NumberLink before = link;
  time_out(link);
  EXPECT_EQ(link, before);
}

TEST(Link, IsAValue) {
  NumberLink link = after_sending(3);
  receive(link, data(2, 12, 1));
  NumberLink copy = link;
  EXPECT_EQ(copy, link);
  EXPECT_EQ(hash64(copy), hash64(link));
  receive(copy, data(1, 11, 1));
  EXPECT_NE(copy, link);
  EXPECT_NE(hash64(copy), hash64(link));
  receive(link, data(1, 11, 1));
  EXPECT_EQ(copy, link);
  EXPECT_EQ(hash64(copy), hash64(link));
}

TEST(Link, FramesComeBackFromTheirBytes) {
  for (const Frame& frame : {data(3, 300, 2), acknowledgement(70'000)}) {
    std::string bytes;
    encode(bytes, frame);
    Frame decoded;
    Decoder decoder(bytes);
    EXPECT_TRUE(decoder.decode(decoded) && decoder.finish()) << decoder.error();
    EXPECT_EQ(decoded, frame);
  }
  EXPECT_EQ(print(data(3, 300, 2)), "FRAME(sequence 3, acknowledged 2, payload 300)");
}

TEST(LinkDeathTest, HasRoomForSomething) {
  EXPECT_DEATH(NumberLink(0), "a link keeps at least one payload");
}

TEST(RetransmissionDelay, DoublesWithEveryAttemptUpToACap) {
  struct Row {
    Duration base;
    unsigned attempts;
    Duration delay;
  };
  for (const Row& row : std::vector<Row>{
           {10ms, 0, 10ms},
           {10ms, 1, 20ms},
           {10ms, 2, 40ms},
           {10ms, 5, 320ms},
           {10ms, 6, 640ms},
           {10ms, 7, 640ms},
           {10ms, std::numeric_limits<unsigned>::max(), 640ms},
           {1ns, 0, 1ns},
           {1ns, 3, 8ns},
           {1min, 100, 64min},
       }) {
    SCOPED_TRACE("base " + print(row.base) + ", attempts " + print(row.attempts));
    EXPECT_EQ(retransmission_delay(row.base, row.attempts), row.delay);
  }
}

TEST(RetransmissionDelayDeathTest, IsNeverNothing) {
  EXPECT_DEATH(retransmission_delay(0ns, 1), "a link waits before it repeats itself");
}

}  // namespace conch::sim::link_test
