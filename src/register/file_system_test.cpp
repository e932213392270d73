#include "register/file_system.hpp"

#include <gtest/gtest.h>
#include <sys/vfs.h>

#include <cstdlib>

#include "register/file_register.hpp"
#include "register/testing/scratch.hpp"

namespace conch::file::file_system_test {

struct Row {
  std::uint32_t magic;
  const char* name;
  bool is_local;
};

/// The numbers that statfs(2) reports.
constexpr Row rows[] = {
    {0xef53, "ext2, ext3 or ext4", true},
    {0x58465342, "XFS", true},
    {0x9123683e, "Btrfs", true},
    {0x01021994, "tmpfs", true},
    {0x858458f6, "ramfs", true},
    {0x2fc12fc1, "ZFS", true},
    {0xf2f52010, "F2FS", true},
    {0xca451a4e, "bcachefs", true},
    {0x794c7630, "OverlayFS", true},
    {0x3153464a, "JFS", true},
    {0x52654973, "ReiserFS", true},
    {0x3434, "NILFS2", true},
    {0x24051905, "UBIFS", true},
    {0x6969, "NFS", false},
    {0x517b, "SMB", false},
    {0xff534d42, "CIFS", false},
    {0xfe534d42, "SMB2", false},
    {0x01021997, "9p", false},
    {0x65735546, "FUSE or virtiofs", false},
    {0x00c36400, "Ceph", false},
    {0x0bd00bd0, "Lustre", false},
    {0x47504653, "GPFS", false},
    {0x01161970, "GFS2", false},
    {0x7461636f, "OCFS2", false},
    {0x73717368, "SquashFS", false},
    {0xcafe4a11, "a file system of type 0xcafe4a11", false},
};

TEST(FileSystem, LocalIsWhatIsKnownToBe) {
  for (const Row& row : rows) {
    EXPECT_EQ(file_system_name(row.magic), row.name);
    EXPECT_EQ(is_known_to_be_local(row.magic), row.is_local) << row.name;
    std::string why = objection_to_file_system("/there", row.magic, false);
    EXPECT_EQ(why.empty(), row.is_local) << why;
    EXPECT_EQ(objection_to_file_system("/there", row.magic, true), "") << row.name;
    if (row.is_local) continue;
    for (const std::string& part :
         {std::string("/there"), std::string(row.name), std::string("--register"),
          std::string("CONCH_TRUST_FILE_SYSTEM=1")})
      EXPECT_NE(why.find(part), std::string::npos) << why;
  }
}

std::string complaint_about(const std::string& directory) {
  try {
    FileRegister reg(directory, {});
  } catch (const RegisterError& error) {
    return error.what();
  }
  return "";
}

/// /proc/self is a directory that the user of each process owns.
TEST(FileSystem, ARegisterIsRefusedWhereItIsNotKnownToBeLocalUnlessTheUserKnowsBetter) {
  ::unsetenv("CONCH_TRUST_FILE_SYSTEM");
  EXPECT_NE(complaint_about("/proc/self").find("is on proc, which other machines may share"),
            std::string::npos)
      << complaint_about("/proc/self");
  ::setenv("CONCH_TRUST_FILE_SYSTEM", "yes", 1);
  EXPECT_NE(complaint_about("/proc/self").find("is on proc"), std::string::npos);
  ::setenv("CONCH_TRUST_FILE_SYSTEM", "1", 1);
  EXPECT_NE(complaint_about("/proc/self").find("cannot make"), std::string::npos)
      << complaint_about("/proc/self");
  ::unsetenv("CONCH_TRUST_FILE_SYSTEM");
}

}  // namespace conch::file::file_system_test
