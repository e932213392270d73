#include "net/secret_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "net/testing/certificates.hpp"
#include "net/testing/station.hpp"
#include "net/tls.hpp"

namespace conch::net::testing::secret_file_test {

struct Row {
  uid_t owner;
  mode_t mode;
  const char* why;
};

constexpr uid_t user = 1000;
constexpr Row rows[] = {
    {user, 0600, ""},
    {user, 0400, ""},
    {user, 0644, "/key is open to other users, so its content is not secret; chmod 600 it"},
    {user, 0640, "/key is open to other users, so its content is not secret; chmod 600 it"},
    {user, 0620, "/key is open to other users, so its content is not secret; chmod 600 it"},
    {user, 0601, "/key is open to other users, so its content is not secret; chmod 600 it"},
    {0, 0600, ""},
    {0, 0640, ""},
    {0, 0644, "/key is open to other users, so its content is not secret; chmod 600 it"},
    {0, 0660, "/key is open to other users, so its content is not secret; chmod 600 it"},
    {1001, 0600,
     "/key belongs to user 1001, this is user 1000; a secret must belong to this user: chown it"},
};

TEST(ASecretFile, IsOfItsUserAloneOrOfRoot) {
  for (const Row& row : rows) {
    struct stat found {};
    found.st_uid = row.owner;
    found.st_mode = S_IFREG | row.mode;
    EXPECT_EQ(objection_to_secret("/key", found, user), row.why) << row.owner << " " << row.mode;
  }
  struct stat of_root {};
  of_root.st_mode = S_IFREG | 0640;
  EXPECT_NE(objection_to_secret("/key", of_root, 0), "") << "root needs no group to read its own";
}

TEST(ASecretFile, ThatOthersCanReadIsNoKey) {
  ScratchFolder folder;
  Tls tls = Authority(folder.file("ca.pem")).certify(folder.file("peer"));
  EXPECT_NO_THROW(TlsContext{tls});
  EXPECT_NO_THROW(TlsContext{ServerTrust{tls}});
  ::chmod(tls.key.c_str(), 0644);
  auto complaint = [&](auto&& trust) -> std::string {
    try {
      TlsContext context(trust);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(complaint(tls),
            tls.key + " is open to other users, so its content is not secret; chmod 600 it");
  EXPECT_EQ(complaint(ServerTrust{tls}), complaint(tls)) << "as for etcd";
}

}  // namespace conch::net::testing::secret_file_test
