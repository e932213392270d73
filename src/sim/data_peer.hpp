// A simulated peer's data handle: dho::Handle and a peer's store (node/data_store.hpp), over a
// network that loses nothing, among peers that do not die.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/outbox.hpp"
#include "dho/handle.hpp"
#include "node/data_store.hpp"

namespace conch::sim {

/// Messages between peers about data.
struct FetchLetter {
  static constexpr std::string_view name = "FETCH";
  std::uint64_t number = 0;
  node::FetchData question;
};
struct DataLetter {
  static constexpr std::string_view name = "DATA";
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
};
struct OutdatedLetter {
  static constexpr std::string_view name = "OUTDATED";
  std::string payload;
};
using Letter = std::variant<FetchLetter, DataLetter, OutdatedLetter>;

/// The bytes of data that travel with a letter, besides the letter itself.
inline std::uint64_t cargo(const Letter& letter) {
  const auto* data = std::get_if<DataLetter>(&letter);
  return data ? data->bytes : 0;
}

class DataPeer final : private node::DataWorld,
                       private node::LockKnowledge,
                       private node::PeerSender,
                       private node::DataSection {
 public:
  /// Called while a call of the peer runs; must not call back before that call returns.
  class Outlet {
   public:
    virtual Time now() const = 0;
    /// Any order to the lock manager or the application, except a release.
    virtual void order(NodeId node, const dho::Order& order) = 0;
    virtual void release(NodeId node, const DataRef& data) = 0;
    virtual void send(NodeId from, NodeId to, Letter letter) = 0;

   protected:
    ~Outlet() = default;
  };

  DataPeer(NodeId self, const dho::HandleOptions& options, Outlet& outlet);
  DataPeer(const DataPeer&) = delete;
  DataPeer& operator=(const DataPeer&) = delete;

  const dho::Handle& handle() const { return handle_; }

  // Calls of the application.

  dho::CallStatus create(std::string_view name) {
    return call([&](dho::Orders& out) { return handle_.create(name, out); });
  }
  dho::CallStatus request(Mode mode) {
    return call([&](dho::Orders& out) { return handle_.request(mode, out); });
  }
  dho::CallStatus acquire();
  dho::CallStatus resize(std::uint64_t size);
  dho::CallStatus release();
  dho::CallStatus destroy() {
    return call([&](dho::Orders& out) { return handle_.destroy(out); });
  }

  /// An effect from the lock manager.
  void tell(const Effect& effect);
  /// A letter from another peer.
  void receive(NodeId from, const Letter& letter);

 private:
  template <class Call>
  dho::CallStatus call(Call&& function) {
    dho::Orders out;
    dho::CallStatus status = function(out);
    while (!out.empty())
      for (const dho::Order& order : std::exchange(out, {})) carry_out(order, out);
    return status;
  }
  void carry_out(const dho::Order& order, dho::Orders& out);
  void enter(const Baton& baton);
  void bring(dho::Orders& out);
  DataRef put_down();
  void take(NodeId from, const FetchLetter& letter);
  void take(NodeId from, const DataLetter& letter);
  void take(NodeId from, const OutdatedLetter& letter);

  // DataSection
  void replaced(const DataRef&) override {}
  void brought(dho::CallStatus status) override;
  void left(dho::CallStatus) override {}
  bool is_in_vain() const override { return false; }

  // LockKnowledge and PeerSender
  DataRef known_data(const std::string&) const override { return {}; }
  bool is_working() const override { return true; }
  bool send(const PeerInstance& to, std::string_view payload) override;
  bool can_enclose(const PeerInstance&) const override { return false; }

  // DataWorld
  std::shared_ptr<node::Block> make_block(std::uint64_t capacity) override;
  void log(const std::string&, LogLevel) override {}
  void begin(node::Transfer transfer) override;
  void abort(std::uint64_t) override {}
  void count_data(std::uint64_t, std::uint64_t) override {}
  void save_data(const std::string&, node::Block&) override {}
  void forget_saved(const std::string&) override {}
  std::vector<std::string> saved_locks() override { return {}; }
  std::shared_ptr<node::Block> load_data(const std::string&, std::uint64_t) override { return {}; }

  NodeId self_;
  Outlet& outlet_;
  dho::Handle handle_;
  node::DataStore store_;
  /// The data that the lock named on entry.
  DataRef found_;
  std::uint64_t blocks_ = 0;
  /// The version that only this peer has; 0 if there is none.
  std::uint64_t kept_ = 0;
};

}  // namespace conch::sim
