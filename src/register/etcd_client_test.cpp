// Tests which member of the cluster the client asks.
#include "register/etcd_client.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <atomic>
#include <thread>

#include "net/dial.hpp"
#include "net/testing/raw.hpp"

namespace conch::etcd::etcd_client_test {

using namespace std::chrono_literals;

constexpr std::string_view outcome =
    R"({"header":{"cluster_id":"3","revision":"2"},"succeeded":true})";

/// A member that answers every request, or none.
class Member {
 public:
  Member() : thread_([this] { serve(); }) {}
  ~Member() {
    ::eventfd_write(stop_.number(), 1);
    thread_.join();
  }
  Endpoint endpoint() const {
    return parse_endpoint("http://" + listener_.address().substr(std::string("tcp:").size()));
  }
  void set_silent(bool silent) { silent_ = silent; }
  /// From now on, answers every request with this error.
  void refuse(const std::string& why) { answer_ = answer("400 Bad Request", why); }

 private:
  struct Guest {
    net::Descriptor socket;
    std::string said = {};
  };

  void serve() {
    std::vector<Guest> guests;
    while (true) {
      std::vector<pollfd> sources{{stop_.number(), POLLIN, 0}, {listener_.number(), POLLIN, 0}};
      for (const Guest& guest : guests) sources.push_back({guest.socket.number(), POLLIN, 0});
      ::poll(sources.data(), sources.size(), -1);
      if (sources[0].revents != 0) return;
      std::erase_if(guests, [this](Guest& guest) { return !hear(guest); });
      if (net::Descriptor socket = listener_.accept_descriptor())
        guests.push_back({std::move(socket)});
    }
  }
  /// False if the client has closed the connection.
  bool hear(Guest& guest) {
    std::array<char, 4096> bytes;
    ssize_t got = ::recv(guest.socket.number(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got <= 0) return got < 0 && errno == EAGAIN;
    guest.said.append(bytes.data(), static_cast<std::size_t>(got));
    // The JSON of a transaction ends the request.
    if (!guest.said.ends_with('}')) return true;
    guest.said.clear();
    if (silent_) return true;
    return ::send(guest.socket.number(), answer_.data(), answer_.size(), MSG_NOSIGNAL) > 0;
  }
  static std::string answer(const std::string& status, const std::string& body) {
    return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
  }

  net::Descriptor stop_{::eventfd(0, EFD_CLOEXEC)};
  net::testing::RawListener listener_;
  std::atomic<bool> silent_ = false;
  std::string answer_ = answer("200 OK", std::string(outcome));
  std::thread thread_;
};

/// Nobody has this address: it is reserved for documentation (RFC 5737).
const Endpoint elsewhere = parse_endpoint("http://192.0.2.1:2379");

TEST(EtcdClient, KnowsWhatIsOnThisMachine) {
  Member here;
  EXPECT_TRUE(net::leads_here(here.endpoint().way));
  EXPECT_TRUE(net::leads_here({"localhost", 2379}));
  EXPECT_FALSE(net::leads_here(elsewhere.way));
  EXPECT_FALSE(net::leads_here({"no.such.host.invalid", 2379}));
}

TEST(EtcdClient, TheMemberOfThisMachineIsAskedFirst) {
  Member here;
  Client client({{elsewhere, here.endpoint()}});
  EXPECT_EQ(client.endpoint().print(), here.endpoint().print());
  client.set_patience(10s);
  EXPECT_TRUE(client.transact({}).succeeded);
  EXPECT_EQ(Client({{elsewhere}}).endpoint().print(), elsewhere.print()) << "if there is one";
}

TEST(EtcdClient, ComesBackToTheMemberOfThisMachine) {
  Member home;
  Member other;
  Client client({{home.endpoint(), other.endpoint()}});
  auto is_home = [&] { return client.endpoint().print() == home.endpoint().print(); };
  client.set_patience(10s);
  client.transact({});
  EXPECT_TRUE(is_home());

  home.set_silent(true);
  client.set_patience(50ms);
  while (is_home()) try {
      client.transact({});
    } catch (const RegisterError&) {  // On a busy machine the other one may be late, too.
    }
  home.set_silent(false);
  client.set_patience(10s);
  while (!is_home()) client.transact({});
  client.transact({});
  EXPECT_TRUE(is_home()) << "and stays there";
}

TEST(EtcdClient, SaysWhatToDoAboutACommonName) {
  Member member;
  member.refuse(
      "CommonName of client sending a request against gateway will be ignored and not used as "
      "expected\n");
  Client client({{member.endpoint()}});
  client.set_patience(10s);
  try {
    client.transact({});
    FAIL() << "it was refused";
  } catch (const EtcdRefusal& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("make one without"), std::string::npos)
        << refusal.what();
  }
}

}  // namespace conch::etcd::etcd_client_test
