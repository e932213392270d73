// etcd as a single node: a lease for each process, and the lock service of the v3 API. It is
// reached through etcd's own HTTP gateway, over one connection for each process.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>

#include "contender.hpp"
#include "net/loopback.hpp"
#include "register/etcd_talk.hpp"

namespace conch::bench {

namespace {

using Json = nlohmann::json;

constexpr int lease_s = 60;

/// JSON requests and answers over one HTTP/1.1 connection that stays open.
class Gateway {
 public:
  explicit Gateway(std::uint16_t port) : connection_(connect_to(port)) {}

  Json post(std::string_view path, const Json& question) {
    std::string body = question.dump();
    return ask(fmt::format("POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{}",
                           path, body.size(), body));
  }
  Json get(std::string_view path) {
    return ask(fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", path));
  }
  const Traffic& traffic() const { return connection_.traffic(); }

 private:
  struct Head {
    int status = 0;
    std::size_t size = 0;
    bool chunked = false;
  };

  Json ask(std::string_view request) {
    connection_.send(request);
    Head head = read_head();
    std::string body = head.chunked ? read_chunks() : std::string(connection_.exactly(head.size));
    connection_.count_received();
    if (head.status != 200) throw std::runtime_error("etcd says: " + body);
    return Json::parse(body);
  }

  Head read_head() {
    Head head;
    std::string status(connection_.line());
    constexpr std::size_t code_at = std::string_view("HTTP/1.1 ").size();
    head.status = static_cast<int>(number(status.substr(std::min(code_at, status.size())), 10));
    for (;;) {
      std::string field(connection_.line());
      if (field.empty()) return head;
      std::ranges::transform(field, field.begin(), [](unsigned char c) { return std::tolower(c); });
      if (field.starts_with("content-length: ")) head.size = number(field.substr(16), 10);
      if (field == "transfer-encoding: chunked") head.chunked = true;
    }
  }

  std::string read_chunks() {
    std::string body;
    for (;;) {
      std::size_t size = number(std::string(connection_.line()), 16);
      body += connection_.exactly(size);
      connection_.exactly(2);
      if (size == 0) return body;
    }
  }

  static std::size_t number(const std::string& text, int base) {
    std::size_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value, base);
    return value;
  }

  Connection connection_;
};

/// A client with a lease of its own, which the destructor revokes.
class EtcdEntrant : public Entrant {
 public:
  EtcdEntrant(std::uint16_t port, std::string_view name)
      : gateway_(port), lease_(gateway_.post("/v3/lease/grant", {{"TTL", lease_s}}).at("ID")) {
    question_ = {{"name", etcd::to_base64(name)}, {"lease", lease_}};
  }
  ~EtcdEntrant() override {
    try {
      gateway_.post("/v3/lease/revoke", {{"ID", lease_}});
    } catch (const std::exception&) {
      return;  // the server is gone, and the lease with it
    }
  }

  void lock(int) override { key_ = gateway_.post("/v3/lock/lock", question_).at("key"); }
  void unlock(int) override { gateway_.post("/v3/lock/unlock", {{"key", key_}}); }
  Traffic traffic() const override { return gateway_.traffic(); }

 private:
  Gateway gateway_;
  std::string lease_;
  Json question_;
  std::string key_;
};

class Etcd : public Served {
 public:
  Etcd() : Served("etcd") {}

  std::string version() override {
    return "etcd " + Gateway(port_.number()).get("/version").value("etcdserver", "?");
  }
  void prepare(int) override { name_ = fmt::format("lock{}", ++round_); }
  std::unique_ptr<Entrant> enter(int) override {
    return std::make_unique<EtcdEntrant>(port_.number(), name_);
  }

 protected:
  Process serve(const std::filesystem::path& folder) override {
    std::string clients = "http://" + port_.address();
    std::string peers = "http://" + peer_port_.address();
    return Process::program({"etcd", "--name", "bench", "--data-dir", folder / "data",
                             "--listen-client-urls", clients, "--advertise-client-urls", clients,
                             "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers,
                             "--initial-cluster", "bench=" + peers, "--log-level", "error"},
                            folder / "log");
  }

 private:
  net::ReservedPort port_;
  net::ReservedPort peer_port_;
  int round_ = 0;
  std::string name_;
};

}  // namespace

std::unique_ptr<Contender> etcd() { return std::make_unique<Etcd>(); }

}  // namespace conch::bench
