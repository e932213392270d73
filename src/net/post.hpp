// What a courier does, by theme: post.cpp what it is asked for, post_connections.cpp how
// connections come and go, post_handshake.cpp how they begin, post_work.cpp what they bring.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "net/connection.hpp"
#include "net/courier.hpp"
#include "net/line_rate.hpp"
#include "net/poller.hpp"
#include "net/reception.hpp"
#include "net/tls.hpp"
#include "net/ways.hpp"

namespace conch::net {

class Courier::Post {
 public:
  explicit Post(CourierOptions options);
  ~Post();

  const Reception& reception() const { return reception_; }
  const Poller& poller() const { return poller_; }

  void listen_again();
  void live_as(const Life& self);
  void know(const Life& life, const std::string& address);
  void forget(const Life& life);
  void contact(const std::string& address);

  bool send(const Life& to, std::string_view payload);
  void send(ClientId client, std::string_view payload, std::vector<Descriptor> enclosed);
  void dismiss(ClientId client);
  ClientProcess process_of(ClientId client) const;
  void flush();

  void work(const Readiness& ready, Time now, Recipient& recipient);
  Time wakes() const { return due_; }

  bool is_surplus(ClientId client);
  bool is_local(const Life& life) const;
  std::uint32_t version_with(const Life& life) const;
  std::size_t backlog(const Life& life) const;
  std::vector<std::pair<Life, Duration>> unacknowledged(Time now) const;
  const Counts& counts() const { return counts_; }

 private:
  // What the recipient is told as soon as there is one: these may happen in any call.
  struct Broken {
    Life life;
    std::string why;
  };
  struct Left {
    ClientId client;
  };
  using News = std::variant<Broken, Left>;

  static constexpr Time at_once{};

  // post.cpp
  wire::Identity identity() const { return {options_.self, options_.group, options_.algorithm}; }
  Correspondent& correspondent(const Life& life);
  void hang_up(Correspondent& correspondent);
  void break_channel(Correspondent& correspondent, const std::string& why);
  void report(News news);
  void wake_by(Time time);
  void log(const std::string& line) const;
  /// For what anybody outside can cause as often as it likes; a line that says the same fact as an
  /// earlier one is left out, mostly.
  void complain(const std::string& line, const std::string& fact);
  void complain(const std::string& what, const Connection& about, const std::string& why);

  // post_connections.cpp
  Connection* find(Serial serial);
  void accept(const Reception::Door& door, Time now);
  void take_in(Descriptor socket, wire::Route route, Time now);
  void close_doors(Time now);
  void open_doors(Time now);
  void dial(Correspondent& to, Time now);
  void dial(Contact& whom, Time now);
  Connection* dial(const std::string& address, Redial& redial, Purpose purpose, Time now);
  Connection& enroll(Connection connection, std::uint32_t events);
  void close(Connection& connection);
  Socket release(Connection& connection);
  void part(Connection& connection, const std::string& why);
  void leave(Connection& connection);
  void drop(Connection& connection, const std::string& why);
  void refuse(Connection& connection, const std::string& why);
  bool write(Connection& connection);
  template <class Source>
  bool write_from(Connection& connection, Source& source);
  void wait_to_write(Connection& connection, bool waits);

  // post_handshake.cpp
  void connected(Connection& connection);
  void secure(Connection& connection);
  void greet(Connection& connection);
  wire::Hello hello_for(const Connection& connection) const;
  void take_hello(Connection& connection, const wire::Frame& frame);
  void take_peer(Connection& connection, const wire::Hello& hello);
  void take_client(Connection& connection);
  void turn_away(Connection& connection, wire::Role role);
  void take_stream(Connection& connection, const Life& from);
  void answer(Connection& connection, bool known = false, std::uint64_t received = 0);
  void take_answer(Connection& connection, const wire::Frame& frame);
  void begin_sending(Connection& connection, Correspondent& to, const wire::Accepted& accepted);
  bool resume(Correspondent& to, bool known, std::uint64_t received);
  void open(Connection& connection);

  // post_work.cpp
  void serve(Serial serial, std::uint32_t events);
  void serve(Connection& connection, std::uint32_t events);
  void read(Connection& connection);
  void take(Connection& connection, const wire::Frame& frame);
  void take_payload(Connection& connection, Correspondent& from, const wire::Frame& frame);
  void take_acknowledgement(Connection& connection, Correspondent& to, const wire::Frame& frame);
  void acknowledge(Correspondent& correspondent);
  void keep_time();
  void keep_time_of(Correspondent& correspondent);
  void keep_time_of(Contact& contact);
  void tell_news();

  CourierOptions options_;
  std::unique_ptr<TlsContext> tls_;
  Reception reception_;
  Poller poller_;
  Here here_{folder_of(options_.socket)};

  std::unordered_map<Serial, std::unique_ptr<Connection>> connections_;
  Serial next_serial_;
  /// Those that were closed, until nobody on the stack has to do with them.
  std::vector<std::unique_ptr<Connection>> closed_;
  /// Accepted and unknown, the oldest first.
  std::set<Serial> half_open_;
  std::size_t clients_ = 0;
  std::map<Life, Correspondent> correspondents_;
  std::map<std::string, Contact> contacts_;
  std::vector<Correspondent*> dirty_;
  std::vector<Serial> dirty_clients_;

  std::vector<News> news_;
  /// When something is due.
  Time due_ = Time::max();
  /// While the system has no more descriptors, nobody is let in.
  Time doors_open_at_ = Time::max();
  LineRate complaints_;
  Counts counts_;

  // During `work`.
  Recipient* recipient_ = nullptr;
  Time now_{};
  static constexpr std::size_t buffer_bytes = std::size_t{64} << 10;
  std::unique_ptr<char[]> buffer_ = std::make_unique<char[]>(buffer_bytes);
};

}  // namespace conch::net
