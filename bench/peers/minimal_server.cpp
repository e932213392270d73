// The smallest possible lock server: FIFO, one lock, messages of one byte, no lease, no
// acknowledgement of an unlock. It is here because it is hard to beat.
//
// A handover between waiting clients takes six system calls. The unlock and the next lock are a
// `send` each, which the server receives together if the client was fast enough; the server waits,
// receives and sends the grant; the `recv` of the next holder returns.
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <deque>
#include <map>
#include <optional>

#include "contender.hpp"

namespace conch::bench {

namespace {

constexpr char lock_byte = 'L';
constexpr char unlock_byte = 'U';
constexpr char grant_byte = 'G';

class LockServer {
 public:
  explicit LockServer(int listener) : listener_(listener), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    add(listener_, EPOLLIN);
  }

  [[noreturn]] void run() {
    std::array<epoll_event, 64> events;
    for (;;) {
      int count = epoll_wait(epoll_.number(), events.data(), events.size(), -1);
      for (int i = 0; i < count; ++i) {
        int fd = events[static_cast<std::size_t>(i)].data.fd;
        if (fd == listener_)
          welcome();
        else
          serve(fd);
      }
    }
  }

 private:
  void add(int fd, std::uint32_t interest) {
    epoll_event event{};
    event.events = interest;
    event.data.fd = fd;
    epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, fd, &event);
  }

  void welcome() {
    Descriptor client = accept_without_delay(listener_);
    // Edge-triggered mode works because a client's few bytes are always read at once.
    add(client.number(), EPOLLIN | EPOLLET);
    int fd = client.number();
    clients_[fd] = std::move(client);
  }

  void serve(int fd) {
    std::array<char, 256> bytes;
    ssize_t size = recv(fd, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (size == 0) leave(fd);
    for (ssize_t i = 0; i < size; ++i)
      if (bytes[static_cast<std::size_t>(i)] == lock_byte)
        lock(fd);
      else
        unlock();
  }

  void lock(int fd) {
    if (holder_) {
      waiters_.push_back(fd);
    } else {
      grant(fd);
    }
  }

  void unlock() {
    holder_.reset();
    if (waiters_.empty()) return;
    int next = waiters_.front();
    waiters_.pop_front();
    grant(next);
  }

  void grant(int fd) {
    holder_ = fd;
    send(fd, &grant_byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
  }

  void leave(int fd) {
    std::erase(waiters_, fd);
    if (holder_ == fd) unlock();
    clients_.erase(fd);
  }

  int listener_;
  Descriptor epoll_;
  std::map<int, Descriptor> clients_;
  std::optional<int> holder_;
  std::deque<int> waiters_;
};

class MinimalEntrant : public Entrant {
 public:
  explicit MinimalEntrant(std::uint16_t port) : socket_(connect_to(port)) {}

  void lock(int) override {
    put(lock_byte);
    char answer = 0;
    if (recv(socket_.number(), &answer, 1, 0) != 1 || answer != grant_byte)
      throw std::runtime_error("the minimal server did not grant the lock");
    count();
  }
  void unlock(int) override { put(unlock_byte); }
  Traffic traffic() const override { return traffic_; }

 private:
  void put(char byte) {
    if (send(socket_.number(), &byte, 1, MSG_NOSIGNAL) != 1)
      throw std::runtime_error("the minimal server is gone");
    count();
  }
  void count() { traffic_ += {1, 1}; }

  Descriptor socket_;
  Traffic traffic_;
};

class MinimalServer : public Served {
 public:
  MinimalServer() : Served("minimal TCP server") {}
  void prepare(int) override {}
  std::unique_ptr<Entrant> enter(int) override { return std::make_unique<MinimalEntrant>(port_); }

 protected:
  Process serve(const std::filesystem::path&) override {
    Descriptor listener = listen_anywhere();
    port_ = port_of(listener);
    return Process([&]() -> std::string { LockServer(listener.number()).run(); });
  }

 private:
  std::uint16_t port_ = 0;
};

}  // namespace

std::unique_ptr<Contender> minimal_server() { return std::make_unique<MinimalServer>(); }

}  // namespace conch::bench
