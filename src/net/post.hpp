// The sockets below a peer's channels: it listens, dials, reads and writes, and decides nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "net/courier.hpp"
#include "net/poller.hpp"
#include "net/reception.hpp"
#include "net/socket.hpp"
#include "net/tls.hpp"
#include "net/ways.hpp"
#include "wire/channels.hpp"

namespace conch::net {

class Courier::Post final : public wire::Network {
 public:
  explicit Post(CourierOptions options);
  ~Post() override;

  const Reception& reception() const { return reception_; }
  const Poller& poller() const { return poller_; }
  wire::Channels& channels() { return channels_; }

  void listen_again();
  /// These go with what is sent to this client next.
  void enclose(ClientId client, std::vector<Descriptor> descriptors);
  ClientProcess process_of(ClientId client) const;
  void work(const Readiness& ready, Time now, Recipient& recipient);
  Time wakes() const { return std::min(channels_.wakes(), doors_open_at_); }
  /// Something may be due earlier than those know who wait.
  void ring() { poller_.ring_by(wakes()); }

  Dialed dial(const std::string& address, unsigned attempt) override;
  Taken write(Serial serial, std::string_view bytes, bool encloses) override;
  void close(Serial serial) override;
  void hand_over(const wire::Connection& connection, const Life& from) override;
  void log(const std::string& line) override {
    if (options_.log) options_.log(line);
  }

 private:
  struct Line {
    Serial serial = 0;
    Socket socket;
    bool dialed = false;
    enum class Stage : std::uint8_t { connecting, securing, open } stage{};
    /// What epoll watches it for.
    std::uint32_t events = 0;
    /// What goes with messages that say so, the next first.
    std::deque<std::vector<Descriptor>> enclosed = {};
  };

  Line* find(Serial serial);
  Line& add(Socket socket, bool dialed, bool is_connected);
  void watch(Line& line, std::uint32_t events);
  bool wants_tls(wire::Route route) const { return tls_ && route == wire::Route::remote; }
  void accept(const Reception::Door& door, Time now);
  void take_in(Descriptor socket, wire::Route route, Time now);
  void close_doors(Time now);
  void open_doors();
  void serve(Serial serial, std::uint32_t events, Time now);
  void go_on_connecting(Line& line, std::uint32_t events, Time now);
  void secure(Line& line, Time now);
  void read(Line& line, Time now);

  CourierOptions options_;
  std::unique_ptr<TlsContext> tls_;
  Reception reception_;
  wire::Channels channels_;
  Poller poller_;
  Here here_{folder_of(options_.socket)};

  std::unordered_map<Serial, Line> lines_;
  Serial next_serial_;
  /// While the system has no more descriptors, nobody is let in.
  Time doors_open_at_ = Time::max();

  /// During `work`.
  Recipient* recipient_ = nullptr;
  static constexpr std::size_t buffer_bytes = std::size_t{64} << 10;
  std::unique_ptr<char[]> buffer_ = std::make_unique<char[]>(buffer_bytes);
};

}  // namespace conch::net
