// The register in a directory of this machine. Any process can be stopped or killed at any
// instruction, and nobody waits for it: no lock guards the views. docs/register.md describes the
// files.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "register/alarm.hpp"
#include "register/chain.hpp"
#include "register/crash_points.hpp"
#include "register/directory.hpp"
#include "register/leases.hpp"
#include "register/register.hpp"
#include "register/staging_dir.hpp"
#include "register/waiting_room.hpp"

namespace conch {

struct FileRegisterOptions {
  /// Lease duration; applies only when the register is created.
  Duration lease = std::chrono::seconds(5);
  /// At least this many views are remembered, and at most twice as many are kept. Applies only when
  /// the register is created.
  std::uint64_t segment_views = 64;
  /// Whether views must survive a power failure.
  bool durable = true;
  /// For tests.
  file::CrashPoints steps = [](file::CrashPoint) {};
  /// See ChangeAlarm.
  Duration inotify_after{};
};

class FileRegister : public Register {
 public:
  /// Creates the directory if it does not exist. Throws RegisterError if other users can write it,
  /// or if it cannot be written, is damaged, or is on a file system without links or locks.
  explicit FileRegister(const std::string& directory, const FileRegisterOptions& options = {});

  void attach(const PeerInstance& life) override;
  net::Descriptor proof(const PeerInstance& life) const override;
  recovery::RegisterSnapshot read() override;
  recovery::View view() override;
  using Register::propose;
  ProposalResult propose(const recovery::View& next, const PeerInstance& by) override;
  bool renew(const PeerInstance& life) override;
  void delay(const PeerInstance& life, Duration lock_delay) override;
  void end(const PeerInstance& life) override;
  recovery::RegisterSnapshot announce(const recovery::Newcomer& newcomer) override;
  recovery::RegisterSnapshot announce_leave(const PeerInstance& life) override;
  recovery::Waiting waiting() override;
  Duration lease() const override { return chain_.terms().lease; }
  int descriptor() const override { return alarm_.descriptor(); }

 private:
  /// Which leases a survey reads.
  enum class Extent : std::uint8_t { watched, all };
  /// What a survey found of leases that run.
  struct Running {
    std::map<PeerInstance, file::Judgement> leases;
    bool missed = false;
  };

  recovery::RegisterSnapshot stand(Extent extent = Extent::watched);
  std::optional<recovery::RegisterSnapshot> survey(Extent extent);
  void look_after(const recovery::View& view, Running& running);
  bool has_ended(const PeerInstance& life, Running& running);
  void look_at_the_rest(const recovery::View& view);
  void set_alarm();
  file::Judgement judge(const PeerInstance& life);
  void tidy();
  void expect_usable() const;
  void expect_no_fork() const;

  file::CrashPoints steps_;
  int process_;
  file::Directory root_;
  file::StagingDir work_;
  file::Chain chain_;
  file::Leases leases_;
  file::WaitingRoom waiting_room_;
  file::ChangeAlarm alarm_;
  /// The newest life of this process, and the members that ask through it.
  std::optional<PeerInstance> own_;
  std::set<PeerInstance> others_;
  /// Lives that the newest view mentions, and whose leases were seen to have ended.
  std::set<PeerInstance> ended_;
  /// What the last survey found of the leases that it watches. While the alarm is calm, nothing can
  /// change about one before its time is over.
  Running running_;
  /// What it has last written into the waiting room.
  std::optional<recovery::Newcomer> joins_;
  bool leaves_ = false;
};

}  // namespace conch
