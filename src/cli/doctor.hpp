// Checks, one by one, what would keep a peer from working here. Checking changes nothing: it
// creates no directory, writes no key, and keeps no port.
#pragma once

#include <conch/peer.hpp>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "net/tls.hpp"
#include "peer/directories.hpp"
#include "recovery/view.hpp"

namespace conch::cli {

struct Diagnosis {
  enum class How : std::uint8_t { good, doubtful, bad } how{};
  /// A sentence; for a problem, with what to do about it.
  std::string what;
};

class Doctor {
 public:
  using Report = std::function<void(const Diagnosis&)>;

  Doctor(PeerOptions options, Report report);
  void look();
  /// The only action that changes something; see etcd_restored.hpp.
  void accept_restored();

 private:
  void look_at_machine();
  void look_at_clock();
  void look_at_directories();
  void look_at_certificates();
  void look_at(const std::string& certificate, const std::string& authority);
  void look_at_common_name();
  void look_at_ports();
  void look_at_register();
  void look_at_files();
  void look_at_place_for_files();
  void look_at_room();
  std::filesystem::path place_for_files() const;
  void look_at_etcd();
  void look_at_contacts();
  void look_at_peers_here();
  void look_at_members(const recovery::RegisterSnapshot& snapshot);
  void ask(const std::string& whom, const std::string& address, const net::Tls& tls);

  void good(std::string what) { report_({Diagnosis::How::good, std::move(what)}); }
  void doubtful(std::string what) { report_({Diagnosis::How::doubtful, std::move(what)}); }
  void bad(std::string what) { report_({Diagnosis::How::bad, std::move(what)}); }

  PeerOptions options_;
  Report report_;
  std::string group_;
  peer::Directories directories_;
  net::Tls tls_;
  /// Whether the directories on this machine can be used.
  bool has_access_ = true;
};

}  // namespace conch::cli
