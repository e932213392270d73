// Redis without persistence: the giver SETs the block and tells the taker, which GETs it. It tells
// the taker through a pipe, which is faster than any command that waits in Redis.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <optional>

#include "net/loopback.hpp"
#include "net/testing/pipe.hpp"
#include "resp.hpp"
#include "way.hpp"

namespace conch::bench {

namespace {

using namespace std::chrono_literals;

constexpr auto start_patience = 20s;
constexpr const char* key = "block";

/// A server with a TCP port and a Unix socket.
class RedisServer {
 public:
  RedisServer()
      : process_(Process::program({"redis-server", "--port", std::to_string(port_.number()),
                                   "--bind", "127.0.0.1", "--unixsocket", socket().string(),
                                   "--save", "", "--appendonly", "no", "--dir", folder_.path()},
                                  folder_.file("log"))) {
    Deadline deadline = in(start_patience);
    while (!answers()) {
      if (wait_readable(std::array{process_.fd()}, in(10ms)) >= 0) process_.finish(deadline);
      if (std::chrono::steady_clock::now() > deadline)
        throw std::runtime_error("redis-server does not answer");
    }
  }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  Descriptor connect(Transport transport) const {
    return transport == Transport::tcp ? connect_to(port_.number()) : connect_to(socket());
  }
  const std::string& version() const { return version_; }

 private:
  std::filesystem::path socket() const { return folder_.file("socket"); }
  bool answers() {
    try {
      version_ = Redis(connect(Transport::unix_sockets)).version();
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  ScratchFolder folder_;
  net::ReservedPort port_;
  Process process_;
  std::string version_;
};

/// Starts the server when it is first needed. If that fails, every later user gets the same error.
class RedisHost {
 public:
  RedisServer& server() {
    if (!failure_.empty()) throw std::runtime_error(failure_);
    try {
      if (!server_) server_.emplace();
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception& error) {
      failure_ = error.what();
      throw;
    }
    return *server_;
  }

 private:
  std::optional<RedisServer> server_;
  std::string failure_;
};

class RedisEnd : public End {
 public:
  RedisEnd(Descriptor socket, std::size_t size, int word_in, int word_out)
      : redis_(std::move(socket)), block_(size), word_in_(word_in), word_out_(word_out) {}

  void give() override {
    redis_.set(key, {block_.data(), block_.size()});
    char word = 0;
    if (write(word_out_, &word, 1) != 1) throw std::runtime_error("the pipe is broken");
  }
  void take() override {
    char word = 0;
    if (read(word_in_, &word, 1) != 1) throw std::runtime_error("the pipe is broken");
    redis_.get(key, block_);
  }
  std::span<std::byte> block() override { return std::as_writable_bytes(std::span(block_)); }

 private:
  Redis redis_;
  std::vector<char> block_;
  int word_in_;
  int word_out_;
};

class RedisValue : public PairWay {
 public:
  RedisValue(Transport transport, std::shared_ptr<RedisHost> host)
      : PairWay(transport == Transport::tcp ? "Redis SET + GET, TCP" : "Redis SET + GET, Unix"),
        transport_(transport),
        host_(std::move(host)) {}

  std::string version() override { return host_->server().version(); }

 protected:
  void prepare(std::size_t size) override {
    host_->server();
    size_ = size;
    pipes_ = {};
  }
  std::unique_ptr<End> enter(int process) override {
    auto at = static_cast<std::size_t>(process);
    return std::make_unique<RedisEnd>(host_->server().connect(transport_), size_,
                                      pipes_[at].out.number(), pipes_[1 - at].in.number());
  }

 private:
  Transport transport_;
  std::shared_ptr<RedisHost> host_;
  std::size_t size_ = 0;
  std::array<Pipe, 2> pipes_;
};

}  // namespace

Ways redis_values() {
  auto host = std::make_shared<RedisHost>();
  Ways ways;
  ways.push_back(std::make_unique<RedisValue>(Transport::unix_sockets, host));
  ways.push_back(std::make_unique<RedisValue>(Transport::tcp, host));
  return ways;
}

}  // namespace conch::bench
