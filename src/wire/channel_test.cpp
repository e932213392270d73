// Tests of both ends of a channel, without connections.
#include <gtest/gtest.h>

#include <deque>

#include "core/testing/dice.hpp"
#include "wire/incoming.hpp"
#include "wire/outgoing.hpp"

namespace conch::wire::channel_test {

using std::chrono::milliseconds;

constexpr std::size_t plenty = std::size_t{1} << 20;

std::string number_as_text(std::uint64_t number) {
  return std::to_string(number) + std::string(number % 37, '.');
}

Outgoing with_payloads(int count) {
  Outgoing outgoing(plenty);
  for (int i = 0; i < count; ++i) EXPECT_TRUE(outgoing.append("x"));
  return outgoing;
}

void write_all(Outgoing& outgoing) { outgoing.wrote(outgoing.unwritten().size()); }

TEST(Outgoing, KeepsWhatWasWrittenUntilItIsAcknowledged) {
  Outgoing outgoing = with_payloads(3);
  std::size_t bytes = outgoing.bytes();
  write_all(outgoing);
  EXPECT_TRUE(outgoing.unwritten().empty());
  EXPECT_EQ(outgoing.bytes(), bytes);
  EXPECT_TRUE(outgoing.acknowledge(2));
  EXPECT_EQ(outgoing.bytes(), bytes / 3);
  EXPECT_EQ(outgoing.acknowledged(), 2u);
  EXPECT_TRUE(outgoing.acknowledge(3));
  EXPECT_TRUE(outgoing.empty());
}

TEST(Outgoing, GoesOnWhereTheReceiverStopped) {
  Outgoing outgoing = with_payloads(3);
  std::string all(outgoing.unwritten());
  outgoing.wrote(all.size() / 2);
  EXPECT_TRUE(outgoing.resume(1));
  EXPECT_EQ(outgoing.unwritten(), all.substr(all.size() / 3));
}

TEST(Outgoing, KnowsWhetherItIsInsideAFrame) {
  Outgoing outgoing = with_payloads(3);
  std::size_t frame = outgoing.unwritten().size() / 3;
  EXPECT_FALSE(outgoing.is_inside());
  outgoing.wrote(1);
  EXPECT_TRUE(outgoing.is_inside());
  outgoing.wrote(frame - 1);
  EXPECT_FALSE(outgoing.is_inside());
  outgoing.wrote(frame + 2);
  EXPECT_TRUE(outgoing.is_inside());
  EXPECT_TRUE(outgoing.acknowledge(2));  // The frame that has begun is kept.
  EXPECT_TRUE(outgoing.is_inside());
  EXPECT_TRUE(outgoing.resume(2));
  EXPECT_FALSE(outgoing.is_inside());
  write_all(outgoing);
  EXPECT_FALSE(outgoing.is_inside());
}

TEST(Outgoing, IsBounded) {
  Outgoing outgoing(3 * (payload_overhead_bytes + 10));
  std::string payload(10, 'x');
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(outgoing.append(payload));
  EXPECT_FALSE(outgoing.append(""));
  write_all(outgoing);
  EXPECT_TRUE(outgoing.acknowledge(1));
  EXPECT_TRUE(outgoing.append(payload));
}

TEST(Outgoing, APayloadFitsIntoAFrame) {
  Outgoing outgoing(4 * frame_bytes_max);
  std::string payload(payload_bytes_max, 'x');
  EXPECT_TRUE(outgoing.append(payload));
  EXPECT_FALSE(outgoing.append(payload + "x"));
}

TEST(Outgoing, WhatCannotHaveBeenReceivedIsNotAcknowledged) {
  Outgoing outgoing = with_payloads(3);
  EXPECT_FALSE(outgoing.acknowledge(1)) << "nothing was written";
  EXPECT_FALSE(outgoing.resume(1));
  write_all(outgoing);
  EXPECT_FALSE(outgoing.acknowledge(4)) << "there were three";

  outgoing = with_payloads(3);
  write_all(outgoing);
  EXPECT_TRUE(outgoing.acknowledge(2));
  EXPECT_FALSE(outgoing.acknowledge(1)) << "it has said two";
  EXPECT_FALSE(outgoing.resume(1));
}

/// Payloads of one connection may be acknowledged over the next.
TEST(Outgoing, WhatANewConnectionHasNotTakenIsKeptUntilItHas) {
  Outgoing outgoing = with_payloads(2);
  write_all(outgoing);
  EXPECT_TRUE(outgoing.resume(0));
  outgoing.wrote(1);
  EXPECT_TRUE(outgoing.acknowledge(2));
  EXPECT_TRUE(outgoing.is_inside()) << "the rest of the frame has to follow";
  EXPECT_EQ(outgoing.acknowledged(), 0u);
  write_all(outgoing);
  EXPECT_TRUE(outgoing.acknowledge(2));
  EXPECT_TRUE(outgoing.empty());
  EXPECT_FALSE(outgoing.acknowledge(3)) << "there were two";
}

std::string body_of(std::uint32_t number, std::string_view text) {
  std::string body;
  put_number(body, number);
  return body += text;
}

TEST(Incoming, TakesEachPayloadOnce) {
  Incoming incoming;
  EXPECT_EQ(incoming.take(body_of(0, "a"), Time{}), "a");
  EXPECT_FALSE(incoming.take(body_of(0, "a"), Time{})) << "again";
  EXPECT_TRUE(incoming.is_known(body_of(0, "a"), Time{}));
  EXPECT_FALSE(incoming.is_known(body_of(1, ""), Time{})) << "it is the next";
  EXPECT_FALSE(incoming.is_known("abc", Time{})) << "it has no number";
  EXPECT_FALSE(incoming.take(body_of(2, "c"), Time{})) << "one is missing";
  EXPECT_FALSE(incoming.take("abc", Time{})) << "it has no number";
  EXPECT_EQ(incoming.take(body_of(1, ""), Time{}), "");
  EXPECT_EQ(incoming.received(), 2u);
}

TEST(Incoming, AcknowledgesWhenTheFirstIsOld) {
  Incoming incoming;
  EXPECT_EQ(incoming.due(), Time::max());
  incoming.take(body_of(0, "a"), Time(milliseconds(100)));
  incoming.take(body_of(1, "a"), Time(milliseconds(110)));
  EXPECT_EQ(incoming.due(), Time(milliseconds(120)));
  std::string bytes;
  incoming.acknowledge(bytes);
  EXPECT_EQ(read_acknowledgement(std::string_view(bytes).substr(frame_overhead_bytes)), 2u);
  EXPECT_EQ(incoming.due(), Time::max());
}

TEST(Incoming, AcknowledgesAfterManyPayloadsOrBytes) {
  Time now(milliseconds(100));
  Incoming incoming;
  for (std::uint32_t i = 0; i < acknowledged_payloads_max; ++i) {
    EXPECT_GT(incoming.due(), now);
    incoming.take(body_of(i, "a"), now);
  }
  EXPECT_LE(incoming.due(), now);
  incoming.was_acknowledged();
  incoming.take(body_of(acknowledged_payloads_max, std::string(acknowledged_bytes_max, 'x')), now);
  EXPECT_LE(incoming.due(), now);
}

TEST(Acknowledgement, OfAWrongLengthIsNone) {
  EXPECT_FALSE(read_acknowledgement("1234567"));
  EXPECT_FALSE(read_acknowledgement("123456789"));
  EXPECT_EQ(read_acknowledgement(std::string("\0\0\0\1\0\0\0\2", 8)), 0x1'0000'0002u);
}

/// A channel over connections that are cut anywhere, in both directions.
class Ordeal {
 public:
  explicit Ordeal(std::uint64_t seed) : dice_(seed), outgoing_(plenty) {}

