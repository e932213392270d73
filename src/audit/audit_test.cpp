#include "audit/audit.hpp"

#include <gtest/gtest.h>

#include <conch/error.hpp>
#include <memory>
#include <sstream>

#include "core/print.hpp"

namespace conch::audit::audit_test {

using oracle::Property;
using trace::Happening;
using trace::Line;

/// A hand-written trace of a peer.
class Peer {
 public:
  Peer(std::string id, std::int64_t& clock, std::string_view machine = "")
      : id_(std::move(id)), clock_(clock) {
    Line line = next(Happening::join);
    line.life = "1";
    line.detail = machine;
    add(line);
  }
  Peer& asks(std::string_view detail = "") { return claim(Happening::request, detail); }
  Peer& enters(const std::string& fence) { return claim(Happening::enter, "fence " + fence); }
  Peer& leaves(std::string_view detail = "") { return claim(Happening::exit, detail); }
  Peer& loses() { return claim(Happening::lost, ""); }
  Peer& withdraws() { return claim(Happening::withdrawn, ""); }
  Peer& visits(const std::string& fence) { return asks().enters(fence).leaves(); }
  Peer& sends(const std::string& to, std::uint64_t n) { return message(Happening::send, to, n); }
  Peer& receives(const std::string& from, std::uint64_t n, std::string_view life = "1") {
    return message(Happening::receive, from, n, life);
  }
  Peer& begins_epoch(std::uint64_t epoch, std::string_view members) {
    Line line = next(Happening::epoch);
    line.epoch = epoch;
    line.members = members;
    return add(line);
  }
  Peer& has_gap() {
    Line line = next(Happening::gap);
    line.life = "1";
    return add(line);
  }
  Peer& is_reborn() {
    Line line = next(Happening::join);
    line.life = "2";
    return add(line);
  }
  Peer& goes() { return add(next(Happening::left)); }
  Peer& is_cut() {
    text_ += R"({"at":99,"eve)";
    return *this;
  }
  const std::string& text() const { return text_; }
  std::string lock = "a";

 private:
  Line next(Happening happening) { return {++clock_, happening, true, id_}; }
  Peer& claim(Happening happening, std::string_view detail) {
    Line line = next(happening);
    line.lock = lock;
    line.detail = detail;
    return add(line);
  }
  Peer& message(Happening happening, const std::string& other, std::uint64_t n,
                std::string_view life = "1") {
    Line line = next(happening);
    line.peer = other;
    line.life = life;
    line.number = n;
    return add(line);
  }
  Peer& add(const Line& line) {
    trace::append(text_, line);
    return *this;
  }

  std::string id_;
  std::int64_t& clock_;
  std::string text_;
};

TraceReport audited(const std::vector<std::string>& texts) {
  std::vector<std::unique_ptr<std::istringstream>> ins;
  std::vector<std::unique_ptr<TraceStream>> streams;
  std::vector<TraceStream*> pointers;
  for (const std::string& text : texts) {
    ins.push_back(std::make_unique<std::istringstream>(text));
    std::string name = "file" + std::to_string(ins.size());
    streams.push_back(std::make_unique<TraceStream>(*ins.back(), name));
    pointers.push_back(streams.back().get());
  }
  return Audit(pointers).run();
}

class AuditTest : public ::testing::Test {
 protected:
  TraceReport result() const { return audited({x.text(), y.text()}); }
  void expect_fine() const {
    TraceReport trace_report = result();
    for (const TraceViolation& each : trace_report.violations) ADD_FAILURE() << each.what;
  }
  /// Expects exactly one violation, of this property, with these two lines.
  void expect(Property property, const std::string& what, TracePosition now,
              TracePosition before) const {
    TraceReport trace_report = result();
    ASSERT_EQ(trace_report.violation_count, 1u);
    const TraceViolation& found = trace_report.violations.front();
    EXPECT_EQ(found.property, property);
    EXPECT_EQ(found.what, what);
    ASSERT_EQ(found.exhibits.size(), 2u);
    EXPECT_EQ(found.exhibits[0].place, now);
    EXPECT_EQ(found.exhibits[1].place, before);
  }

  std::int64_t clock = 0;
  Peer x{"x", clock};
  Peer y{"y", clock};
};

TEST_F(AuditTest, AHandover) {
  x.visits("1.1").asks().enters("1.2");
  y.asks().sends("x", 1);
  x.receives("y", 1).leaves().sends("y", 1).goes();
  y.receives("x", 1).enters("1.3").leaves().begins_epoch(2, "y.1").goes();
  TraceReport trace_report = result();
  EXPECT_EQ(trace_report.violation_count, 0u);
  EXPECT_EQ(trace_report.entries, 3u);
  EXPECT_EQ(trace_report.handovers, 1u);
  EXPECT_EQ(trace_report.messages, 2u);
  EXPECT_EQ(trace_report.peers, 2u);
  EXPECT_EQ(trace_report.locks, 1u);
  EXPECT_EQ(trace_report.epochs, 1u);
  EXPECT_EQ(trace_report.killed, 0u);
  EXPECT_EQ(trace_report.end - trace_report.begin, clock - 1);
}

