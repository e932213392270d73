#include "capi/environment.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

namespace conch::capi::environment_test {

class Environment : public ::testing::Test {
 protected:
  static void set(const char* name, const char* value) { ::setenv(name, value, 1); }
  void TearDown() override {
    for (const char* name :
         {"CONCH_ALGORITHM", "CONCH_LISTEN", "CONCH_ADVERTISE", "CONCH_JOIN", "CONCH_INSECURE",
          "CONCH_TCP_ONLY", "CONCH_TLS_CERT", "CONCH_TLS_KEY", "CONCH_TLS_CA", "CONCH_LEASE_MS",
          "CONCH_PERSIST", "CONCH_TRACE", "CONCH_REGISTER", "CONCH_REGISTER_CA",
          "CONCH_REGISTER_CERT", "CONCH_REGISTER_KEY", "CONCH_REGISTER_USER",
          "CONCH_REGISTER_PASSWORD_FILE"})
      ::unsetenv(name);
  }
  static std::string complaint() {
    try {
      options_from_environment("g");
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }
};

TEST_F(Environment, SaysNothing) {
  PeerOptions options = options_from_environment("g");
  EXPECT_EQ(options.group, "g");
  EXPECT_TRUE(options.listen.empty());
  EXPECT_TRUE(options.join.empty());
  EXPECT_FALSE(options.insecure);
  EXPECT_FALSE(options.tls.enabled());
  EXPECT_EQ(options.lease, PeerOptions().lease);
}

TEST_F(Environment, SaysEverything) {
  set("CONCH_ALGORITHM", "elmp");
  set("CONCH_LISTEN", "a:1,b:2,");
  set("CONCH_ADVERTISE", "c:3");
  set("CONCH_JOIN", "d:4,,e:5");
  set("CONCH_REGISTER", "http://f:6,http://g:7");
  set("CONCH_REGISTER_CA", "authority");
  set("CONCH_REGISTER_CERT", "certificate");
  set("CONCH_REGISTER_KEY", "its key");
  set("CONCH_REGISTER_USER", "who");
  set("CONCH_REGISTER_PASSWORD_FILE", "file");
  set("CONCH_INSECURE", "1");
  set("CONCH_TCP_ONLY", "yes");
  set("CONCH_TLS_CERT", "cert");
  set("CONCH_TLS_KEY", "key");
  set("CONCH_TLS_CA", "ca");
  set("CONCH_LEASE_MS", "700");
  set("CONCH_PERSIST", "on");
  set("CONCH_TRACE", "trace.%p");
  PeerOptions options = options_from_environment("g");
  EXPECT_EQ(options.algorithm, "elmp");
  EXPECT_EQ(options.listen, (std::vector<std::string>{"a:1", "b:2"}));
  EXPECT_EQ(options.advertise, "c:3");
  EXPECT_EQ(options.join, (std::vector<std::string>{"d:4", "e:5"}));
  EXPECT_EQ(options.etcd.endpoints, (std::vector<std::string>{"http://f:6", "http://g:7"}));
  EXPECT_EQ(options.etcd.authority + " " + options.etcd.certificate + " " + options.etcd.key + " " +
                options.etcd.user + " " + options.etcd.password_file,
            "authority certificate its key who file");
  EXPECT_TRUE(options.insecure);
  EXPECT_TRUE(options.tcp_only);
  EXPECT_EQ(options.tls.certificate + options.tls.key + options.tls.authority, "certkeyca");
  EXPECT_EQ(options.lease, std::chrono::milliseconds(700));
  EXPECT_TRUE(options.persist);
  EXPECT_EQ(options.trace, "trace." + std::to_string(::getpid()));
}

TEST_F(Environment, TalksNonsense) {
  set("CONCH_INSECURE", "perhaps");
  EXPECT_EQ(complaint(), "CONCH_INSECURE=perhaps: expected 1 or 0");
  set("CONCH_INSECURE", "0");
  for (const char* nonsense : {"5s", "0", "-1", "99999999999"}) {
    set("CONCH_LEASE_MS", nonsense);
    EXPECT_NE(complaint().find("expected a number of milliseconds"), std::string::npos) << nonsense;
  }
}

}  // namespace conch::capi::environment_test
