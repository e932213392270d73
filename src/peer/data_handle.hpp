// The implementation of conch::Data, and the threads that wait for it. It joins three parts:
// dho::Handle has the life cycle, a claim at this peer's local lock is its lock manager, and the
// node fetches and keeps the data (node/data_store.hpp).
#pragma once

#include <conch/data.hpp>
#include <memory>
#include <optional>
#include <string>

#include "dho/handle.hpp"
#include "node/data_section.hpp"
#include "peer/buffer.hpp"
#include "peer/engine.hpp"
#include "peer/thread_claim.hpp"

namespace conch::peer {

class DataHandle final : public ThreadClaim, private node::DataSection {
 public:
  DataHandle(Engine& engine, const DataOptions& options);
  ~DataHandle() override;

  dho::CallStatus create(const std::string& name);
  dho::CallStatus request(Mode mode);
  dho::State test();
  dho::CallStatus acquire(const Deadline& deadline);
  dho::CallStatus release();
  dho::CallStatus cancel();
  dho::CallStatus destroy();
  dho::CallStatus resize(std::uint64_t size);
  std::span<std::byte> bytes();
  std::uint64_t fence();
  DataProgress progress();
  std::shared_ptr<DataHandle> part(std::uint64_t offset, std::uint64_t length);

  const DataOptions& options() const { return options_; }
  Duration try_patience() const { return engine_.options().try_patience; }
  /// A forked child must abandon it, not destroy it.
  bool is_inherited() const { return engine_.is_inherited(); }

  void changed() override;
  void moved() override;

 private:
  dho::CallStatus carried_out(dho::CallStatus status);
  void carry_out();
  void take_order(const dho::Join&);
  void take_order(const dho::Ask& order);
  void take_order(const dho::Cancel&);
  void take_order(const dho::Release&);
  void take_order(const dho::Leave&);
  void take_order(const dho::Bring&);
  void take_order(const dho::Arm&) {}     // The waiting thread
  void take_order(const dho::Disarm&) {}  // keeps the time itself.
  void take_order(const dho::Created&) {}
  void take_order(const dho::CreateFailed&) {}
  void take_order(const dho::Acquired&);
  void take_order(const dho::AcquireFailed& order) { end_wait(order.status); }

  void leave_line();
  void be_lost();
  void end_wait(dho::CallStatus status);
  void wait(const std::optional<dho::CallStatus>& ended, const Deadline& deadline, Guard& guard);
  void wake();

  // The data.
  void bring(bool is_awaited);
  dho::CallStatus begin();
  bool move_data(Guard& guard);
  dho::CallStatus end_section(Guard& guard);
  void begun() override;
  void replaced(const DataRef& data) override { line_->data = data; }
  void brought(dho::CallStatus status) override;
  void left(dho::CallStatus status) override;
  bool is_in_vain() const override;

  node::DataStore& store() { return engine_.node().data(); }
  Buffer& buffer() { return static_cast<Buffer&>(*block); }
  bool is_inside() const { return handle_.state() == dho::State::locked; }
  std::uint64_t version() const { return Claim::fence.number(); }

  /// Keeps the engine alive, as the handle may outlive the peer.
  std::shared_ptr<Engine> kept_;
  Engine& engine_;
  DataOptions options_;
  dho::Handle handle_;
  dho::Orders orders_;
  /// The local lock, while the handle is valid.
  LocalLock* line_ = nullptr;
  /// Where the waiting acquire looks for its result. When it looks, another thread may already have
  /// made a new request.
  std::optional<dho::CallStatus>* ended_ = nullptr;
  std::shared_ptr<TransferProgress> progress_;
  /// True while a thread is in `release` and other peers are being given copies; then `left_` gets
  /// the result.
  bool leaving_ = false;
  std::optional<dho::CallStatus> left_;
};

}  // namespace conch::peer
