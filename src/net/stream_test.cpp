#include "net/stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <conch/error.hpp>
#include <cstring>
#include <future>

#include "net/testing/certificates.hpp"
#include "net/testing/raw.hpp"
#include "net/testing/station.hpp"

namespace conch::net::testing::stream_test {

using Bytes = std::vector<std::byte>;

/// A pattern whose period is not a multiple of a page.
Bytes pattern(std::size_t count) {
  std::array<std::byte, 65'521> part;
  std::uint32_t state = 1;
  for (std::byte& each : part) each = static_cast<std::byte>((state = state * 1664525 + 7) >> 24);
  Bytes bytes(count);
  for (std::size_t done = 0; done < count; done += part.size())
    std::memcpy(bytes.data() + done, part.data(), std::min(part.size(), count - done));
  return bytes;
}

/// Uses memcmp, as comparing byte by byte is slow under a sanitizer.
bool are_equal(const Bytes& a, const Bytes& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

template <class Task>
bool is_done(const std::future<Task>& task) {
  return task.wait_for(seconds(0)) == std::future_status::ready;
}

struct Ends {
  Stream dialed;
  Stream accepted;
};

/// Peers that open streams to each other.
class StreamGroup : public Group {
 protected:
  static StreamOptions dialing(const TestTransportOptions& options) {
    return {options.self, options.group, options.algorithm, options.tls, options.tcp_only};
  }
  static Stream dial(const TestTransportOptions& from, Station& to) {
    auto dialed = std::async(std::launch::async, [&] {
      return Stream(dialing(from), to.self, to.transport.address(), steady_now() + patience);
    });
    EXPECT_TRUE(settle({&to}, [&] { return is_done(dialed); }));
    return dialed.get();
  }
  static Ends open(const TestTransportOptions& from, Station& to) {
    Stream dialed = dial(from, to);
    EXPECT_TRUE(settle({&to}, [&] { return !to.streams.empty(); }));
    EXPECT_EQ(to.streams.back().first, from.self);
    Ends ends{std::move(dialed), std::move(to.streams.back().second)};
    to.streams.pop_back();
    return ends;
  }
  static std::string failure_of(const TestTransportOptions& from, Station& to) {
    try {
      dial(from, to);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

enum class Transport { local, tcp, tls };

class Streams : public StreamGroup, public ::testing::WithParamInterface<Transport> {
 protected:
  TestTransportOptions options(std::uint64_t id) {
    TestTransportOptions options =
        GetParam() == Transport::local ? Group::options(id) : over_tcp(id);
    if (GetParam() == Transport::tls)
      options.tls = authority.certify(folder.file(std::to_string(id)));
    return options;
  }
  static void expect_comes(const Bytes& bytes, Stream& from, Stream& to) {
    std::atomic<std::uint64_t> sent;
    std::atomic<std::uint64_t> received;
    Bytes come(bytes.size());
    auto sender = std::async(std::launch::async, [&] {
      from.say("so many: " + std::to_string(bytes.size()));
      from.send(bytes, sent);
      from.say("that was all");
    });
    EXPECT_EQ(to.hear().text, "so many: " + std::to_string(bytes.size()));
    to.receive(come, received);
    EXPECT_EQ(to.hear().text, "that was all");
    sender.get();
    EXPECT_TRUE(are_equal(come, bytes));
    EXPECT_EQ(sent, bytes.size());
    EXPECT_EQ(received, bytes.size());
  }

  Authority authority{folder.file("authority")};
};

INSTANTIATE_TEST_SUITE_P(Over, Streams,
                         ::testing::Values(Transport::local, Transport::tcp, Transport::tls),
                         [](const auto& info) {
                           switch (info.param) {
                             case Transport::local: return "UnixSocket";
                             case Transport::tcp: return "Tcp";
                             case Transport::tls: return "Tls";
                           }
                           return "";
                         });

TEST_P(Streams, BringNotesBothWays) {
  Station b(options(2));
  Ends ends = open(options(1), b);
  EXPECT_EQ(ends.dialed.is_local(), GetParam() == Transport::local);
  EXPECT_EQ(ends.accepted.is_local(), GetParam() == Transport::local);
  std::string longest(wire::stream_note_bytes_max, 'x');
  for (const std::string& note : {std::string("there"), std::string(), longest}) {
    ends.dialed.say(note);
    ends.dialed.say("one behind the other");
    EXPECT_EQ(ends.accepted.hear().text, note);
    EXPECT_EQ(ends.accepted.hear().text, "one behind the other");
    ends.accepted.say(note);
    EXPECT_EQ(ends.dialed.hear().text, note);
  }
  EXPECT_TRUE(b.lines.empty()) << b.log();
}

TEST_P(Streams, BringBytesBothWaysBetweenNotes) {
  Station b(options(2));
  Ends ends = open(options(1), b);
  Bytes bytes = pattern((std::size_t{8} << 20) + 12'345);
  expect_comes(bytes, ends.dialed, ends.accepted);
  expect_comes(bytes, ends.accepted, ends.dialed);
  expect_comes({}, ends.accepted, ends.dialed);
}

TEST_P(Streams, ANoteThatIsTooLongIsNotSaidAndHurtsNothing) {
  Station b(options(2));
  Ends ends = open(options(1), b);
  EXPECT_THROW(ends.dialed.say(std::string(wire::stream_note_bytes_max + 1, 'x')), Error);
  ends.dialed.say("short");
  EXPECT_EQ(ends.accepted.hear().text, "short");
}

TEST_P(Streams, WhoseOtherSideHasGoneFail) {
  Station b(options(2));
  std::atomic<std::uint64_t> moved;
  Bytes bytes = pattern(1 << 20);
  {
    Ends ends = open(options(1), b);
    { Stream gone = std::move(ends.accepted); }
    EXPECT_THROW(ends.dialed.hear(), Error);
    EXPECT_THROW(ends.dialed.say("anybody there?"), Error) << "what has failed stays so";
  }
  {
    Ends ends = open(options(1), b);
    ends.accepted.send(std::span(bytes).first(1000), moved);
    { Stream gone = std::move(ends.accepted); }
    EXPECT_THROW(ends.dialed.receive(bytes, moved), Error);
    EXPECT_EQ(moved, 1000u) << "what it had sent has come";
  }
  {
    Ends ends = open(options(1), b);
    Bytes large = pattern(std::size_t{16} << 20);
    std::atomic<std::uint64_t> received;
    auto sender = std::async(std::launch::async, [&] { ends.dialed.send(large, moved); });
    ends.accepted.receive(bytes, received);
    { Stream gone = std::move(ends.accepted); }
    EXPECT_THROW(sender.get(), Error);
    EXPECT_LT(moved, large.size());
  }
}

TEST_P(Streams, EndAtBothSidesWhenOneAborts) {
  Station b(options(2));
  Ends ends = open(options(1), b);
  Bytes bytes = pattern(std::size_t{16} << 20);
  Bytes come(bytes.size());
  std::atomic<std::uint64_t> sent = 0;
  std::atomic<std::uint64_t> received = 0;
  auto sender = std::async(std::launch::async, [&] {
    ends.dialed.send(std::span(bytes).first(1 << 20), sent);
    ends.dialed.hear();
  });
  auto receiver = std::async(std::launch::async, [&] { ends.accepted.receive(come, received); });
  EXPECT_TRUE(settle({&b}, [&] { return received > 0; }));
  ends.accepted.abort();
  EXPECT_THROW(receiver.get(), Error);
  EXPECT_THROW(sender.get(), Error);
}

TEST_P(Streams, AreHungUpOnByARecipientThatLetsThemDrop) {
  Station b(options(2));
  Stream stream = dial(options(1), b);
  EXPECT_TRUE(settle({&b}, [&] { return !b.streams.empty(); }));
  b.streams.clear();
  EXPECT_THROW(stream.hear(), Error);
}

TEST_P(Streams, AreOpenedManyAtOnce) {
  Station b(options(2));
  std::vector<Ends> all;
  for (int i = 0; i < 20; ++i) all.push_back(open(options(1), b));
  for (std::size_t i = 0; i < all.size(); ++i) all[i].dialed.say(std::to_string(i));
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(all[i].accepted.hear().text, std::to_string(i));
}

/// The receiver pauses half-way until messages have come, so that messages could get stuck behind
/// the bytes.
TEST_P(Streams, DelayNoMessageOfTheSamePeers) {
  TestTransportOptions options_of_a = options(1);
  Station a(options_of_a);
  Station b(options(2));
  Ends ends = open(options_of_a, b);
  a.knows(b);
  Bytes bytes = pattern(std::size_t{50} << 20);
  Bytes come(bytes.size());
  std::span<std::byte> halves(come);
  std::atomic<std::uint64_t> sent;
  std::atomic<std::uint64_t> received;
  std::promise<void> messages_came;
  auto sender = std::async(std::launch::async, [&] { ends.dialed.send(bytes, sent); });
  auto receiver = std::async(std::launch::async, [&] {
    ends.accepted.receive(halves.first(bytes.size() / 2), received);
    messages_came.get_future().wait();
    ends.accepted.receive(halves.subspan(bytes.size() / 2), received);
  });

  b.on_delivery = [&](const PeerInstance& from, std::string_view payload) {
    b.transport.send(from, payload);
  };
  std::size_t said = 0;
  std::size_t answered_meanwhile = 0;
  auto ping = [&] {
    if (a.received[b.self].size() < said) return;
    answered_meanwhile += said > 0 && sent > 0 && sent < bytes.size() ? 1 : 0;
    a.transport.send(b.self, std::to_string(said++));
  };
  EXPECT_TRUE(settle(
      {&a, &b}, [&] { return answered_meanwhile >= 20; }, ping));
  messages_came.set_value();
  EXPECT_TRUE(settle(
      {&a, &b}, [&] { return is_done(receiver); }, ping));
  sender.get();
  receiver.get();
  EXPECT_TRUE(are_equal(come, bytes));
  EXPECT_GE(answered_meanwhile, 20u) << "sometimes a message came while bytes were on their way";
}

class AStream : public StreamGroup {
 protected:
  static wire::Hello hello_to(const Station& station) {
    return {.group = "kitchen",
            .algorithm = "naimi-trehel",
            .role = wire::Role::stream,
            .self = life(9),
            .means = station.self};
  }
  /// Dials a listener that gives this answer; returns the dialer's result.
  std::future<Stream> dial_to(const RawListener& listener, const std::string& answer) {
    auto dialed = std::async(std::launch::async, [this, address = listener.address()] {
      return Stream(dialing(over_tcp(1)), life(2), address, steady_now() + patience);
    });
    EXPECT_TRUE(settle(
        {}, [&] { return other_.has_value(); },
        [&] {
          if (auto come = listener.accept()) other_ = std::move(come);
        }));
    EXPECT_TRUE(settle({}, [&] { return !other_->heard().empty(); }));
    other_->say(answer);
    return dialed;
  }
  static std::string answer_of(const PeerInstance& life) {
    std::string bytes;
    wire::put_answer(bytes, {life, "naimi-trehel", "", false, 0, 1});
    return bytes;
  }

  std::optional<Raw> other_;
};

TEST_F(AStream, OfSomebodyElseIsRefusedWithASentence) {
  Station b(options(2));
  TestTransportOptions elsewhere = options(1);
  elsewhere.group = "cellar";
  TestTransportOptions otherwise = options(1);
  otherwise.algorithm = "ring";
  TestTransportOptions itself = options(2);
  const std::vector<std::pair<TestTransportOptions, std::string>> table{
      {elsewhere, "this peer belongs to the group \"kitchen\", not of \"cellar\""},
      {otherwise, "the group \"kitchen\" runs \"naimi-trehel\", not \"ring\""},
      {itself, "peer 2 (life 1) is this peer itself"}};
  for (const auto& [who, why] : table) {
    EXPECT_NE(failure_of(who, b).find(why), std::string::npos) << failure_of(who, b);
    EXPECT_TRUE(b.has_logged(why)) << b.log();
  }
  b.self = life(2, 7);
  EXPECT_NE(failure_of(options(1), b).find("this is peer 2 (life 1), not peer 2 (life 7)"),
            std::string::npos);
  EXPECT_TRUE(b.streams.empty());
}

TEST_F(AStream, ThatGoesOnBeforeItIsAnsweredIsDropped) {
  Station b(options(2));
  for (const std::string& more : {std::string("x"), frame_of(hello_to(b)), std::string(5, '\0')}) {
    Raw raw = Raw::to(b.transport.listens().front());
    raw.say(frame_of(hello_to(b)) + more);
    EXPECT_TRUE(settle({&b}, [&] { return raw.has_ended(); }));
    EXPECT_FALSE(raw.answer());
  }
  EXPECT_TRUE(b.has_logged("it did not wait for the answer to its hello")) << b.log();
  EXPECT_TRUE(b.streams.empty());
}

TEST_F(AStream, IsNotOpenedToAnotherLifeThanWasMeant) {
  RawListener listener;
  auto dialed = dial_to(listener, answer_of(life(2, 5)));
  try {
    dialed.get();
    ADD_FAILURE() << "it was opened";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("it is peer 2 (life 5), not peer 2 (life 1)"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(AStream, LosesNothingOfWhatComesRightBehindTheAnswer) {
  RawListener listener;
  std::string note = std::string("\0\0\0\5early", 9) + std::string(55, '\0');
  auto dialed = dial_to(listener, answer_of(life(2)) + note + "bytes");
  Stream stream = dialed.get();
  EXPECT_EQ(stream.hear().text, "early");
  std::array<std::byte, 5> bytes;
  std::atomic<std::uint64_t> moved;
  stream.receive(bytes, moved);
  EXPECT_EQ(std::memcmp(bytes.data(), "bytes", 5), 0);
}

TEST_F(AStream, IsNotOpenedWhereNobodyListens) {
  std::string address;
  {
    Station gone(over_tcp(2));
    address = gone.transport.address();
  }
  EXPECT_THROW(Stream(dialing(over_tcp(1)), life(2), address, steady_now() + patience), Error);
  EXPECT_THROW(Stream(dialing(over_tcp(1)), life(2), "", steady_now() + patience), Error);
}

TEST_F(AStream, GivesUpOnWhoDoesNotAnswer) {
  RawListener listener;
  EXPECT_THROW(
      Stream(dialing(over_tcp(1)), life(2), listener.address(), steady_now() + milliseconds(20)),
      Error);
}

}  // namespace conch::net::testing::stream_test
