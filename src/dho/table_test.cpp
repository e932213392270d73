// Tests every call in every situation: its result, the state it leaves, and its orders.
#include <gtest/gtest.h>

#include <functional>

#include "dho/testing/situations.hpp"

namespace conch::dho::testing::table_test {

using Call = std::function<CallStatus(Handle&, Orders&)>;

std::string row(const Call& call) {
  std::string text = "\n";
  for (const auto& [situation, name] : situations) {
    Driven driven = reach(situation);
    State before = driven.handle.state();
    CallStatus status = call(driven.handle, driven.out);
    State after = driven.handle.state();
    text += std::string(name) + ": " + std::string(word(status));
    if (after != before) text += ", " + std::string(word(after));
    std::string said = driven.said();
    text += said.empty() ? "\n" : "; " + said + "\n";
  }
  return text;
}

TEST(Table, Create) {
  EXPECT_EQ(row([](Handle& handle, Orders& out) { return handle.create("data", out); }), R"(
invalid: waiting; Join
joining: ignored
departing: waiting
returning: ignored
valid: ignored
unlock: ignored
withdrawing: ignored
req: ok, valid; Cancel
requested again: ok, valid
grant: ok, valid; Release
grant, fetched: ok, valid; Release
blocked: busy
fetch: busy
fetch ahead: ok, valid; Release
locked: busy
locked to read: busy
lost: waiting, invalid; Join
)");
}

TEST(Table, CreateByAnotherName) {
  EXPECT_EQ(row([](Handle& handle, Orders& out) { return handle.create("other", out); }), R"(
invalid: waiting; Join
joining: busy
departing: waiting
returning: busy
valid: busy
unlock: busy
withdrawing: busy
req: busy
requested again: busy
grant: busy
grant, fetched: busy
blocked: busy
fetch: busy
fetch ahead: busy
locked: busy
locked to read: busy
lost: waiting, invalid; Join
)");
}

TEST(Table, Request) {
  EXPECT_EQ(row([](Handle& handle, Orders& out) { return handle.request(Mode::write, out); }), R"(
invalid: invalid
joining: invalid
departing: invalid
returning: invalid
valid: ok, req; Ask
unlock: ok, req; Ask
withdrawing: ok, req
req: ok; Cancel
requested again: ok
grant: ok, req; Release, Ask
grant, fetched: ok, req; Release, Ask
blocked: busy
fetch: busy
fetch ahead: ok, req; Release, Ask
locked: busy
locked to read: busy
lost: peer lost
)");
}

TEST(Table, Acquire) {
  EXPECT_EQ(row([](Handle& handle, Orders& out) { return handle.acquire(out); }), R"(
invalid: invalid
joining: invalid
departing: invalid
returning: invalid
valid: not requested
unlock: not requested
withdrawing: not requested
req: waiting, blocked
requested again: waiting, blocked
grant: waiting, fetch; Bring
grant, fetched: ok, locked
blocked: busy
fetch: busy
fetch ahead: waiting
locked: ok
locked to read: ok
lost: peer lost
)");
}

TEST(Table, TimedAcquire) {
  EXPECT_EQ(row([](Handle& handle, Orders& out) { return handle.acquire(Duration(5), out); }), R"(
invalid: invalid
joining: invalid
departing: invalid
returning: invalid
valid: not requested
unlock: not requested
withdrawing: not requested
req: waiting, blocked; Arm
requested again: waiting, blocked; Arm
grant: waiting, fetch; Bring, Arm
grant, fetched: ok, locked
blocked: busy
fetch: busy
fetch ahead: waiting; Arm
locked: ok
locked to read: ok
lost: peer lost
)");
}

TEST(Table, TryAcquire) {
  EXPECT_EQ(row([](Handle& handle, Orders& out) { return handle.acquire(Duration(0), out); }), R"(
invalid: invalid
joining: invalid
departing: invalid
returning: invalid
valid: not requested
unlock: not requested
withdrawing: not requested
req: timed out
requested again: timed out
grant: timed out, fetch; Bring
grant, fetched: ok, locked
blocked: busy
fetch: busy
fetch ahead: timed out
locked: ok
locked to read: ok
lost: peer lost
)");
}

TEST(Table, Release) {
  EXPECT_EQ(row([](Handle& handle, Orders& out) { return handle.release(out); }), R"(
invalid: ignored
joining: ignored
departing: ignored
returning: ignored
valid: ignored
unlock: ignored
withdrawing: ignored
req: ok, valid; Cancel
requested again: ok, valid
grant: ok, valid; Release
grant, fetched: ok, valid; Release
blocked: ok, valid; AcquireFailed (cancelled), Cancel
fetch: ok, valid; AcquireFailed (cancelled), Release
fetch ahead: ok, valid; Release
locked: ok, valid; Release
locked to read: ok, valid; Release
lost: peer lost
)");
}

TEST(Table, Cancel) {
  EXPECT_EQ(row([](Handle& handle, Orders& out) { return handle.cancel(out); }), R"(
invalid: ignored
joining: ignored
departing: ignored
returning: ignored
valid: ignored
unlock: ignored
withdrawing: ignored
req: ok, valid; Cancel
requested again: ok, valid
grant: ok, valid; Release
grant, fetched: ok, valid; Release
blocked: ok, valid; AcquireFailed (cancelled), Cancel
fetch: ok, valid; AcquireFailed (cancelled), Release
fetch ahead: ok, valid; Release
locked: busy
locked to read: busy
lost: peer lost
)");
}

TEST(Table, Destroy) {
  EXPECT_EQ(row([](Handle& handle, Orders& out) { return handle.destroy(out); }), R"(
invalid: ignored
joining: ok; CreateFailed (cancelled)
departing: ignored
returning: ok; CreateFailed (cancelled)
valid: ok, invalid; Leave
unlock: ok, invalid; Leave
withdrawing: ok, invalid
req: ok, invalid; Cancel
requested again: ok, invalid
grant: ok, invalid; Release, Leave
grant, fetched: ok, invalid; Release, Leave
blocked: ok, invalid; AcquireFailed (cancelled), Cancel
fetch: ok, invalid; AcquireFailed (cancelled), Release, Leave
fetch ahead: ok, invalid; Release, Leave
locked: ok, invalid; Release, Leave
locked to read: ok, invalid; Release, Leave
lost: ok, invalid
)");
}

TEST(Table, Resize) {
  EXPECT_EQ(row([](Handle& handle, Orders&) { return handle.resize(50); }), R"(
invalid: invalid
joining: invalid
departing: invalid
returning: invalid
valid: not held
unlock: not held
withdrawing: not held
req: not held
requested again: not held
grant: not held
grant, fetched: not held
blocked: not held
fetch: not held
fetch ahead: not held
locked: ok
locked to read: not held
lost: peer lost
)");
}

}  // namespace conch::dho::testing::table_test
