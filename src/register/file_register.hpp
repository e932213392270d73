// The register that is a directory of this machine. Any process can be stopped or killed at any
// instruction, and nobody waits for it: there is no lock around the views. docs/register.md says
// what the files are.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "register/alarm.hpp"
#include "register/chain.hpp"
#include "register/directory.hpp"
#include "register/leases.hpp"
#include "register/register.hpp"
#include "register/steps.hpp"
#include "register/workplace.hpp"

namespace conch {

struct FileRegisterOptions {
  /// Of a new register; one that exists has its own.
  Duration lease = std::chrono::seconds(5);
  /// Of a new register: how many views are remembered, at least; at most twice as many are kept.
  std::uint64_t segment_views = 64;
  /// Views outlive a power failure.
  bool durable = true;
  /// For tests.
  file::Steps steps = [](file::Step) {};
  /// See Alarm.
  Duration inotify_after{};
};

class FileRegister : public Register {
 public:
  /// Makes the directory if it is not there. Throws RegisterError if it is not ours alone, cannot
  /// be written, is damaged, or is on a file system without links or locks.
  explicit FileRegister(const std::string& directory, const FileRegisterOptions& options = {});

  void attach(const recovery::Life& life) override;
  file::Descriptor proof(const recovery::Life& life) const override;
  recovery::Standing read() override;
  using Register::propose;
  Verdict propose(const recovery::View& next, const recovery::Life& by) override;
  bool renew(const recovery::Life& life) override;
  void delay(const recovery::Life& life, Duration lock_delay) override;
  void end(const recovery::Life& life) override;
  Duration lease() const override { return chain_.terms().lease; }
  int descriptor() const override { return alarm_.descriptor(); }

 private:
  recovery::Standing stand();
  std::optional<recovery::Standing> survey();
  file::Judgement judge(const recovery::Life& life);
  void tidy();
  void expect_usable() const;
  void expect_no_fork() const;

  file::Steps steps_;
  int process_;
  file::Directory root_;
  file::Workplace work_;
  file::Chain chain_;
  file::Leases leases_;
  file::Alarm alarm_;
};

}  // namespace conch
