#include "register/lease_page.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "register/register.hpp"

namespace conch::file {

using namespace std::chrono_literals;

Descriptor copy_of(int descriptor) { return Descriptor(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0)); }

TEST(LeasePage, SaysUntilWhenTheLeaseRuns) {
  LeasePage page(5s);
  LeaseReader reader(copy_of(page.descriptor()));
  EXPECT_EQ(reader.read().end, BootTime{});
  EXPECT_EQ(reader.read().length, 5s);
  page.prolong(BootTime(100s));
  EXPECT_EQ(reader.read().end, BootTime(100s));
  page.finish();
  EXPECT_EQ(reader.read().end, BootTime{});
}

TEST(LeasePage, WhatWasSaidLastStays) {
  std::optional<LeasePage> page(std::in_place, 5s);
  LeaseReader reader(copy_of(page->descriptor()));
  page->prolong(BootTime(100s));
  page.reset();
  EXPECT_EQ(reader.read().end, BootTime(100s));
}

TEST(LeasePage, OnlyItsOwnerWrites) {
  LeasePage page(5s);
  EXPECT_LT(::write(page.descriptor(), "x", 1), 0);
  EXPECT_NE(::ftruncate(page.descriptor(), 0), 0);
  void* place = ::mmap(nullptr, 8, PROT_READ | PROT_WRITE, MAP_SHARED, page.descriptor(), 0);
  EXPECT_EQ(place, MAP_FAILED);
}

TEST(LeasePage, WhatIsNoneIsRefused) {
  Descriptor empty(::memfd_create("empty", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_THROW(LeaseReader{copy_of(empty.number())}, RegisterError);
  EXPECT_THROW(LeaseReader{Descriptor()}, RegisterError);
  Descriptor unsealed(::memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(unsealed.number(), 4096), 0);
  EXPECT_THROW(LeaseReader{copy_of(unsealed.number())}, RegisterError);
  Descriptor file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  EXPECT_THROW(LeaseReader{copy_of(file.number())}, RegisterError);
}

}  // namespace conch::file