/// Two machines: y's clock is far behind, but y receives a message before it enters.
TEST_F(AuditTest, CausalityIsStrongerThanTheClock) {
  std::int64_t late = 1000;
  Peer other("z", late);
  other.asks().enters("1.1").leaves().sends("y", 1).goes();
  y.asks().receives("z", 1).enters("1.2").leaves().goes();
  TraceReport trace_report = audited({other.text(), y.text()});
  EXPECT_EQ(trace_report.violation_count, 0u);
  EXPECT_EQ(trace_report.handovers, 1u);
}

TEST_F(AuditTest, ReadersMayShare) {
  x.asks("read").enters("1.0, read");
  y.asks("read").enters("1.0, read").asks("read").enters("1.0, read");
  y.leaves("read").leaves("read");
  x.leaves("read").visits("1.1");
  expect_fine();
}

TEST_F(AuditTest, TwoHolders) {
  x.asks().enters("1.1");
  y.asks().enters("1.2").leaves();
  x.leaves();
  expect(Property::mutual_exclusion,
         "lock a: two holders: y (fence 1.2) entered while x (fence 1.1) was inside", {1, 3},
         {0, 3});
}

TEST_F(AuditTest, AWriterBesideAReader) {
  x.asks("read").enters("1.0, read");
  y.visits("1.1");
  x.leaves("read");
  expect(Property::mutual_exclusion,
         "lock a: two holders: y (fence 1.1) entered while x (fence 1.0, read) was inside", {1, 3},
         {0, 3});
}

TEST_F(AuditTest, TwoThreadsOfOnePeer) {
  x.asks().asks().enters("1.1").enters("1.2").leaves().leaves();
  expect(Property::mutual_exclusion,
         "lock a: two holders: x (fence 1.2) entered while x (fence 1.1) was inside", {0, 5},
         {0, 4});
}

TEST_F(AuditTest, OtherLocksAreNoneOfItsBusiness) {
  x.asks().enters("1.2");
  y.lock = "b";
  y.visits("1.1");
  x.leaves();
  expect_fine();
}

TEST_F(AuditTest, AFenceThatDoesNotIncrease) {
  x.visits("1.2");
  y.visits("1.2");
  expect(Property::fences, "lock a: y (fence 1.2) entered after x (fence 1.2)", {1, 3}, {0, 3});
}

TEST_F(AuditTest, AReaderWithAnOldFence) {
  x.visits("1.2");
  y.asks("read").enters("1.1, read").leaves("read");
  expect(Property::fences, "lock a: y (fence 1.1, read) entered after x (fence 1.2)", {1, 3},
         {0, 3});
}

TEST_F(AuditTest, AnEntryThatNobodyAskedFor) {
  x.visits("1.1").enters("1.2").leaves();
  expect(Property::invariant, "lock a: x enters, but has not asked", {0, 5}, {0, 4});
}

TEST_F(AuditTest, AnExitOfNobody) {
  x.visits("1.1").leaves();
  expect(Property::invariant, "lock a: x leaves, but is not inside", {0, 5}, {0, 4});
}

TEST_F(AuditTest, WhoHasWithdrawnDoesNotEnter) {
  x.asks().withdraws().enters("1.1").leaves();
  expect(Property::invariant, "lock a: x enters, but has not asked", {0, 4}, {0, 3});
}

TEST_F(AuditTest, WhatNobodySent) {
  x.sends("y", 1).goes();
  y.receives("x", 1).receives("x", 2);
  expect(Property::addressee, "y receives a message that x has not sent", {1, 3}, {0, 2});
}

TEST_F(AuditTest, AMessageTwice) {
  x.sends("y", 1).sends("y", 2);
  y.receives("x", 1).receives("x", 1).receives("x", 2);
  expect(Property::addressee, "y receives message 1 of x after message 1", {1, 3}, {1, 2});
}

TEST_F(AuditTest, EachReceivesBeforeTheOtherSends) {
  x.receives("y", 1).sends("y", 1);
  y.receives("x", 1).sends("x", 1);
  EXPECT_EQ(result().violation_count, 1u);
}

