// Redis, in two ways, without persistence. RESP is spoken by hand.
//
// `redis_list`: a token in a list. BLPOP waits for it, in the order of arrival; RPUSH gives it to
// who waits longest. An unlock does not wait for its reply: the next lock reads it.
//
// `redis_set`: SET NX PX with a random value, tried again after a random while; released by a
// script that deletes the key if the value is still ours.
#include <fmt/core.h>

#include <charconv>
#include <ctime>
#include <initializer_list>
#include <random>

#include "contender.hpp"

namespace conch::bench {

namespace {

constexpr long retry_min_ns = 100'000;
constexpr long retry_max_ns = 500'000;
/// Far longer than anybody holds the lock.
constexpr const char* time_to_live_ms = "30000";
constexpr const char* release_script =
    "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) "
    "else return 0 end";

std::string command(std::initializer_list<std::string_view> words) {
  std::string text = fmt::format("*{}\r\n", words.size());
  for (std::string_view word : words) text += fmt::format("${}\r\n{}\r\n", word.size(), word);
  return text;
}

class Redis {
 public:
  explicit Redis(std::uint16_t port) : connection_(port) {}

  void send(std::string_view command) { connection_.send(command); }
  /// The reply as a text; of an array its last element; nothing for nil.
  std::optional<std::string> reply() {
    auto value = element();
    connection_.count_received();
    return value;
  }
  std::optional<std::string> ask(std::string_view command) {
    send(command);
    return reply();
  }
  const Traffic& traffic() const { return connection_.traffic(); }

 private:
  std::optional<std::string> element() {
    std::string head(connection_.line());
    switch (head.at(0)) {
      case '+':
      case ':': return head.substr(1);
      case '$': return bulk(number_in(head));
      case '*': return last_of(number_in(head));
      default: throw std::runtime_error("Redis says: " + head);
    }
  }

  std::optional<std::string> bulk(int size) {
    if (size < 0) return std::nullopt;
    std::string text(connection_.exactly(static_cast<std::size_t>(size)));
    connection_.exactly(2);
    return text;
  }

  std::optional<std::string> last_of(int count) {
    std::optional<std::string> last;
    for (int i = 0; i < count; ++i) last = element();
    return last;
  }

  static int number_in(std::string_view head) {
    int number = 0;
    std::from_chars(head.data() + 1, head.data() + head.size(), number);
    return number;
  }

  Connection connection_;
};

class ListEntrant : public Entrant {
 public:
  ListEntrant(std::uint16_t port, const std::string& key)
      : redis_(port), pop_(command({"BLPOP", key, "0"})), push_(command({"RPUSH", key, "t"})) {}

  void create_token() { redis_.ask(push_); }

  void lock(int) override {
    redis_.send(pop_);
    if (std::exchange(unlocked_, false)) redis_.reply();
    if (!redis_.reply()) throw std::runtime_error("BLPOP gave no token");
  }
  void unlock(int) override {
    redis_.send(push_);
    unlocked_ = true;
  }
  Traffic traffic() const override { return redis_.traffic(); }

 private:
  Redis redis_;
  std::string pop_;
  std::string push_;
  bool unlocked_ = false;
};

class SetEntrant : public Entrant {
 public:
  SetEntrant(std::uint16_t port, std::string key)
      : redis_(port),
        key_(std::move(key)),
        script_(redis_.ask(command({"SCRIPT", "LOAD", release_script})).value_or("")) {}

  void lock(int) override {
    value_ = fmt::format("{:016x}", random_());
    std::string set = command({"SET", key_, value_, "NX", "PX", time_to_live_ms});
    while (!redis_.ask(set)) back_off();
  }
  void unlock(int) override {
    if (redis_.ask(command({"EVALSHA", script_, "1", key_, value_})) != "1")
      throw std::runtime_error("the lock in Redis was not ours any more");
  }
  Traffic traffic() const override { return redis_.traffic(); }

 private:
  void back_off() {
    std::uniform_int_distribution<long> any(retry_min_ns, retry_max_ns);
    timespec pause{0, any(random_)};
    nanosleep(&pause, nullptr);
  }

  Redis redis_;
  std::string key_;
  std::string script_;
  std::string value_;
  std::mt19937_64 random_{std::random_device{}()};
};

class RedisServer : public Served {
 public:
  using Served::Served;

  std::string version() override {
    std::string info = Redis(port_).ask(command({"INFO", "server"})).value_or("");
    std::size_t at = info.find("redis_version:");
    return "Redis " +
           (at == std::string::npos ? "?" : info.substr(at + 14, info.find('\r', at) - at - 14));
  }

 protected:
  Process serve(const std::filesystem::path& folder) override {
    port_ = free_port();
    return Process::program({"redis-server", "--port", std::to_string(port_), "--bind", "127.0.0.1",
                             "--appendonly", "no", "--save", "", "--dir", folder.string()},
                            folder / "log");
  }
  std::uint16_t port() const { return port_; }

 private:
  std::uint16_t port_ = 0;
};

class RedisList : public RedisServer {
 public:
  RedisList() : RedisServer("Redis, BLPOP") {}
  void prepare(int) override { key_ = fmt::format("lock:{}", ++round_); }
  std::unique_ptr<Entrant> enter(int process) override {
    auto entrant = std::make_unique<ListEntrant>(port(), key_);
    if (process == 0) entrant->create_token();
    return entrant;
  }

 private:
  int round_ = 0;
  std::string key_;
};

class RedisSet : public RedisServer {
 public:
  RedisSet() : RedisServer("Redis, SET NX") {}
  void prepare(int) override { key_ = fmt::format("lock:{}", ++round_); }
  std::unique_ptr<Entrant> enter(int) override {
    return std::make_unique<SetEntrant>(port(), key_);
  }

 private:
  int round_ = 0;
  std::string key_;
};

}  // namespace

std::unique_ptr<Contender> redis_list() { return std::make_unique<RedisList>(); }
std::unique_ptr<Contender> redis_set() { return std::make_unique<RedisSet>(); }

}  // namespace conch::bench
