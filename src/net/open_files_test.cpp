#include "net/open_files.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "net/testing/station.hpp"

namespace conch::net::testing::open_files_test {

TEST(OpenFiles, KeepsTheLastOnesForThoseThatMustNotFail) {
  struct Row {
    int limit;
    int first_of_peers;
    int first_of_register;
  };
  for (Row row : {Row{20, 10, 15},
                  {64, 32, 48},
                  {256, 224, 240},
                  {1024, 896, 1008},
                  {1 << 20, (1 << 20) - 512, (1 << 20) - 16}}) {
    OpenFiles files(row.limit);
    EXPECT_FALSE(files.is_kept_from_clients(row.first_of_peers - 1)) << row.limit;
    EXPECT_TRUE(files.is_kept_from_clients(row.first_of_peers)) << row.limit;
    EXPECT_FALSE(files.is_kept_for_register(row.first_of_register - 1)) << row.limit;
    EXPECT_TRUE(files.is_kept_for_register(row.first_of_register)) << row.limit;
  }
}

/// Runs with a low limit of open files.
class FewFiles : public Group {
 protected:
  FewFiles() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit few{limit, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewFiles() override { ::setrlimit(RLIMIT_NOFILE, &before_); }

  static constexpr rlim_t limit = 128;
  /// Takes all free numbers below this one.
  static std::vector<Descriptor> fill(int below) {
    std::vector<Descriptor> taken;
    do {
      taken.emplace_back(::dup(STDIN_FILENO));
    } while (taken.back().number() < below - 1);
    return taken;
  }

 private:
  rlimit before_{};
};

TEST_F(FewFiles, AnotherPeerIsReachedWhenClientsHaveTakenTheirs) {
  Station a(options(1));
  Station b(options(2));
  a.knows(b);
  std::vector<Descriptor> taken = fill(limit - 32);
  a.transport.send(b.self, "still");
  EXPECT_TRUE(settle({&a, &b}, [&] { return !b.received.empty(); })) << a.log();
}

TEST_F(FewFiles, WhatIsTheRegistersIsTakenByNobody) {
  Station a(options(1));
  Station b(options(2));
  a.knows(b);
  std::vector<Descriptor> taken = fill(limit - 16);
  a.transport.send(b.self, "later");
  EXPECT_TRUE(settle({&a, &b}, [&] { return a.has_logged("raise `ulimit -n`"); })) << a.log();
  EXPECT_TRUE(b.received.empty());
  auto next = [] { return Descriptor(::dup(STDIN_FILENO)).number(); };
  EXPECT_TRUE(settle({&a, &b}, [&] { return next() == static_cast<int>(limit) - 16; })) << next();
  taken.clear();
  EXPECT_TRUE(settle({&a, &b}, [&] { return !b.received.empty(); })) << a.log();
}

}  // namespace conch::net::testing::open_files_test