/// x was killed inside. Its hold ends with the epoch without it, not before.
TEST_F(AuditTest, AKilledHolder) {
  x.begins_epoch(1, "x.1 y.1").asks().enters("1.1").is_cut();
  Peer early = y;
  early.asks().enters("1.2").leaves();
  EXPECT_EQ(audited({x.text(), early.text()}).violation_count, 1u);
  y.asks().begins_epoch(2, "y.1").enters("2.1").leaves();
  TraceReport trace_report = result();
  EXPECT_EQ(trace_report.violation_count, 0u);
  EXPECT_EQ(trace_report.revoked, 1u);
  EXPECT_EQ(trace_report.killed, 2u);
  EXPECT_EQ(trace_report.unfinished, 1u);
}

/// x did more than it could write down: it has left and sent the token.
TEST_F(AuditTest, TheLastMomentOfAKilledHolder) {
  x.asks().enters("1.1");
  y.asks().receives("x", 1).enters("1.2").leaves();
  TraceReport trace_report = result();
  EXPECT_EQ(trace_report.violation_count, 0u);
  EXPECT_EQ(trace_report.unseen, 1u);
}

/// x was stopped, and learns only later that it is out.
TEST_F(AuditTest, ALateHolder) {
  x.asks().enters("1.1");
  y.asks().begins_epoch(2, "y.1").enters("2.1").leaves();
  x.loses();
  expect_fine();
  EXPECT_EQ(result().losses, 1u);
}

/// A waiter goes on waiting when its peer was put out and has come back.
TEST_F(AuditTest, ANewLife) {
  x.asks().asks().enters("1.1").loses().is_reborn().enters("2.1").leaves().goes();
  expect_fine();
  EXPECT_EQ(result().lives, 3u);
  EXPECT_EQ(result().peers, 2u);
}

TEST_F(AuditTest, NobodyKnowsWhatWasInAGap) {
  x.asks().enters("1.1").sends("y", 1).has_gap().sends("y", 4).enters("1.9").leaves();
  y.receives("x", 1).receives("x", 2).asks();
  EXPECT_EQ(result().gaps, 1u);
  expect_fine();
}

TEST_F(AuditTest, APeerThatIsNotTraced) {
  y.receives("z", 1).visits("1.1");
  TraceReport trace_report = result();
  EXPECT_EQ(trace_report.violation_count, 0u);
  EXPECT_EQ(trace_report.strangers, 1u);
  EXPECT_EQ(trace_report.unseen, 1u);
}

/// x was killed before it could write down that it had left, and z is not traced.
TEST_F(AuditTest, AKilledHolderHandsItsLockToAStranger) {
  x.asks().enters("1.1");
  y.asks().receives("z", 1).enters("1.3").leaves();
  expect_fine();
}

/// Two machines. The clock of the first is far ahead, so everything there looks late.
class Machines : public ::testing::Test {
 protected:
  static void expect_fine(const TraceReport& trace_report) {
    for (const TraceViolation& each : trace_report.violations) ADD_FAILURE() << each.what;
  }
  static void expect_one(const TraceReport& trace_report, Property property) {
    ASSERT_EQ(trace_report.violation_count, 1u);
    EXPECT_EQ(trace_report.violations.front().property, property);
  }
  TraceReport result() const { return audited({x.text(), y.text()}); }

  std::int64_t ahead = 1'000'000;
  std::int64_t behind = 0;
  Peer x{"x", ahead, "clock a"};
  Peer y{"y", behind, "clock b"};
};

TEST_F(Machines, AnEpochIsAfterThoseBeforeIt) {
  x.begins_epoch(1, "x.1 y.1").asks().enters("1.1").is_cut();
  y.begins_epoch(1, "x.1 y.1").asks().begins_epoch(2, "y.1").enters("2.1").leaves();
  TraceReport trace_report = result();
  expect_fine(trace_report);
  EXPECT_EQ(trace_report.revoked, 1u);
  EXPECT_EQ(trace_report.unordered, 0u);
}

/// x hands its lock to k, and k to y. But k was killed and has not written it down.
TEST_F(Machines, AnEntryWaitsForTheFencesBeforeIt) {
  std::int64_t between = 500'000;
  Peer k("k", between, "clock c");
  x.visits("1.1").sends("k", 1).goes();
  y.asks().receives("k", 1).enters("1.3").leaves();
  TraceReport trace_report = audited({x.text(), y.text(), k.text()});
  expect_fine(trace_report);
  EXPECT_EQ(trace_report.entries, 2u);
  EXPECT_EQ(trace_report.unseen, 1u);
}

TEST_F(Machines, AnEntryWaitsForTheHolderOfAnotherMachine) {
  std::int64_t between = 500'000;
  Peer k("k", between, "clock c");
  behind = ahead;
  x.asks().enters("1.1");
  y.asks().receives("k", 1).enters("1.2").leaves();
  ahead = behind + 1000;
  x.leaves().sends("k", 1).goes();
  expect_fine(audited({x.text(), y.text(), k.text()}));
}

