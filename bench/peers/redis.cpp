// Redis in two ways, without persistence.
//
// `redis_list`: a token in a list. BLPOP waits for it, in the order of arrival; RPUSH gives it to
// the client that has waited longest. An unlock does not wait for its reply: the next lock reads
// it.
//
// `redis_set`: SET NX PX with a random value, tried again after a random pause; a script releases
// it: it deletes the key if the value is still ours.
#include <fmt/core.h>

#include <ctime>
#include <random>

#include "contender.hpp"
#include "net/loopback.hpp"
#include "resp.hpp"

namespace conch::bench {

namespace {

constexpr long retry_min_ns = 100'000;
constexpr long retry_max_ns = 500'000;
/// Far longer than a process holds the lock.
constexpr const char* time_to_live_ms = "30000";
constexpr const char* release_script =
    "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) "
    "else return 0 end";

class ListEntrant : public Entrant {
 public:
  ListEntrant(std::uint16_t port, const std::string& key)
      : redis_(connect_to(port)),
        pop_(command({"BLPOP", key, "0"})),
        push_(command({"RPUSH", key, "t"})) {}

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
      : redis_(connect_to(port)),
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

  std::string version() override { return Redis(connect_to(port_.number())).version(); }

 protected:
  Process serve(const std::filesystem::path& folder) override {
    return Process::program(
        {"redis-server", "--port", std::to_string(port_.number()), "--bind", "127.0.0.1",
         "--appendonly", "no", "--save", "", "--dir", folder.string()},
        folder / "log");
  }
  std::uint16_t port() const { return port_.number(); }

 private:
  net::ReservedPort port_;
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
