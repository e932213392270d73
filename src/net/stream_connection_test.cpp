// Tests one end of a stream; the test plays an arbitrary other end.
#include "net/stream_connection.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <conch/error.hpp>
#include <cstring>
#include <filesystem>
#include <future>
#include <thread>

#include "net/testing/station.hpp"

namespace conch::net::testing::stream_connection_test {

std::size_t open_descriptors() {
  std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

Descriptor memory_holding(const std::string& text) {
  Descriptor memory(::memfd_create("test", MFD_CLOEXEC));
  EXPECT_EQ(::pwrite(memory.number(), text.data(), text.size(), 0),
            static_cast<ssize_t>(text.size()));
  return memory;
}

std::string text_in(const Descriptor& memory) {
  std::array<char, 100> bytes{};
  ssize_t got = ::pread(memory.number(), bytes.data(), bytes.size(), 0);
  return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

class StreamLine : public ::testing::Test {
 protected:
  explicit StreamLine(Duration line_patience = patience) {
    std::array<int, 2> both{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, both.data()), 0);
    stream = std::make_unique<Stream>(std::make_unique<Stream::Connection>(
        Socket(Descriptor(both[0])), wire::Route::local, "the other", line_patience));
    other = Descriptor(both[1]);
  }
  void say(std::string_view bytes) const {
    EXPECT_EQ(::send(other.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  /// Sends the bytes with this many copies of a descriptor.
  void say(std::string_view bytes, const Descriptor& passed, std::size_t copies) const {
    iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(100 * sizeof(int))> besides{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = besides.data();
    message.msg_controllen = CMSG_SPACE(copies * sizeof(int));
    cmsghdr* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(copies * sizeof(int));
    int number = passed.number();
    for (std::size_t i = 0; i < copies; ++i)
      std::memcpy(CMSG_DATA(rights) + i * sizeof number, &number, sizeof number);
    EXPECT_EQ(::sendmsg(other.number(), &message, MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  template <class Act>
  static std::string failure_of(Act act) {
    try {
      act();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  std::unique_ptr<Stream> stream;
  Descriptor other;
  std::vector<std::byte> bytes = std::vector<std::byte>(std::size_t{8} << 20);
  std::atomic<std::uint64_t> moved = 0;
};

const std::string note = std::string("\0\0\0\4note", 8) + std::string(56, '\0');
const std::string failed = "the stream to the other has failed: ";

// Descriptors.

TEST_F(StreamLine, PassesADescriptorWithANote) {
  Stream far(
      std::make_unique<Stream::Connection>(Socket(std::move(other)), wire::Route::local, "near"));
  {
    Descriptor memory = memory_holding("written here");
    stream->say("look at this", memory.number());
    EXPECT_TRUE(memory) << "it stays the caller's";
  }
  stream->say("and nothing with this");
  Stream::Message first = far.hear();
  EXPECT_EQ(first.text, "look at this");
  ASSERT_TRUE(first.descriptor);
  EXPECT_EQ(text_in(first.descriptor), "written here");
  EXPECT_NE(::fcntl(first.descriptor.number(), F_GETFD) & FD_CLOEXEC, 0);
  Stream::Message second = far.hear();
  EXPECT_EQ(second.text, "and nothing with this");
  EXPECT_FALSE(second.descriptor);
}

TEST_F(StreamLine, PassesADescriptorWithAnEmptyNoteAndBytesBehindIt) {
  Stream far(
      std::make_unique<Stream::Connection>(Socket(std::move(other)), wire::Route::local, "near"));
  Descriptor memory = memory_holding("here");
  stream->say("", memory.number());
  stream->send(std::as_bytes(std::span("bytes", 5)), moved);
  EXPECT_EQ(text_in(far.hear().descriptor), "here");
  far.receive(std::span(bytes).first(5), moved);
  EXPECT_EQ(std::memcmp(bytes.data(), "bytes", 5), 0);
}

TEST_F(StreamLine, PassesNoDescriptorToAnotherMachine) {
  std::array<int, 2> both{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both.data()), 0);
  Stream far(
      std::make_unique<Stream::Connection>(Socket(Descriptor(both[0])), wire::Route::remote, "x"));
  Descriptor held(both[1]);
  EXPECT_EQ(failure_of([&] { far.say("take it", other.number()); }),
            "no descriptor can be passed to x: the stream is not local");
}

TEST_F(StreamLine, LeaksNoDescriptorThatNobodyAskedFor) {
  Descriptor memory = memory_holding("once");
  std::size_t before = open_descriptors();
  for (std::size_t copies : {2u, 3u, 8u, 9u, 50u}) {
    say(note, memory, copies);
    Stream::Message heard = stream->hear();
    EXPECT_EQ(heard.text, "note");
    EXPECT_EQ(text_in(heard.descriptor), "once") << "the first is kept";
    EXPECT_EQ(open_descriptors(), before + 1) << copies;
  }
  for (char part : note) say({&part, 1}, memory, 2);
  EXPECT_TRUE(stream->hear().descriptor) << "with each byte of it one";
  EXPECT_EQ(open_descriptors(), before);

  say("bytes", memory, 2);
  stream->receive(std::span(bytes).first(5), moved);
  EXPECT_EQ(open_descriptors(), before) << "with bytes";

  say(std::string("\0\0\0\x7c", 4) + std::string(60, 'x'));
  say(std::string(64, 'x'), memory, 2);
  EXPECT_FALSE(stream->hear().descriptor) << "after the beginning of a note";
  EXPECT_EQ(open_descriptors(), before);

  say(std::string(4, '\xff'), memory, 2);
  EXPECT_THROW(stream->hear(), Error);
  EXPECT_EQ(open_descriptors(), before) << "with a note that is none";

  say(note, memory, 2);
  stream.reset();
  EXPECT_EQ(open_descriptors(), before - 1) << "with a note that nobody heard";
}

// Violations of the protocol.

TEST_F(StreamLine, FailsForGoodAtANoteThatIsTooLong) {
  say(std::string("\0\0\x50\1", 4));
  EXPECT_EQ(failure_of([&] { stream->hear(); }),
            failed + "it announces a note of 20481 bytes, more than the 20480 one may have");
  say(note);
  EXPECT_EQ(failure_of([&] { stream->hear(); }), "the stream to the other has already failed");
  EXPECT_THROW(stream->say("x"), Error);
  EXPECT_THROW(stream->send(bytes, moved), Error);
  EXPECT_THROW(stream->receive(bytes, moved), Error);
}

TEST_F(StreamLine, FailsWhenTheOtherHangsUpInsideANote) {
  say(note.substr(0, 6));
  other = Descriptor();
  EXPECT_EQ(failure_of([&] { stream->hear(); }), failed + "the other side closed the connection");
}

TEST_F(StreamLine, FailsWhenTheOtherHangsUpInsideTheLengthOfANote) {
  say(note.substr(0, 3));
  other = Descriptor();
  EXPECT_EQ(failure_of([&] { stream->hear(); }), failed + "the other side closed the connection");
}

// Aborting.

/// The woken thread owns the stream and destroys it at once, perhaps while `abort` still runs.
TEST_F(StreamLine, AbortWakesWhoHears) {
  Stream* aborted = stream.get();
  auto hearing = std::async(std::launch::async, [&] {
    std::unique_ptr<Stream> owned = std::move(stream);
    return failure_of([&] { owned->hear(); });
  });
  aborted->abort();
  EXPECT_EQ(hearing.get(), failed + "it was aborted");
}

TEST_F(StreamLine, AbortWakesWhoReceives) {
  Stream* aborted = stream.get();
  auto receiving = std::async(std::launch::async, [&] {
    std::unique_ptr<Stream> owned = std::move(stream);
    return failure_of([&] { owned->receive(bytes, moved); });
  });
  say("a beginning");
  while (moved == 0) std::this_thread::yield();
  aborted->abort();
  EXPECT_EQ(receiving.get(), failed + "it was aborted");
}

TEST_F(StreamLine, AbortWakesWhoSends) {
  Stream* aborted = stream.get();
  auto sending = std::async(std::launch::async, [&] {
    std::unique_ptr<Stream> owned = std::move(stream);
    return failure_of([&] { owned->send(bytes, moved); });
  });
  pollfd one{other.number(), POLLIN, 0};
  EXPECT_EQ(::poll(&one, 1, 20'000), 1) << "it has begun";
  aborted->abort();
  EXPECT_EQ(sending.get(), failed + "it was aborted");
  EXPECT_LT(moved, bytes.size());
}

TEST_F(StreamLine, IsNotUsedAfterAnAbortEvenIfSomethingHasCome) {
  say(note);
  stream->abort();
  stream->abort();
  EXPECT_EQ(failure_of([&] { stream->hear(); }), failed + "it was aborted");
}

// Silence.

class ImpatientStreamLine : public StreamLine {
 protected:
  static constexpr Duration little = milliseconds(20);
  ImpatientStreamLine() : StreamLine(little) {}
  const std::string silent = failed + "nothing has moved for 1 s";
};

TEST_F(ImpatientStreamLine, EndsInTheMiddleOfANote) {
  say(note.substr(0, 6));
  EXPECT_EQ(failure_of([&] { stream->hear(); }), silent);
}

TEST_F(ImpatientStreamLine, EndsInTheMiddleOfALength) {
  say(note.substr(0, 1));
  EXPECT_EQ(failure_of([&] { stream->hear(); }), silent);
}

TEST_F(ImpatientStreamLine, EndsInTheMiddleOfBytes) {
  say("a beginning");
  EXPECT_EQ(failure_of([&] { stream->receive(bytes, moved); }), silent);
  EXPECT_EQ(moved, 11u);
}

TEST_F(ImpatientStreamLine, EndsWhenNobodyReads) {
  EXPECT_EQ(failure_of([&] { stream->send(bytes, moved); }), silent);
  EXPECT_GT(moved, 0u);
  EXPECT_LT(moved, bytes.size());
}

TEST_F(ImpatientStreamLine, IsBorneBetweenNotes) {
  auto hearing = std::async(std::launch::async, [&] { return stream->hear().text; });
  EXPECT_EQ(hearing.wait_for(3 * little), std::future_status::timeout);
  say(note);
  EXPECT_EQ(hearing.get(), "note");
}

class PatientStreamLine : public StreamLine {
 protected:
  static constexpr Duration some = milliseconds(400);
  PatientStreamLine() : StreamLine(some) {}
};

TEST_F(PatientStreamLine, CountsSilenceAnewWheneverSomethingMoves) {
  auto receiving = std::async(std::launch::async, [&] {
    return failure_of([&] { stream->receive(std::span(bytes).first(12), moved); });
  });
  Time began = steady_now();
  for (int i = 0; i < 12; ++i) {
    std::this_thread::sleep_for(began + i * some / 8 - steady_now());
    say("x");
  }
  EXPECT_EQ(receiving.get(), "") << "for longer than its patience";
}

}  // namespace conch::net::testing::stream_connection_test