/// The overlap is not certain: the holder was killed, and so was the peer that got the lock from
/// it.
TEST_F(Machines, AKilledHolderOfAnotherMachineMayHaveLeft) {
  std::int64_t between = 500'000;
  Peer k("k", between, "clock c");
  x.asks().enters("1.1");
  y.asks().receives("k", 1).enters("1.3").leaves();
  TraceReport trace_report = audited({x.text(), y.text(), k.text()});
  expect_fine(trace_report);
  EXPECT_EQ(trace_report.unordered, 1u);
}

/// Messages prove that y enters after x has, and that x leaves after y has entered.
TEST_F(Machines, TwoHoldersForCertain) {
  x.asks().enters("1.1").sends("y", 1);
  y.asks().receives("x", 1).enters("1.2").sends("x", 1).leaves().goes();
  x.receives("y", 1).leaves().goes();
  expect_one(result(), Property::mutual_exclusion);
}

TEST_F(Machines, TwoHoldersOfOneMachine) {
  Peer z("z", ahead, "clock a");
  x.asks().enters("1.1");
  z.asks().enters("1.2").leaves().goes();
  x.leaves().goes();
  expect_one(audited({x.text(), y.text(), z.text()}), Property::mutual_exclusion);
}

TEST_F(Machines, TheSameFenceTwice) {
  x.visits("1.1").goes();
  y.visits("1.1").goes();
  expect_one(result(), Property::fences);
}

TEST_F(Machines, AFenceThatDoesNotIncreaseForCertain) {
  x.visits("1.1").visits("1.2").sends("y", 1).goes();
  y.receives("x", 1).visits("1.1").goes();
  expect_one(result(), Property::fences);
}

/// By the clocks, y hears of x's second life before that begins.
TEST_F(Machines, ALifeThatBeginsLater) {
  x.is_reborn().visits("1.1").sends("y", 1).goes();
  y.asks().receives("x", 1, "2").enters("1.2").leaves().goes();
  TraceReport trace_report = result();
  expect_fine(trace_report);
  EXPECT_EQ(trace_report.unseen, 0u);
  EXPECT_EQ(trace_report.strangers, 0u);
}

TEST_F(Machines, ALifeThatNeverBegins) {
  x.receives("y", 1).visits("1.1").goes();
  y.receives("x", 1, "2").sends("x", 1).visits("1.2").goes();
  expect_one(result(), Property::addressee);
}

TEST_F(Machines, AnEntryInAPastEpoch) {
  x.begins_epoch(1, "x.1 y.1").receives("y", 1).asks().enters("1.2").loses().goes();
  y.begins_epoch(1, "x.1 y.1").visits("1.1").begins_epoch(2, "y.1").asks().enters("2.1");
  y.sends("x", 1).leaves().goes();
  TraceReport trace_report = result();
  expect_fine(trace_report);
  EXPECT_EQ(trace_report.unordered, 1u);
}

TEST_F(Machines, ARunTakesAsLongAsItsLongestClockSays) {
  x.visits("1.1").goes();
  y.asks().goes();
  TraceReport trace_report = result();
  EXPECT_EQ(trace_report.end - trace_report.begin, 4);
}

TEST_F(AuditTest, ASimulatedRun) {
  std::string text = R"({"at":0,"event":"request","node":1})"
                     "\n"
                     R"({"at":0,"event":"send","node":1,"peer":0,"detail":"REQUEST"})"
                     "\n"
                     R"({"at":5,"event":"enter","node":1,"detail":"fence 1.1"})"
                     "\n"
                     R"({"at":6,"event":"request","node":0,"detail":"read 10..20"})"
                     "\n"
                     R"({"at":7,"event":"exit","node":1})"
                     "\n"
                     R"({"at":8,"event":"enter","node":0,"detail":"fence 1.1"})"
                     "\n";
  TraceReport trace_report = audited({text});
  EXPECT_EQ(trace_report.violation_count, 0u);
  EXPECT_EQ(trace_report.entries, 2u);
  EXPECT_EQ(trace_report.peers, 2u);
}

TEST_F(AuditTest, WhatIsNoTrace) {
  EXPECT_THROW(audited({"hello\n"}), Error);
  EXPECT_THROW(audited({"hello"}), Error);
  EXPECT_THROW(audited({x.text() + "hello\n" + x.text()}), Error);
  EXPECT_THROW(audited({x.asks().enters("soon").text()}), Error);
}

TEST(AuditDetails, Wishes) {
  for (const char* text : {"read", "read 10..20", "write 10.."})
    EXPECT_EQ(print(parse_wish(text).value()), text);
  EXPECT_EQ(parse_wish(""), Wish{});
  for (const char* text : {"reads", "red", "read 10", "read ..10", "write 1..2 "})
    EXPECT_FALSE(parse_wish(text)) << text;
}

}  // namespace conch::audit::audit_test
