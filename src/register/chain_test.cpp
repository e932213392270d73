// Tests the chain of views with processes that are stopped at the worst moments. Segments are short
// here, so that views are forgotten soon.
#include "register/chain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "register/file_register.hpp"
#include "register/testing/scratch.hpp"
#include "register/testing/views.hpp"

namespace conch::chain_test {

using file::CrashPoint;
using recovery::View;

const PeerInstance a = life(1);
const PeerInstance b = life(2);

class ChainTest : public testing::Test {
 protected:
  static constexpr std::uint64_t segment_views = 4;

  FileRegisterOptions options(file::CrashPoints steps = [](CrashPoint) {}) const {
    return {std::chrono::minutes(1), segment_views, false, std::move(steps)};
  }
  FileRegister client() const { return FileRegister(scratch.path(), options()); }
  /// Runs `deed` the first time that this step is reached.
  FileRegisterOptions at(CrashPoint step, std::function<void()> deed) const {
    return options([step, deed = std::move(deed), done = false](CrashPoint here) mutable {
      if (here == step && !std::exchange(done, true)) deed();
    });
  }
  static FileRegisterOptions stopping(FileRegisterOptions options, CrashPoint step) {
    options.steps = [step](CrashPoint here) {
      if (here == step) ::raise(SIGSTOP);
    };
    return options;
  }
  static View grow(Register& by, int views) {
    View view = by.read().view;
    for (int i = 0; i < views; ++i) {
      ProposalResult verdict = by.propose(after(view, b, {b}));
      EXPECT_TRUE(verdict.accepted);
      view = verdict.snapshot.view;
    }
    return view;
  }
  std::vector<std::string> names(const std::string& beginning) const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(scratch.path()))
      if (entry.path().filename().string().starts_with(beginning))
        found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }
  std::string newest_file() const {
    View view = client().read().view;
    for (const std::string& segment : names("views.")) {
      std::string path = scratch.path() + "/" + segment + "/view." + std::to_string(view.number);
      if (std::filesystem::exists(path)) return path;
    }
    return "";
  }
  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  std::string complaint() const {
    try {
      client();
    } catch (const RegisterError& error) {
      return error.what();
    }
    return "";
  }

  ScratchFolder scratch;
};

TEST_F(ChainTest, ForgetsOldViewsAndKeepsTheLast) {
  FileRegister writer = client();
  std::vector<View> views{{}};
  for (std::uint64_t number = 1; number <= 30; ++number) {
    views.push_back(grow(writer, 1));
    std::uint64_t remembered = 0;
    for (std::uint64_t old = 1; old <= number; ++old)
      remembered += writer.propose(views[old]).accepted;
    EXPECT_GE(remembered, std::min(number, segment_views));
    EXPECT_LE(remembered, 2 * segment_views);
    EXPECT_EQ(client().read().view, views[number]);
  }
  // The current segment, the one before, and the next if it was already made.
  EXPECT_LE(names("views.").size(), 3u);
}

TEST_F(ChainTest, AReaderThatIsFarBehindCatchesUp) {
  FileRegister reader = client();
  FileRegister writer = client();
  for (int views : {1, 3, 4, 5, 17, 40}) {
    View newest = grow(writer, views);
    EXPECT_EQ(reader.read().view, newest);
    EXPECT_EQ(client().read().view, newest);
  }
}

/// Each write to the device protects a view before anybody acts on it: our own, or another's that
/// we have seen and may act on. Opening the chain is not acting on it.
TEST_F(ChainTest, EveryViewIsOnTheDeviceBeforeItIsActedOnAndIsWrittenThereOnce) {
  int writes = 0;
  auto counting = [&] {
    FileRegisterOptions counting =
        options([&](CrashPoint here) { writes += here == CrashPoint::before_fsync; });
    counting.durable = true;
    return counting;
  };
  FileRegister other = client();
  grow(other, 2);
  FileRegister mine(scratch.path(), counting());
  EXPECT_EQ(mine.read().view.number, 2u);
  EXPECT_EQ(writes, 0) << "opening";
  grow(mine, 1);
  mine.read();
  EXPECT_EQ(writes, 1) << "an own view, with those before it";
  grow(other, 1);
  mine.read();
  EXPECT_EQ(writes, 2) << "another's view";
  grow(mine, 1);
  EXPECT_EQ(writes, 3) << "the first of a segment; the last of the one before is there already";

  grow(other, 3);
  FileRegister late(scratch.path(), counting());
  grow(late, 1);
  EXPECT_EQ(writes, 5) << "the first of a segment, and the last of the one before, which names it";
}

