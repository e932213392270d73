#include "net/close_on_fork.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "net/descriptor.hpp"

namespace conch::net::close_on_fork_test {

class CloseOnFork : public ::testing::Test {
 protected:
  CloseOnFork() {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    out_ = Descriptor(ends[0]);
    in_ = Descriptor(ends[1]);
  }
  /// Whether the descriptor is open in a forked child.
  static bool is_inherited(int descriptor) {
    pid_t child = ::fork();
    if (child == 0) ::_exit(::fcntl(descriptor, F_GETFD) >= 0 ? 1 : 0);
    int status = -1;
    ::waitpid(child, &status, 0);
    return status != 0;
  }

  Descriptor out_;
  Descriptor in_;
};

TEST_F(CloseOnFork, AChildDoesNotKeepOpenWhatItsParentCloses) {
  close_on_fork(in_.number());
  pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    while (true) ::pause();
  }
  in_ = {};
  pollfd end{out_.number(), POLLIN, 0};
  EXPECT_EQ(::poll(&end, 1, 30'000), 1) << "the child has it open";
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_F(CloseOnFork, TheParentKeepsItsOwn) {
  close_on_fork(in_.number());
  EXPECT_FALSE(is_inherited(in_.number()));
  EXPECT_GE(::fcntl(in_.number(), F_GETFD), 0);
}

TEST_F(CloseOnFork, ANumberThatWasClosedIsForgotten) {
  int number = in_.number();
  close_on_fork(number);
  { Descriptor closed = std::move(in_); }
  Descriptor somebody_elses(::dup2(out_.number(), number));
  EXPECT_TRUE(is_inherited(number));
}

TEST_F(CloseOnFork, NumbersThatAreNoneDoNoHarm) {
  for (int number : {-1, 1 << 16, 1 << 30}) {
    close_on_fork(number);
    forget_on_fork(number);
  }
  EXPECT_TRUE(is_inherited(in_.number()));
}

}  // namespace conch::net::close_on_fork_test
