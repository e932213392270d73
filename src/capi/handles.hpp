// The handles of this process. To C a handle is a number: what is not in here, because it was
// destroyed or never was one, is found out by every call, and nothing is freed that a thread uses.
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
  /// Whether lock and data were asked for, and in the other way than this.
  bool wants_other_than(Access access);

 private:
  /// Before the data: it leaves when they are gone.
  std::shared_ptr<Peer> peer_;
  std::mutex mutex_;
  Access asked_ = Access::exclusive;
  Data data_;
};

class Handles {
 public:
  /// Of this process; never destroyed, as the groups.
  static Handles& of_process();
  /// For a forked child: it has none of its parent's, and gives no number that one of them has.
  explicit Handles(std::uint64_t count = 0) : count_(count) {}

  std::uint64_t add(std::shared_ptr<Handle> handle);
  /// Nothing if there is none of this number.
  std::shared_ptr<Handle> find(std::uint64_t number);
  std::shared_ptr<Handle> remove(std::uint64_t number);

 private:
  std::mutex mutex_;
  std::uint64_t count_ = 0;
  std::unordered_map<std::uint64_t, std::shared_ptr<Handle>> handles_;
};

}  // namespace conch::capi