/// The hole that segments close: if views were pruned one by one, this link would succeed.
TEST_F(ChainTest, WhoIsStoppedJustBeforeItsLinkIsRefusedHoweverFarTheGroupHasGone) {
  for (int gone : {1, 4, 5, 9, 20, 50}) {
    View before = client().read().view;
    Child late([&] {
      FileRegister mine(scratch.path(), stopping(options(), CrashPoint::before_link));
      return mine.propose(after(before, a, {a})).accepted ? 1 : 0;
    });
    ASSERT_TRUE(late.await_stop());
    FileRegister others = client();
    View newest = grow(others, gone);
    late.send(SIGCONT);
    EXPECT_EQ(late.await_exit(), 0) << gone << " views later";
    EXPECT_EQ(others.read().view, newest);
    EXPECT_EQ(client().read().view, newest) << "and whoever comes anew sees the same";
    EXPECT_EQ(client().propose(after(before, a, {a})).accepted, false);
  }
}

TEST_F(ChainTest, WhoIsStoppedAtTheBeginningOfASegmentIsRefusedToo) {
  for (int place = 0; place < 2 * static_cast<int>(segment_views); ++place) {
    FileRegister others = client();
    grow(others, place % 3 + 1);
    View before = others.read().view;
    View newest;
    FileRegister late(scratch.path(),
                      at(CrashPoint::before_link, [&] { newest = grow(others, 13); }));
    ProposalResult verdict = late.propose(after(before, a, {a}));
    EXPECT_FALSE(verdict.accepted) << "view " << before.number + 1;
    EXPECT_EQ(verdict.snapshot.view, newest);
  }
}

TEST_F(ChainTest, WhoIsStoppedAfterItsLinkWasAccepted) {
  FileRegister others = client();
  View before = grow(others, 2);
  View mine = after(before, a, {a});
  FileRegister late(scratch.path(), at(CrashPoint::after_link, [&] {
                      EXPECT_EQ(others.read().view, mine);
                      grow(others, 3);
                    }));
  ProposalResult verdict = late.propose(mine);
  EXPECT_TRUE(verdict.accepted);
  EXPECT_EQ(verdict.snapshot.view.number, mine.number + 3);
}

/// The one case in which the answer is wrong; see Register::propose.
TEST_F(ChainTest, WhoIsStoppedAfterItsLinkUntilItsViewIsForgottenIsRefused) {
  FileRegister others = client();
  View before = grow(others, 2);
  View newest;
  FileRegister late(scratch.path(), at(CrashPoint::after_link, [&] { newest = grow(others, 20); }));
  ProposalResult verdict = late.propose(after(before, a, {a}));
  EXPECT_FALSE(verdict.accepted);
  EXPECT_EQ(verdict.snapshot.view, newest);
}

TEST_F(ChainTest, WhoIsKilledAnywhereLeavesNothingBehind) {
  for (CrashPoint step : {CrashPoint::before_link, CrashPoint::after_link}) {
    for (int place = 0; place < static_cast<int>(segment_views); ++place) {
      View before = grow(*std::make_unique<FileRegister>(scratch.path(), options()), place + 1);
      {
        Child killed([&] {
          FileRegister mine(scratch.path(), stopping(options(), step));
          return mine.propose(after(before, a, {a})).accepted ? 1 : 0;
        });
        ASSERT_TRUE(killed.await_stop());
        EXPECT_EQ(names("work.").size(), 1u);
      }
      bool accepted = client().read().view.number == before.number + 1;
      EXPECT_EQ(accepted, step == CrashPoint::after_link);
    }
  }
  {
    FileRegister last = client();
    grow(last, 2 * segment_views);
    last.end(a);
  }
  EXPECT_EQ(names("work."), std::vector<std::string>{});
  EXPECT_LE(names("views.").size(), 3u);
}

TEST_F(ChainTest, TheWorkplacesOfTheLivingAreLeftAlone) {
  FileRegister one = client();
  Child stopped([&] {
    FileRegister mine(scratch.path(), stopping(options(), CrashPoint::before_link));
    return mine.propose(after({}, a, {a})).accepted ? 1 : 0;
  });
  ASSERT_TRUE(stopped.await_stop());
  FileRegister two = client();
  grow(two, 3);
  grow(one, 3);
  EXPECT_EQ(names("work.").size(), 3u);
  stopped.send(SIGCONT);
  EXPECT_EQ(stopped.await_exit(), 0);
  EXPECT_EQ(names("work.").size(), 2u);
}

