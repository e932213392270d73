// Leases of real processes: some die, stop, exec or fork, and some are stopped in the middle of a
// renewal.
#include "register/leases.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "net/testing/pipe.hpp"
#include "register/clock.hpp"
#include "register/file_register.hpp"
#include "register/process.hpp"
#include "register/testing/scratch.hpp"
#include "register/testing/views.hpp"

namespace conch::leases_test {

using namespace std::chrono_literals;
using file::CrashPoint;
using recovery::RegisterSnapshot;
using recovery::View;

const PeerInstance a = life(1);
const PeerInstance b = life(2);
constexpr std::chrono::milliseconds soon{10'000};

class LeasesTest : public testing::Test {
 protected:
  FileRegisterOptions options(
      Duration lease, file::CrashPoints steps = [](CrashPoint) {}) const {
    return {lease, 64, false, std::move(steps)};
  }
  std::unique_ptr<FileRegister> client(
      Duration lease = 1min, file::CrashPoints steps = [](CrashPoint) {}) {
    return std::make_unique<FileRegister>(scratch.path(), options(lease, std::move(steps)));
  }
  /// Runs `deed` the first time that this step is reached.
  static file::CrashPoints at(CrashPoint step, std::function<void()> deed) {
    return [step, deed = std::move(deed), done = false](CrashPoint here) mutable {
      if (here == step && !std::exchange(done, true)) deed();
    };
  }
  /// Makes this process a member.
  static void enter(FileRegister& by, const PeerInstance& self) {
    by.attach(self);
    View view = by.read().view;
    while (true) {
      std::vector<PeerInstance> lives{self};
      for (const recovery::Member& member : view.roster) lives.push_back(member.life());
      ProposalResult verdict = by.propose(after(view, self, lives));
      if (verdict.accepted) return;
      view = verdict.snapshot.view;
    }
  }
  /// A process that becomes a member as this life, and then stops itself.
  std::unique_ptr<Child> stopped_member(const PeerInstance& self, Duration lease) {
    auto child = std::make_unique<Child>([this, self, lease] {
      auto mine = client(lease);
      enter(*mine, self);
      ::raise(SIGSTOP);
      return mine->renew(self) ? 1 : 0;
    });
    EXPECT_TRUE(child->await_stop());
    return child;
  }
  static bool await_end(Register& by, const PeerInstance& of) {
    while (!by.read().has_ended(of))
      if (!readable(by.descriptor(), soon)) return false;
    return true;
  }
  std::string folder(const PeerInstance& of) const {
    return scratch.path() + "/life." + std::to_string(of.id.value) + "." +
           std::to_string(static_cast<std::uint64_t>(of.incarnation));
  }
  std::string lease_file(const PeerInstance& of) const {
    for (const auto& entry : std::filesystem::directory_iterator(folder(of)))
      if (entry.path().filename().string().starts_with("lease.")) return entry.path().string();
    return "";
  }
  /// Makes the lease look as if it was given before this boot.
  void let_boot_pass(const PeerInstance& of) const {
    std::string old = lease_file(of);
    std::string boot_before = "11111111-2222-3333-4444-555555555555";
    std::filesystem::rename(old, old.substr(0, old.rfind('.') + 1) + boot_before);
  }

  ScratchFolder scratch;
};

TEST_F(LeasesTest, TheLeaseOfAKilledProcessEndsAtOnce) {
  auto mine = client(1h);
  auto member = stopped_member(a, 1h);
  EXPECT_FALSE(mine->read().has_ended(a));
  EXPECT_FALSE(readable(mine->descriptor(), 0ms));
  member->send(SIGKILL);
  EXPECT_TRUE(readable(mine->descriptor(), soon));
  EXPECT_TRUE(mine->read().has_ended(a));
  EXPECT_FALSE(readable(mine->descriptor(), 0ms)) << "a death is told once";
  EXPECT_FALSE(mine->renew(a));
}

TEST_F(LeasesTest, TheLeaseOfAStoppedProcessEndsByTimeAlone) {
  auto mine = client(500ms);
  auto began = std::chrono::steady_clock::now();
  auto member = stopped_member(a, 500ms);
  EXPECT_TRUE(await_end(*mine, a));
  EXPECT_GE(std::chrono::steady_clock::now() - began, 500ms);
  member->send(SIGCONT);
  EXPECT_EQ(member->await_exit(), 0) << "it woke, and could not renew";
}

TEST_F(LeasesTest, AStoppedProcessIsNotDead) {
  auto mine = client(1h);
  auto member = stopped_member(a, 1h);
  EXPECT_FALSE(mine->read().has_ended(a));
  EXPECT_FALSE(readable(mine->descriptor(), 50ms));
  member->send(SIGCONT);
  EXPECT_EQ(member->await_exit(), 1) << "it woke, and renewed";
}

TEST_F(LeasesTest, AProcessThatExecsIsNoLongerThePeer) {
  auto mine = client(1h);
  Pipe exec;
  Child member([&] {
    auto its = client(1h);
    enter(*its, a);
    ::execl("/bin/sleep", "sleep", "1000", nullptr);
    return 1;
  });
  exec.in = {};
  char nothing = 0;
  EXPECT_EQ(::read(exec.out.number(), &nothing, 1), 0);
  EXPECT_EQ(mine->read().view.decider, a);
  EXPECT_TRUE(mine->read().has_ended(a));
}

/// A process that is member `a`, has forked a child that knows nothing of it, and has stopped.
class Forked {
 public:
  template <class Enter>
  explicit Forked(const Enter& enter)
      : member([&] {
          auto its = enter();
          if (::fork() == 0) {
            ::alarm(60);
            pid_t orphan = ::getpid();
            while (::write(word_.in.number(), &orphan, sizeof orphan) > 0) ::pause();
          }
          ::raise(SIGSTOP);
          return 0;
        }) {
    EXPECT_TRUE(member.await_stop());
    EXPECT_EQ(::read(word_.out.number(), &orphan_, sizeof orphan_),
              static_cast<ssize_t>(sizeof orphan_));
  }
  ~Forked() {
    if (orphan_ > 0) ::kill(orphan_, SIGKILL);
  }
  Forked(const Forked&) = delete;
  Forked& operator=(const Forked&) = delete;

 private:
  Pipe word_;
  pid_t orphan_ = 0;

 public:
  Child member;
};

TEST_F(LeasesTest, AProcessThatForkedAndDiedIsDeadThoughItsChildLives) {
  auto mine = client(1h);
  Forked forked([&] {
    auto its = client(1h);
    enter(*its, a);
    return its;
  });
  EXPECT_FALSE(mine->read().has_ended(a));
  forked.member.send(SIGKILL);
  EXPECT_TRUE(await_end(*mine, a));
}

TEST_F(LeasesTest, WhoComesLaterSeesThatAProcessIsDeadThoughItsChildLives) {
  Forked forked([&] {
    auto its = client(1h);
    enter(*its, a);
    return its;
  });
  forked.member.send(SIGKILL);
  EXPECT_EQ(forked.member.await_exit(), -1);
  EXPECT_TRUE(client(1h)->read().has_ended(a));
}

TEST_F(LeasesTest, AForkHasNoRegister) {
  auto mine = client();
  enter(*mine, a);
  Child fork([&] {
    try {
      mine->renew(a);
    } catch (const std::logic_error&) {
      mine.reset();
      return 7;
    }
    return 0;
  });
  EXPECT_EQ(fork.await_exit(), 7);
  EXPECT_TRUE(mine->renew(a)) << "and what it throws away is not ours";
  EXPECT_TRUE(mine->propose(after(mine->read().view, a, {a})).accepted);
}

TEST_F(LeasesTest, SeveralLivesInOneProcess) {
  auto first = client();
  auto second = client();
  enter(*first, a);
  enter(*second, b);
  EXPECT_EQ(first->read().ended, std::vector<PeerInstance>{});
  EXPECT_EQ(second->read().ended, std::vector<PeerInstance>{});
  first.reset();
  EXPECT_EQ(second->read().ended, std::vector<PeerInstance>{a})
      << "nobody is left to keep its lease";
  EXPECT_TRUE(second->renew(b));
}

TEST_F(LeasesTest, ALifeForWhichWeOnlySpokeOutlivesUs) {
  client()->propose(after({}, a, {a}));
  auto other = client();
  EXPECT_FALSE(other->read().has_ended(a));
  EXPECT_TRUE(other->renew(a));
}

TEST_F(LeasesTest, NumbersOfProcessesAreUsedAgain) {
  auto mine = client();
  enter(*mine, a);
  std::string mark = folder(a) + "/process";
  file::Directory root(scratch.path());
  EXPECT_TRUE(file::watch_process(root, "life.1.1/process"));
  EXPECT_EQ(file::pulse_of(root, "life.1.1/process", false), file::Pulse::alive);
  // The mark has the same process id, but another start time.
  std::string text = *root.read("life.1.1/process", 100);
  std::string process = text.substr(0, text.find(' '));
  root.create("forged", process + " 1" + text.substr(text.rfind(' ')));
  EXPECT_FALSE(file::watch_process(root, "forged"));
  EXPECT_EQ(file::pulse_of(root, "forged", false), file::Pulse::gone) << "nobody has it locked";
  root.create("elsewhere", text.substr(0, text.rfind(' ')) + " 1\n");
  EXPECT_FALSE(file::watch_process(root, "elsewhere")) << "in another container";
  root.create("empty");
  EXPECT_FALSE(file::watch_process(root, "empty"));
}

TEST_F(LeasesTest, TwoProcessesWithOneIdTheOlderIsTold) {
  auto older = client();
  auto newer = client();
  enter(*older, life(1, 1));
  newer->attach(life(1, 2));
  ProposalResult verdict =
      newer->propose(after(newer->read().view, life(1, 2), {life(1, 2)}, {life(1, 1)}));
  EXPECT_TRUE(verdict.accepted);
  EXPECT_EQ(verdict.snapshot.ended, std::vector<PeerInstance>{});
  EXPECT_FALSE(older->renew(life(1, 1)));
  EXPECT_TRUE(newer->renew(life(1, 2)));
}

TEST_F(LeasesTest, TwoProcessesWithOneLifeTheSecondIsTold) {
  auto early = client(1h);
  early->attach(a);
  auto member = stopped_member(a, 1h);
  const std::string words = "another process is peer 1, incarnation 1, in " + scratch.path() +
                            "; draw another incarnation";
  auto complaint = [](const std::function<void()>& deed) -> std::string {
    try {
      deed();
    } catch (const RegisterError& error) {
      return error.what();
    }
    return "both were let in";
  };
  EXPECT_EQ(complaint([&] { client()->attach(a); }), words);
  View without = after(early->read().view, b, {});
  EXPECT_TRUE(early->propose(without).accepted);
  EXPECT_EQ(complaint([&] { early->propose(after(without, a, {a})); }), words);
}

/// The life was let in, evicted and forgotten while it was stopped, and knows nothing of that.
TEST_F(LeasesTest, ALifeThatWasInWithoutKnowingDoesNotComeBack) {
  auto others = client(500ms);
  auto late = client(500ms, at(CrashPoint::after_link, [&] {
                       EXPECT_TRUE(await_end(*others, a));
                       View view = others->read().view;
                       for (int i = 0; i < 200; ++i)
                         view = others->propose(after(view, b, {b})).snapshot.view;
                     }));
  late->attach(a);
  ProposalResult verdict = late->propose(after({}, a, {a}));
  EXPECT_FALSE(verdict.accepted);
  EXPECT_TRUE(late->propose(after(verdict.snapshot.view, a, {a, b})).accepted);
  EXPECT_FALSE(late->renew(a));
  EXPECT_TRUE(await_end(*others, a));
}

TEST_F(LeasesTest, ALeaseOfAnEarlierBootEndsALeaseAfterTheBoot) {
  if (file::since_boot() < 1min) GTEST_SKIP() << "this machine has just booted";
  auto mine = client(1min);
  mine->propose(after({}, a, {a}));
  let_boot_pass(a);
  EXPECT_FALSE(mine->renew(a));
  EXPECT_TRUE(mine->read().has_ended(a));
}

/// The peer is on another machine, which has not rebooted.
TEST_F(LeasesTest, ALeaseOfAnEarlierBootMayStillRun) {
  auto mine = client(file::since_boot() + 1h);
  mine->propose(after({}, a, {a}));
  let_boot_pass(a);
  EXPECT_FALSE(mine->read().has_ended(a));
  EXPECT_TRUE(mine->renew(a));
}

/// The process is in a container that shows another boot id, so its clock cannot be compared with
/// ours.
TEST_F(LeasesTest, AProcessThatSeesAnotherBootIdIsNotPutOut) {
  auto mine = client(1min);
  auto member = stopped_member(a, 1min);
  let_boot_pass(a);
  try {
    mine->read();
    FAIL() << "a living holder was taken for one of an earlier boot";
  } catch (const RegisterError& error) {
    EXPECT_NE(std::string(error.what()).find("is of another boot"), std::string::npos);
  }
  member->send(SIGKILL);
  member->await_exit();
  EXPECT_TRUE(mine->read().has_ended(a));
}

/// A process of this machine cannot have survived the boot.
TEST_F(LeasesTest, AProcessOfAnEarlierBootIsDead) {
  Child dead([&] {
    enter(*client(file::since_boot() + 1h), a);
    return 0;
  });
  EXPECT_EQ(dead.await_exit(), 0);
  let_boot_pass(a);
  EXPECT_TRUE(client()->read().has_ended(a));
}

// Processes stopped in the middle of a renewal.

TEST_F(LeasesTest, WhoIsStoppedInARenewalUntilItsLeaseIsSeenToEndCannotRenew) {
  auto other = client(500ms);
  auto late =
      client(500ms, at(CrashPoint::before_renewal, [&] { EXPECT_TRUE(await_end(*other, a)); }));
  enter(*late, a);
  EXPECT_FALSE(late->renew(a));
  EXPECT_TRUE(other->read().has_ended(a)) << "what was seen to have ended stays ended";
  EXPECT_TRUE(client()->read().has_ended(a));
}

TEST_F(LeasesTest, AProcessThatIsStoppedInARenewalUntilItsLeaseIsSeenToEndCannotRenew) {
  auto other = client(500ms);
  Child late([&] {
    auto its = client(500ms, [](CrashPoint here) {
      if (here == CrashPoint::before_renewal) ::raise(SIGSTOP);
    });
    enter(*its, a);
    return its->renew(a) ? 1 : 0;
  });
  ASSERT_TRUE(late.await_stop());
  EXPECT_TRUE(await_end(*other, a));
  late.send(SIGCONT);
  EXPECT_EQ(late.await_exit(), 0);
  EXPECT_TRUE(other->read().has_ended(a));
}

/// Nobody acted on the end of the lease, so the renewal does no harm.
TEST_F(LeasesTest, WhoIsStoppedInARenewalWhileNobodyLooksMayRenew) {
  auto late =
      client(500ms, at(CrashPoint::before_renewal, [] { std::this_thread::sleep_for(600ms); }));
  enter(*late, a);
  EXPECT_TRUE(late->renew(a));
  EXPECT_TRUE(client()->read().has_ended(a)) << "it counts from before the call, and is over";
  EXPECT_FALSE(late->renew(a));
}

TEST_F(LeasesTest, WhoIsEvictedInTheMiddleOfARenewalIsToldAndWaitedFor) {
  auto other = client();
  View before;
  RegisterSnapshot snapshot;
  auto evict = [&] { snapshot = other->propose(after(before, b, {b}, {a})).snapshot; };
  for (CrashPoint step : {CrashPoint::before_renewal, CrashPoint::after_renewal}) {
    auto late = client(1min, at(step, evict));
    enter(*late, a);
    before = other->read().view;
    EXPECT_FALSE(late->renew(a));
    EXPECT_EQ(snapshot.view.evicted, std::vector<PeerInstance>{a});
    EXPECT_FALSE(snapshot.has_ended(a)) << "it may have believed in the lease it had";
    other->end(a);
    other->propose(after(snapshot.view, b, {b}));
    EXPECT_FALSE(std::filesystem::exists(folder(a)));
  }
}

// Leftovers.

TEST_F(LeasesTest, LivesThatAreNobodysAreRemovedByTheNextProposal) {
  auto mine = client();
  stopped_member(a, 1min);  // It is killed at once.
  enter(*mine, b);
  EXPECT_TRUE(std::filesystem::exists(folder(a))) << "it is on the roster";
  View view = mine->read().view;
  view = mine->propose(after(view, b, {b}, {a})).snapshot.view;
  EXPECT_TRUE(std::filesystem::exists(folder(a))) << "it is evicted";
  mine->propose(after(view, b, {b}));
  EXPECT_FALSE(std::filesystem::exists(folder(a)));
  EXPECT_TRUE(std::filesystem::exists(folder(b)));
}

TEST_F(LeasesTest, ANewcomersLeaseIsNotRemoved) {
  auto others = client();
  auto newcomer =
      client(1min, at(CrashPoint::before_link, [&] { others->propose(after({}, b, {b})); }));
  newcomer->attach(a);
  ProposalResult refused = newcomer->propose(after({}, a, {a}));
  EXPECT_FALSE(refused.accepted);
  EXPECT_TRUE(newcomer->propose(after(refused.snapshot.view, a, {a, b})).accepted);
  EXPECT_TRUE(newcomer->renew(a));
}

/// A cleaner that removes a folder late may remove a new one of the same name. Its peer then loses
/// the lease, but not before it can know.
TEST_F(LeasesTest, AFolderThatVanishesEndsTheLeaseAfterItsTime) {
  auto mine = client(300ms);
  auto other = client(300ms);
  enter(*mine, a);
  auto last = std::chrono::steady_clock::now();
  std::filesystem::remove_all(folder(a));
  EXPECT_FALSE(mine->renew(a));
  EXPECT_TRUE(await_end(*other, a));
  EXPECT_GE(std::chrono::steady_clock::now() - last, 300ms);
  EXPECT_FALSE(mine->renew(a));
  EXPECT_TRUE(client()->read().has_ended(a)) << "from then on all know";
}

TEST_F(LeasesTest, AFolderWithoutALeaseEndsAfterItsTimeToo) {
  auto mine = client(300ms);
  auto other = client(300ms);
  enter(*mine, a);
  std::filesystem::remove(lease_file(a));
  EXPECT_FALSE(mine->renew(a));
  EXPECT_TRUE(await_end(*other, a));
  EXPECT_TRUE(client()->read().has_ended(a));
}

TEST_F(LeasesTest, WhoIsStoppedBeforeItRemovesAFolderDoesNoHarm) {
  View view;
  auto others = client();
  auto slow = client(1min, at(CrashPoint::before_removal, [&] {
                       // Somebody else removes the folder, and then that life joins again.
                       view = others->propose(after(others->read().view, b, {b})).snapshot.view;
                       EXPECT_FALSE(std::filesystem::exists(folder(a)));
                       EXPECT_TRUE(client()->propose(after(view, a, {a, b})).accepted);
                     }));
  stopped_member(a, 1min);  // It is killed at once.
  EXPECT_TRUE(slow->propose(after(slow->read().view, b, {b})).accepted);
  EXPECT_FALSE(others->renew(a)) << "it is out";
  EXPECT_FALSE(others->read().has_ended(a)) << "and has its time to notice";
}

// Lock delays.

TEST_F(LeasesTest, ALockDelayIsWaitedForWhenTheTimeOfALeaseIsOver) {
  auto mine = client(200ms);
  auto member = stopped_member(a, 200ms);
  auto before = std::chrono::steady_clock::now();
  mine->delay(a, 800ms);
  mine->delay(a, 100ms);
  EXPECT_TRUE(await_end(*mine, a));
  EXPECT_GE(std::chrono::steady_clock::now() - before, 800ms) << "the longest counts";
}

TEST_F(LeasesTest, ALockDelayIsNotWaitedForWhenTheProcessIsDead) {
  auto mine = client(1h);
  auto member = stopped_member(a, 1h);
  mine->delay(a, 1h);
  member->send(SIGKILL);
  EXPECT_TRUE(await_end(*mine, a));
}

TEST_F(LeasesTest, ALockDelayMakesNoLeaseLonger) {
  auto mine = client(200ms);
  auto member = stopped_member(a, 200ms);
  mine->delay(a, 1h);
  std::this_thread::sleep_for(250ms);
  member->send(SIGCONT);
  EXPECT_EQ(member->await_exit(), 0) << "it could renew after its lease";
}

}  // namespace conch::leases_test
