#include "peer/streams.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <conch/error.hpp>
#include <thread>

#include "net/stream_connection.hpp"

namespace conch::peer::streams_test {

/// A stream whose other end is silent and never hangs up.
class StreamsTest : public ::testing::Test {
 protected:
  StreamsTest() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    silent_ = net::Descriptor(ends[1]);
    stream_ = std::make_shared<net::Stream>(std::make_unique<net::Stream::Connection>(
        net::Socket(net::Descriptor(ends[0])), wire::Route::remote, "nobody"));
    streams_.enlist(other_, stream_);
  }

  PeerInstance other_{NodeId{1}, Incarnation{1}};
  net::Descriptor silent_;
  Streams::Shared stream_;
  Streams streams_;
};

TEST_F(StreamsTest, ANewLifeDoesNotWaitForAnAnswerToTheOldOne) {
  std::jthread listener([this] { EXPECT_THROW(stream_->hear(), Error); });
  streams_.drop_all();
}

TEST_F(StreamsTest, NobodyWaitsForOneWhoIsNotMentionedAnyMore) {
  std::jthread listener([this] { EXPECT_THROW(stream_->hear(), Error); });
  streams_.follow_view({});
}

TEST_F(StreamsTest, WhatWasGivenBackIsLentAgain) {
  streams_.give_back(other_, stream_);
  EXPECT_EQ(streams_.borrow({}, other_, "").stream, stream_);
  streams_.give_back(other_, stream_);
  streams_.drop_all();
  EXPECT_THROW(streams_.borrow({}, other_, ""), Error) << "a new one has to be opened";
}

}  // namespace conch::peer::streams_test