TEST_F(ChainTest, TwoFoundOneRegister) {
  FileRegister first = client();
  FileRegister second(scratch.path(), {std::chrono::seconds(1), 99, false, options().steps});
  EXPECT_EQ(second.lease(), first.lease()) << "the first says how long a lease is";
  EXPECT_TRUE(first.propose(after({}, a, {a})).accepted);
  EXPECT_FALSE(second.propose(after({}, b, {b})).accepted);
}

TEST_F(ChainTest, ATornViewIsAClearError) {
  FileRegister open = client();
  grow(open, 3);
  std::string path = newest_file();
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  EXPECT_NE(complaint().find("/view.3 is torn"), std::string::npos) << complaint();
  write(path, "");
  EXPECT_NE(complaint().find("/view.3 is empty; restore it"), std::string::npos) << complaint();
  write(path, "something else");
  EXPECT_NE(complaint().find("/view.3 is not a view file"), std::string::npos) << complaint();
  write(path, file::to_bytes(file::ViewFile{after({}, a, {a}), ""}));
  EXPECT_NE(complaint().find("/view.3 has view 1 in it"), std::string::npos) << complaint();
  EXPECT_EQ(open.read().view.number, 3u) << "who has read it has no need to";
}

TEST_F(ChainTest, ViewsThatSomebodyRemovedAreAClearError) {
  grow(*std::make_unique<FileRegister>(scratch.path(), options()), 3 * segment_views);
  for (const std::string& segment : names("views."))
    std::filesystem::remove_all(scratch.path() + "/" + segment);
  EXPECT_NE(complaint().find("the newest view is missing from " + scratch.path()),
            std::string::npos)
      << complaint();
}

TEST_F(ChainTest, AForeignChainFileIsAClearError) {
  write(scratch.path() + "/chain", "conch chain 7 x\n");
  EXPECT_NE(complaint().find("/chain has format 7, this conch knows 1"), std::string::npos)
      << complaint();
}

TEST_F(ChainTest, AViewThatIsTooLargeIsRefused) {
  FileRegister open = client();
  View view = after({}, a, {a});
  view.algorithm.assign(file::view_bytes_max, 'x');
  EXPECT_THROW(open.propose(view), std::invalid_argument);
  EXPECT_EQ(open.read().view.number, 0u);
}

TEST_F(ChainTest, AStateDirectoryThatIsRemovedIsAClearError) {
  FileRegister open = client();
  View last = grow(open, 2);
  std::filesystem::remove_all(scratch.path());
  EXPECT_THROW(open.read(), RegisterError);
  EXPECT_THROW(open.propose(after(last, a, {a})), RegisterError);
  EXPECT_THROW(open.renew(b), RegisterError);
}

/// Its contents have not changed, but the next peer would create another register in its place.
TEST_F(ChainTest, WhatWasMovedAwayIsUsedAgainWhenItIsBack) {
  FileRegister open = client();
  View last = grow(open, 2);
  std::string elsewhere = scratch.path() + ".moved";
  for (bool replaced : {false, true}) {
    std::filesystem::rename(scratch.path(), elsewhere);
    if (replaced) FileRegister other(scratch.path(), options());
    EXPECT_THROW(open.renew(a), RegisterError);
    EXPECT_THROW(open.propose(after(last, a, {a})), RegisterError);
    std::filesystem::remove_all(scratch.path());
    std::filesystem::rename(elsewhere, scratch.path());
    EXPECT_EQ(open.read().view, last);
  }
}

TEST_F(ChainTest, AnOlderStateThatWasRestoredIsAClearError) {
  FileRegister open = client();
  grow(open, 2);
  std::string newest = newest_file();
  View last = grow(open, 1);
  std::filesystem::remove(newest_file());
  ASSERT_EQ(newest_file(), newest);
  try {
    open.read();
    FAIL() << "it went back";
  } catch (const RegisterError& error) {
    EXPECT_NE(std::string(error.what()).find("an older state was restored"), std::string::npos);
  }
  EXPECT_THROW(open.propose(after(last, a, {a})), RegisterError);
  EXPECT_THROW(open.renew(a), RegisterError);
}

}  // namespace conch::chain_test
