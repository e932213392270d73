// A handle of an application: the life cycle of dho::Handle, whose lock manager is a place at this
// peer's desk, and whose other side is the peer's resource manager. That one keeps the data: to the
// handle, it has whatever it asks for, and takes over whatever is left.
#pragma once

#include <conch/data.hpp>
#include <memory>
#include <optional>
#include <string>

#include "dho/handle.hpp"
#include "peer/data_desk.hpp"
#include "peer/engine.hpp"
#include "peer/errand.hpp"
#include "peer/thread_claim.hpp"

namespace conch::peer {

class DataHandle final : public ThreadClaim, public std::enable_shared_from_this<DataHandle> {
 public:
  DataHandle(Engine& engine, const DataOptions& options);
  ~DataHandle() override;

  dho::Status create(const std::string& name);
  dho::Status request(Mode mode);
  dho::State test();
  dho::Status acquire(const Deadline& deadline);
  dho::Status release();
  dho::Status cancel();
  dho::Status destroy();
  dho::Status resize(std::uint64_t size);
  std::span<std::byte> bytes();
  std::uint64_t fence();
  DataProgress progress();
  std::shared_ptr<DataHandle> part(std::uint64_t offset, std::uint64_t length);

  const DataOptions& options() const { return options_; }
  Duration try_patience() const { return engine_.options().try_patience; }
  /// By a fork: it must be abandoned, not destroyed.
  bool is_inherited() const { return engine_.is_inherited(); }

  void changed() override;
  void moved() override;

 private:
  dho::Status carried_out(dho::Status status);
  void carry_out();
  void take_order(const dho::Join&);
  void take_order(const dho::Ask& order);
  void take_order(const dho::Cancel&);
  void take_order(const dho::Release&);
  void take_order(const dho::Leave&);
  void take_order(const dho::Arm&) {}     // The thread that waits
  void take_order(const dho::Disarm&) {}  // keeps the time itself.
  void take_order(const dho::Created&) {}
  void take_order(const dho::CreateFailed&) {}
  void take_order(const dho::Acquired&);
  void take_order(const dho::AcquireFailed& order) { end_wait(order.status); }

  void leave_line();
  void tell_outdated();
  void be_lost();
  void end_wait(dho::Status status);
  void wait(const std::optional<dho::Status>& ended, const Deadline& deadline, Guard& guard);
  void wake();

  // data_section.cpp
  void begin_errand(const dho::Fetch& fetch);
  void run_errand(const std::shared_ptr<Errand>& errand, Guard& guard);
  void run_in_background();
  void drop_errand();
  void end_errand(Errand& errand, dho::Status fault);
  void begin_section();
  dho::Status end_section(Guard& guard);
  dho::Status write_back(const DataRef& data, Guard& guard);
  void put_down();
  void grow(std::uint64_t before, std::uint64_t size);

  bool is_inside() const { return handle_.state() == dho::State::locked; }
  std::uint64_t version() const { return Claim::fence.number(); }

  /// It may outlive the peer.
  std::shared_ptr<Engine> kept_;
  Engine& engine_;
  DataOptions options_;
  dho::Handle handle_;
  dho::Orders orders_;
  /// Where it stands in line, while it is valid.
  LockDesk* line_ = nullptr;
  /// What it asked for last. Who reads may have to be alone, too: not every algorithm lets share.
  bool writes_ = true;
  /// Where the acquire that waits looks for how it has ended. By the time it does, another thread
  /// may have asked anew.
  std::optional<dho::Status>* ended_ = nullptr;
  /// How the data of this entry came; or those of the last, if this one needed none.
  std::shared_ptr<Errand> errand_;
  /// What the application works on; nobody else sees it if it is its own.
  std::shared_ptr<Buffer> buffer_;
  bool own_ = false;
  /// A thread is in `release`, and others are being given copies.
  bool leaving_ = false;
  /// What this entry leaves behind, if it changed something.
  std::optional<DataRef> written_;
};

}  // namespace conch::peer
