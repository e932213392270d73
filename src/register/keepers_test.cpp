// Lives whose process has died while a keeper still has their proof open.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "register/file_register.hpp"
#include "register/testing/scratch.hpp"
#include "register/testing/views.hpp"

namespace conch::keepers_test {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

const PeerInstance a = life(1);
const PeerInstance b = life(2);

/// Sends one descriptor from process to process.
class DescriptorChannel {
 public:
  DescriptorChannel() {
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()) != 0)
      throw std::runtime_error("no sockets");
  }
  DescriptorChannel(const DescriptorChannel&) = delete;
  DescriptorChannel& operator=(const DescriptorChannel&) = delete;
  ~DescriptorChannel() {
    for (int end : ends_) ::close(end);
  }

  void send(int descriptor) {
    ControlMessage parcel;
    cmsghdr* header = CMSG_FIRSTHDR(&parcel.message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    if (::sendmsg(ends_[0], &parcel.message, 0) != 1) throw std::runtime_error("not sent");
  }
  net::Descriptor receive() {
    ControlMessage parcel;
    if (::recvmsg(ends_[1], &parcel.message, MSG_CMSG_CLOEXEC) != 1) return {};
    int descriptor = -1;
    if (const cmsghdr* header = CMSG_FIRSTHDR(&parcel.message))
      std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    return net::Descriptor(descriptor);
  }

 private:
  struct ControlMessage {
    char byte = 'x';
    iovec part{&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr message{};
    ControlMessage() {
      message.msg_iov = &part;
      message.msg_iovlen = 1;
      message.msg_control = control.data();
      message.msg_controllen = control.size();
    }
  };
  std::array<int, 2> ends_{};
};

class KeepersTest : public testing::Test {
 protected:
  std::unique_ptr<FileRegister> client(Duration lease = 1h) {
    FileRegisterOptions options;
    options.lease = lease;
    options.durable = false;
    return std::make_unique<FileRegister>(scratch.path(), options);
  }
  /// A process that is member `a`, has sent its proof, and has stopped.
  std::unique_ptr<Child> member(Duration lease = 1h) {
    auto child = std::make_unique<Child>([this, lease] {
      auto its = client(lease);
      its->attach(a);
      its->propose(after({}, a, {a}));
      channel.send(its->proof(a).number());
      ::raise(SIGSTOP);
      return 0;
    });
    EXPECT_TRUE(child->await_stop());
    proof = channel.receive();
    EXPECT_TRUE(proof);
    return child;
  }
  /// Returns how often it had to look.
  static int await_end(Register& by, const PeerInstance& of, Clock::duration in = 10s) {
    auto deadline = Clock::now() + in;
    int looks = 1;
    for (; !by.read().has_ended(of) && Clock::now() < deadline; ++looks)
      readable(by.descriptor(),
               std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()));
    return looks;
  }

  ScratchFolder scratch;
  DescriptorChannel channel;
  net::Descriptor proof;
};

TEST_F(KeepersTest, ALifeIsNotOverBeforeItsKeeperHasGone) {
  auto early = client();
  auto killed = member();
  EXPECT_FALSE(early->read().has_ended(a));
  killed->send(SIGKILL);
  killed->await_exit();
  auto late = client();
  await_end(*early, a, 100ms);
  EXPECT_FALSE(early->read().has_ended(a)) << "who has seen it alive";
  EXPECT_FALSE(late->read().has_ended(a)) << "who has not";

  proof = {};
  auto gone = Clock::now();
  await_end(*early, a);
  EXPECT_TRUE(early->read().has_ended(a));
  EXPECT_TRUE(late->read().has_ended(a));
  EXPECT_LT(Clock::now() - gone, 1s) << "some 20 ms, but machines are busy";
}

TEST_F(KeepersTest, WhoComesLateSeesTheKeeperGoToo) {
  member()->send(SIGKILL);
  auto late = client();
  EXPECT_FALSE(late->read().has_ended(a));
  proof = {};
  await_end(*late, a);
  EXPECT_TRUE(late->read().has_ended(a));
}

TEST_F(KeepersTest, WhoWaitsForAKeeperDoesNotSpin) {
  auto early = client();
  auto killed = member();
  early->read();
  killed->send(SIGKILL);
  killed->await_exit();
  EXPECT_LE(await_end(*early, a, 300ms), 40);
}

TEST_F(KeepersTest, ALeaseRunsOutThoughItIsKept) {
  auto early = client(500ms);
  auto killed = member(500ms);
  early->read();
  auto died = Clock::now();
  killed->send(SIGKILL);
  killed->await_exit();
  await_end(*early, a);
  EXPECT_TRUE(early->read().has_ended(a));
  EXPECT_LT(Clock::now() - died, 5s);
}

TEST_F(KeepersTest, AnEndIsAnEndThoughItIsKept) {
  auto early = client();
  auto stopped = member();
  early->end(a);
  EXPECT_TRUE(early->read().has_ended(a));
}

TEST_F(KeepersTest, ALifeWithSeveralKeepersWaitsForTheLast) {
  auto early = client();
  auto mine = client();
  mine->attach(b);
  mine->propose(after({}, b, {b}));
  net::Descriptor first = mine->proof(b);
  net::Descriptor second = mine->proof(b);
  mine.reset();
  EXPECT_FALSE(early->read().has_ended(b));
  first = {};
  EXPECT_FALSE(early->read().has_ended(b));
  second = {};
  EXPECT_TRUE(early->read().has_ended(b));
}

TEST_F(KeepersTest, ThereIsNoProofOfWhatDidNotBeginHere) {
  auto mine = client();
  EXPECT_THROW(mine->proof(a), std::logic_error);
  mine->attach(a);
  EXPECT_THROW(mine->proof(a), std::logic_error) << "not begun";
  mine->propose(after({}, a, {a, b}), b);
  EXPECT_THROW(mine->proof(b), std::logic_error) << "for which we only speak";
}

TEST_F(KeepersTest, AKeptLifeThatNobodyMentionsIsNotSwept) {
  auto early = client();
  member()->send(SIGKILL);
  recovery::View view = early->read().view;
  view = early->propose(after(view, b, {b}), b).snapshot.view;
  EXPECT_TRUE(std::filesystem::exists(scratch.path() + "/life.1.1"));
  proof = {};
  early->propose(after(view, b, {b}), b);
  EXPECT_FALSE(std::filesystem::exists(scratch.path() + "/life.1.1"));
}

}  // namespace conch::keepers_test
