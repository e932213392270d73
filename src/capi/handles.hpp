// The handles of this process. For C a handle is a number, so every call detects one that was
// destroyed or never existed, and no handle is freed while a thread uses it.
#pragma once

#include <conch/data.hpp>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace conch::capi {

class Handle {
 public:
  Handle(std::shared_ptr<Peer> peer, Data&& data)
      : peer_(std::move(peer)), data_(std::move(data)) {}

  Data& data() { return data_; }
  const std::shared_ptr<Peer>& peer() const { return peer_; }

  Outcome request(Access access);
  Outcome try_acquire(Access access);
  /// Whether the lock is requested or held in the other mode than `access`.
  bool wants_other_than(Access access);

 private:
  /// Declared before the data, so that the peer leaves after they are destroyed.
  std::shared_ptr<Peer> peer_;
  std::mutex mutex_;
  Access asked_ = Access::exclusive;
  Data data_;
};

class Handles {
 public:
  /// The instance of this process; like Groups, it is never destroyed.
  static Handles& of_process();
  /// A forked child starts with its parent's count: it has no handles, and no number of its own
  /// equals one of its parent's.
  explicit Handles(std::uint64_t count = 0) : count_(count) {}

  std::uint64_t add(std::shared_ptr<Handle> handle);
  /// Returns nullptr if no handle has this number.
  std::shared_ptr<Handle> find(std::uint64_t number);
  std::shared_ptr<Handle> remove(std::uint64_t number);

 private:
  std::mutex mutex_;
  std::uint64_t count_ = 0;
  std::unordered_map<std::uint64_t, std::shared_ptr<Handle>> handles_;
};

}  // namespace conch::capi
