// Couriers that a test drives by hand, and who remember what they were told.
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

#include "net/stream.hpp"
#include "net/testing/courier.hpp"

namespace conch::net::testing {

using recovery::Incarnation;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Nothing that works takes as long.
inline constexpr Duration patience = seconds(20);

class ScratchFolder {
 public:
  ScratchFolder() : path_((std::filesystem::temp_directory_path() / "conch.XXXXXX").string()) {
    if (!::mkdtemp(path_.data())) throw std::runtime_error("no scratch folder at " + path_);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

class Station : public wire::Recipient {
 public:
  explicit Station(CourierOptions options)
      : self(options.self), courier(listening(std::move(options)), *this) {}

  void delivered(const Life& from, std::string_view payload, Time) override {
    received[from].emplace_back(payload);
    if (on_delivery) on_delivery(from, payload);
  }
  void contacted(const std::string& address, const Life& life, Time) override {
    contacts.emplace_back(address, life);
  }
  void broken(const Life& life, const std::string& why, Time) override {
    breaks.emplace_back(life, why);
  }
  void client_came(ClientId client) override { clients.push_back(client); }
  void client_said(ClientId client, std::string_view payload, Time) override {
    said[client].emplace_back(payload);
  }
  void client_left(ClientId client, Time) override { left.push_back(client); }

  void turn(Duration wait = Duration::zero()) {
    courier.flush();
    Readiness ready = courier.wait(steady_now() + wait);
    courier.work(ready);
    courier.flush();
  }
  void knows(const Station& other) { courier.know(other.self, other.courier.address()); }
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

  Life self;
  std::map<Life, std::vector<std::string>> received;
  std::vector<std::pair<std::string, Life>> contacts;
  std::vector<std::pair<Life, std::string>> breaks;
  std::vector<ClientId> clients;
  std::map<ClientId, std::vector<std::string>> said;
  std::vector<ClientId> left;
  std::vector<std::pair<Life, Stream>> streams;
  std::vector<std::string> lines;
  std::function<void(const Life& from, std::string_view payload)> on_delivery;
  Courier courier;

 private:
  CourierOptions listening(CourierOptions options) {
    options.log = [this](const std::string& line) { lines.push_back(line); };
    options.stream_came = [this](const Life& from, Stream stream) {
      streams.emplace_back(from, std::move(stream));
    };
    return options;
  }
};

/// Lets them work until this holds; false if it does not in time. `meanwhile` is done, too.
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
  static Life life(std::uint64_t id, std::uint64_t incarnation = 1) {
    return {NodeId{id}, Incarnation{incarnation}};
  }
  CourierOptions options(std::uint64_t id, std::uint64_t incarnation = 1) const {
    CourierOptions options;
    options.self = life(id, incarnation);
    options.group = "kitchen";
    options.algorithm = "naimi-trehel";
    options.socket = folder.file(std::to_string(id) + ".sock");
    options.listen = {"127.0.0.1:0"};
    return options;
  }
  CourierOptions over_tcp(std::uint64_t id) const {
    CourierOptions options = this->options(id);
    options.tcp_only = true;
    return options;
  }

  ScratchFolder folder;
};

}  // namespace conch::net::testing
