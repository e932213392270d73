// Transports that a test drives by hand, and that record what they receive.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "net/scratch_folder.hpp"
#include "net/stream.hpp"
#include "net/testing/test_transport.hpp"

namespace conch::net::testing {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Far longer than any step of a passing test takes.
inline constexpr Duration patience = seconds(20);

class Station : public wire::Recipient {
 public:
  explicit Station(TestTransportOptions options)
      : self(options.self), transport(listening(std::move(options)), *this) {}

  void delivered(const PeerInstance& from, std::string_view payload, Time) override {
    received[from].emplace_back(payload);
    if (on_delivery) on_delivery(from, payload);
  }
  void contacted(const std::string& address, const PeerInstance& life, Time) override {
    contacts.emplace_back(address, life);
  }
  void broken(const PeerInstance& life, const std::string& why, Time) override {
    breaks.emplace_back(life, why);
  }
  void client_came(ClientId client) override { clients.push_back(client); }
  void client_said(ClientId client, std::string_view payload, Time) override {
    said[client].emplace_back(payload);
  }
  void client_left(ClientId client, Time) override { left.push_back(client); }

  void turn(Duration wait = Duration::zero()) {
    transport.flush();
    Readiness ready = transport.wait(steady_now() + wait);
    transport.work(ready);
    transport.flush();
  }
  void knows(const Station& other) { transport.know(other.self, other.transport.address()); }
  bool has_logged(const std::string& words) const {
    for (const std::string& line : lines)
      if (line.find(words) != std::string::npos) return true;
    return false;
  }
  std::string log() const {
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
  }

  PeerInstance self;
  std::map<PeerInstance, std::vector<std::string>> received;
  std::vector<std::pair<std::string, PeerInstance>> contacts;
  std::vector<std::pair<PeerInstance, std::string>> breaks;
  std::vector<ClientId> clients;
  std::map<ClientId, std::vector<std::string>> said;
  std::vector<ClientId> left;
  std::vector<std::pair<PeerInstance, Stream>> streams;
  std::vector<std::string> lines;
  std::function<void(const PeerInstance& from, std::string_view payload)> on_delivery;
  TestTransport transport;

 private:
  TestTransportOptions listening(TestTransportOptions options) {
    options.log = [this](const std::string& line) { lines.push_back(line); };
    options.stream_came = [this](const PeerInstance& from, Stream stream) {
      streams.emplace_back(from, std::move(stream));
    };
    return options;
  }
};

/// Drives the stations until `holds`; returns false if that takes too long. Calls `meanwhile` each
/// round.
inline bool settle(
    const std::vector<Station*>& stations, const std::function<bool()>& holds,
    const std::function<void()>& meanwhile = [] {}) {
  Time until = steady_now() + patience;
  while (!holds()) {
    if (steady_now() > until) return false;
    meanwhile();
    for (Station* station : stations) station->turn(milliseconds(1) / stations.size());
  }
  return true;
}

/// Stations of one group on one machine.
class Group : public ::testing::Test {
 protected:
  static PeerInstance life(std::uint64_t id, std::uint64_t incarnation = 1) {
    return {NodeId{id}, Incarnation{incarnation}};
  }
  TestTransportOptions options(std::uint64_t id, std::uint64_t incarnation = 1) const {
    TestTransportOptions options;
    options.self = life(id, incarnation);
    options.group = "kitchen";
    options.algorithm = "naimi-trehel";
    options.socket = folder.file(std::to_string(id) + ".sock");
    options.listen = {"127.0.0.1:0"};
    return options;
  }
  TestTransportOptions over_tcp(std::uint64_t id) const {
    TestTransportOptions options = this->options(id);
    options.tcp_only = true;
    return options;
  }

  ScratchFolder folder;
};

}  // namespace conch::net::testing