  void run(std::uint64_t payloads) {
    while (delivered_ < payloads) {
      if (appended_ < payloads && dice_.percent(40)) append();
      if (dice_.percent(60)) transmit();
      if (dice_.percent(50)) receive();
      if (dice_.percent(50)) return_acknowledgement();
      if (dice_.percent(5)) reconnect();
      if (::testing::Test::HasFatalFailure()) return;
    }
    reconnect();
    EXPECT_TRUE(outgoing_.empty());
  }
  bool repeated() const { return repeated_; }
  bool cut_inside_a_frame() const { return cut_inside_; }

 private:
  void append() { ASSERT_TRUE(outgoing_.append(number_as_text(appended_++))); }
  void transmit() {
    std::string_view bytes = outgoing_.unwritten();
    bytes = bytes.substr(0, dice_.below(bytes.size() + 1));
    forth_ += bytes;
    outgoing_.wrote(bytes.size());
  }
  void receive() {
    std::string part = forth_.substr(0, dice_.below(forth_.size() + 1));
    forth_.erase(0, part.size());
    reader_.feed(part);
    while (auto frame = reader_.next()) {
      auto payload = incoming_.take(frame->body, now_);
      ASSERT_TRUE(payload);
      ASSERT_EQ(*payload, number_as_text(delivered_++));
    }
    ASSERT_TRUE(reader_.ok());
    now_ += milliseconds(dice_.below(5));
    if (incoming_.due() <= now_) incoming_.acknowledge(back_);
  }
  void return_acknowledgement() {
    std::string part = back_.substr(0, dice_.below(back_.size() + 1));
    back_.erase(0, part.size());
    back_reader_.feed(part);
    while (auto frame = back_reader_.next()) {
      auto received = read_acknowledgement(frame->body);
      ASSERT_TRUE(received && outgoing_.acknowledge(*received));
    }
  }
  void reconnect() {
    repeated_ = repeated_ || !forth_.empty();
    cut_inside_ = cut_inside_ || reader_.is_inside();
    forth_.clear();
    back_.clear();
    reader_ = {};
    back_reader_ = {};
    incoming_.was_acknowledged();
    ASSERT_TRUE(outgoing_.resume(incoming_.received()));
  }

  Dice dice_;
  Time now_{};
  Outgoing outgoing_;
  Incoming incoming_;
  std::uint64_t appended_ = 0;
  std::uint64_t delivered_ = 0;
  /// Bytes in flight.
  std::string forth_;
  std::string back_;
  FrameReader reader_;
  FrameReader back_reader_;
  bool repeated_ = false;
  bool cut_inside_ = false;
};

TEST(Channel, BringsEverythingOnceAndInOrderOverConnectionsThatAreCutAnywhere) {
  int repeated = 0;
  int cut_inside = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Ordeal ordeal(seed);
    ASSERT_NO_FATAL_FAILURE(ordeal.run(200));
    repeated += ordeal.repeated() ? 1 : 0;
    cut_inside += ordeal.cut_inside_a_frame() ? 1 : 0;
  }
  EXPECT_GT(repeated, 100) << "sometimes payloads were said again";
  EXPECT_GT(cut_inside, 50) << "sometimes a connection was cut inside a frame";
}

}  // namespace conch::wire::channel_test
