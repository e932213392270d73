// conch doctor reports what is wrong, and reports nothing if nothing is wrong.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/stat.h>

#include "group_shell.hpp"

namespace conch::doctor_test {

class DoctorTest : public GroupShell {
 protected:
  static void expect_to_mend(const Words& words, const std::string& why) {
    Words all{"doctor"};
    all.insert(all.end(), words.begin(), words.end());
    Outcome outcome = run(all);
    EXPECT_EQ(outcome.status, 1) << outcome.out;
    EXPECT_NE(outcome.out.find("error "), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find(why), std::string::npos) << outcome.out;
  }
  static void expect_well(const Words& words, const std::string& what) {
    Words all{"doctor"};
    all.insert(all.end(), words.begin(), words.end());
    Outcome outcome = run(all);
    EXPECT_EQ(outcome.status, 0) << outcome.out;
    EXPECT_NE(outcome.out.find("\n0 errors, "), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find(what), std::string::npos) << outcome.out;
  }
  void openssl(const std::string& words) {
    Process& process = start({"sh", "-c", "cd $SCRATCH; exec openssl " + words});
    ASSERT_EQ(process.await_exit(), 0) << process.output();
  }
  void make_certificate(const std::string& name) {
    openssl("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=" +
            name + " -keyout " + name + ".key -out " + name + ".pem");
  }
};

TEST_F(DoctorTest, APlaceThatWasNeverUsedIsWell) {
  expect_well({}, "the group 'default' has not been used here");
  EXPECT_FALSE(std::filesystem::exists(path("state"))) << "it has made something";
}

TEST_F(DoctorTest, SeesThePeersAndTheRegister) {
  Process& one = ready_peer({"--listen", "127.0.0.1:0"});
  std::string address = address_of(one);
  expect_well({"--listen", address}, "a peer of the group 'default' listens on " + address);
  expect_well({}, ", 1 member; leases of 5000.0 ms");
  expect_well({"--join", address}, address + " answers in ");
  expect_to_mend({"--join", address, "--group", "another"},
                 "this peer belongs to the group \"default\", not of \"another\"");
}

TEST_F(DoctorTest, WhatAnotherUserMayNotSeeIsOneThingToMend) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
  leave(ready_peer());
  ::chmod(scratch.path().c_str(), 0711);
  Process& doctor = start(
      {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", CONCH_COMMAND, "doctor"});
  EXPECT_EQ(doctor.await_exit(), 1) << doctor.output();
  EXPECT_NE(doctor.output().find("\n1 error, "), std::string::npos) << doctor.output();
}

TEST_F(DoctorTest, SaysWhyNobodyWillReachIt) {
  expect_to_mend({"--listen", "0.0.0.0:0"}, "will not listen on 0.0.0.0:0 without TLS");
  expect_to_mend({"--join", "127.0.0.1:1"}, "127.0.0.1:1 cannot be reached");
  expect_to_mend({"--register", "http://127.0.0.1:1"}, "etcd at http://127.0.0.1:1");
}

TEST_F(DoctorTest, APortThatSomebodyElseHas) {
  int other = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof name;
  ASSERT_EQ(::bind(other, reinterpret_cast<sockaddr*>(&name), size), 0);
  ASSERT_EQ(::listen(other, 1), 0);
  ::getsockname(other, reinterpret_cast<sockaddr*>(&name), &size);
  std::string address = "127.0.0.1:" + std::to_string(::ntohs(name.sin_port));
  expect_to_mend({"--listen", address}, "cannot listen on " + address);
  ::close(other);
}

TEST_F(DoctorTest, ACertificateForEtcdHasNoCommonName) {
  make_certificate("named");
  openssl(
      "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /O=plain "
      "-keyout plain.key -out plain.pem");
  Process& password = start({"sh", "-c", "echo shell > $SCRATCH/password"});
  EXPECT_EQ(password.await_exit(), 0);
  auto look = [&](const std::string& certificate, Words more) {
    Words words{"doctor",
                "--register",
                "https://127.0.0.1:1",
                "--register-cert",
                path(certificate + ".pem"),
                "--register-key",
                path(certificate + ".key")};
    words.insert(words.end(), more.begin(), more.end());
    return run(words).out;
  };
  Words user{"--register-user", "conch", "--register-password-file", path("password")};
  std::string sentence = "the certificate in " + path("named.pem") + " has a CommonName";
  EXPECT_NE(look("named", {}).find("warn  " + sentence), std::string::npos);
  EXPECT_NE(look("named", user).find("error " + sentence), std::string::npos);
  EXPECT_EQ(look("plain", user).find("CommonName"), std::string::npos);
}

TEST_F(DoctorTest, AcceptsNothingWithoutEtcd) {
  expect_to_mend({"--accept-restored"}, "name it with --register");
}

TEST_F(DoctorTest, ReadsCertificates) {
  make_certificate("ours");
  make_certificate("theirs");
  auto tls = [&](const std::string& authority, const std::string& key) {
    return Words{"--tls-cert",       path("ours.pem"), "--tls-key",
                 path(key + ".key"), "--tls-ca",       path(authority + ".pem")};
  };
  expect_well(tls("ours", "ours"), "is valid for 30 days");
  expect_to_mend(tls("theirs", "ours"),
                 "is not accepted by peers that trust " + path("theirs.pem"));
  expect_to_mend(tls("ours", "theirs"), "key");
  expect_to_mend(tls("nobody", "ours"), path("nobody.pem"));
  ::chmod(path("ours.key").c_str(), 0644);
  expect_to_mend(tls("ours", "ours"), path("ours.key") + " is open to other users");
  Words words = tls("ours", "ours");
  words.insert(words.begin(), "peer");
  Outcome outcome = run(words);
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_TRUE(outcome.says("chmod 600 it")) << outcome.out;
}

}  // namespace conch::doctor_test
