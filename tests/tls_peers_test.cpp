// Tests that a stranger without a certificate of the group's authority gets nothing.
#include "group_shell.hpp"

namespace conch::tls_peers_test {

class TlsPeersTest : public GroupShell {
 protected:
  TlsPeersTest() {
    make_authority("ours");
    make_certificate("one", "ours");
    make_certificate("two", "ours");
  }

  void openssl(const std::string& words) {
    Process& process = start({"sh", "-c", "cd $SCRATCH; exec openssl " + words});
    ASSERT_EQ(process.await_exit(), 0) << process.output();
  }
  void make_authority(const std::string& name) {
    openssl("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=" +
            name + " -keyout " + name + ".key -out " + name + ".pem");
  }
  void make_certificate(const std::string& name, const std::string& authority) {
    openssl("req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=" + name +
            " -keyout " + name + ".key -out " + name + ".csr");
    openssl("x509 -req -in " + name + ".csr -CA " + authority + ".pem -CAkey " + authority +
            ".key -CAcreateserial -days 2 -out " + name + ".pem");
  }
  Words tls(const std::string& name, const std::string& authority, Words more = {}) const {
    Words words{"--tcp-only",        "--listen",          "127.0.0.1:0",
                "--tls-cert",        path(name + ".pem"), "--tls-key",
                path(name + ".key"), "--tls-ca",          path(authority + ".pem")};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  /// Expects that the peer gives up as refused, before a user who watches loses patience.
  void expect_refused(const Words& words, const std::string& why) {
    Elsewhere elsewhere(path("elsewhere"));
    Stopwatch watch;
    Process& stranger = peer(words);
    int status = stranger.await_exit(Milliseconds(60'000));
    std::cout << "refused after " << watch.elapsed().count() << " ms: " << stranger.output();
    EXPECT_EQ(status, 1) << stranger.output();
    EXPECT_NE(stranger.output().find(why), std::string::npos) << stranger.output();
    EXPECT_LT(watch.elapsed(), Milliseconds(5000));
  }
};

TEST_F(TlsPeersTest, PeersOfOneAuthorityShareTheirLocks) {
  Process& one = ready_peer(tls("one", "ours"));
  Process& holder = holder_of("deploy");
  Words join = tls("two", "ours", {"--join", address_of(one)});
  Process* two = nullptr;
  Process* waiter = nullptr;
  {
    Elsewhere elsewhere(path("elsewhere"));
    two = &ready_peer(join);
    waiter = &hold({"deploy"});
  }
  ASSERT_TRUE(await([] { return waiting_for("deploy") == 1; })) << waiter->output();
  EXPECT_EQ(status()["members"].size(), 2u);
  expect_end(holder);
  expect_in(*waiter);
  EXPECT_GT(fence_in(*waiter), fence_in(holder));
  expect_end(*waiter);
  leave(*two);
  leave(one);
}

TEST_F(TlsPeersTest, WhoseAuthorityIsAnotherIsRefused) {
  make_authority("theirs");
  make_certificate("stranger", "theirs");
  Process& one = ready_peer(tls("one", "ours"));
  std::string address = address_of(one);
  expect_refused(tls("stranger", "theirs", {"--join", address}), "certificate");
  // It trusts our authority but has a certificate of its own.
  expect_refused(tls("stranger", "ours", {"--join", address}), "certificate");
  EXPECT_TRUE(one.await_output("certificate")) << one.output();
  EXPECT_EQ(status()["members"].size(), 1u);
  EXPECT_EQ(run({"lock", "deploy", "--", "true"}).status, 0);
}

TEST_F(TlsPeersTest, WhoHasNoCertificateIsRefused) {
  Process& one = ready_peer(tls("one", "ours"));
  std::string address = address_of(one);
  expect_refused({"--tcp-only", "--listen", "127.0.0.1:0", "--join", address}, address);
  expect_refused(
      {"--tcp-only", "--listen", "127.0.0.1:0", "--tls-ca", path("ours.pem"), "--join", address},
      "TLS needs all three");
  EXPECT_EQ(status()["members"].size(), 1u);
  EXPECT_EQ(run({"lock", "deploy", "--", "true"}).status, 0);
}

TEST_F(TlsPeersTest, OnlyWhoHasCertificatesOrInsistsListensToTheWorld) {
  Outcome refused = run({"peer", "--listen", "0.0.0.0:0"});
  EXPECT_EQ(refused.status, 1) << refused.out;
  EXPECT_TRUE(refused.says("without TLS: anyone who can reach it could take any lock"))
      << refused.out;
  EXPECT_TRUE(refused.says("--insecure")) << refused.out;
  leave(ready_peer({"--listen", "0.0.0.0:0", "--insecure"}));
  Words words = tls("one", "ours");
  words.insert(words.end(), {"--listen", "0.0.0.0:0"});
  leave(ready_peer(words));
}

}  // namespace conch::tls_peers_test
