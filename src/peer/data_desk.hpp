// The resource manager of a peer: what it has of the data that locks protect, how it gets the rest
// and how others get theirs.
//
// Which version is where is told by the lock. Versions are the fences of their writers: what has
// the same number is the same, for ever.
//
//   - Within a machine the memory is passed, once; from then on all who have it mapped see in its
//     first page which version it is, and a handover costs nothing but the lock.
//   - Between machines the bytes are streamed, into a buffer beside the newest that is here.
//   - A peer keeps what it has until it sees something newer. One that leaves gives the newest to
//     an heir first; the epoch in which it leaves then finds them there.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "net/stream.hpp"
#include "node/talk.hpp"
#include "node/world.hpp"
#include "peer/data_talk.hpp"
#include "peer/errand.hpp"
#include "peer/stock.hpp"
#include "peer/streams.hpp"

namespace conch::peer {

class Engine;
using Guard = std::unique_lock<std::mutex>;

class DataDesk {
 public:
  using Life = recovery::Life;

  explicit DataDesk(Engine& engine) : engine_(engine) {}
  DataDesk(const DataDesk&) = delete;
  DataDesk& operator=(const DataDesk&) = delete;

  // Under the guard.

  Stock& stock(const std::string& lock) { return stocks_[lock]; }
  void open(const std::string& lock) { ++stocks_[lock].handles; }
  void close(const std::string& lock);
  /// What has come to be here, also by what others of this machine have written into shared memory.
  std::vector<node::Copy> new_copies();
  /// To whom the data came from.
  void tell_outdated(const Errand& errand);
  /// Somebody has written a newer version than this peer's.
  void outdated(const std::string& lock, std::uint64_t version);
  /// A holder has written that there is nothing.
  void emptied(const std::string& lock, std::uint64_t version);
  /// The members are others.
  void follow_view();
  /// The peer was expelled: what it has counts no longer.
  void forget();
  /// The lock is about to be sent to this one, and tells of these data: they go ahead, if they are
  /// small and here, and there is no memory to share.
  void enclose(const Life& to, const std::string& lock, const DataRef& data);
  void take_enclosure(node::Enclosure enclosure);
  /// Answers whoever opened this stream, by a thread of its own.
  void serve(const Life& from, net::Stream stream);
  /// By a thread of its own, without the guard.
  void spawn(std::function<void()> work);

  /// How many are on their way here.
  std::size_t transfers() const { return errands_.size(); }
  /// Whether the data are in this process's memory, whole or torn.
  bool find_here(Errand& errand);
  /// Whether that is so, and what is left to do with them is done: little, or nothing.
  bool bring_at_once(Errand& errand);

  // Under the guard, which is given up meanwhile.

  /// Until the data are here, or nobody wants them, or it is certain that nobody has them.
  void bring(Errand& errand, Guard& guard);
  /// Until so many others have it, or all if they are fewer, or `until` says that it is in vain.
  void spread(const std::string& lock, const DataRef& data, const std::shared_ptr<Buffer>& buffer,
              unsigned copies, const std::function<bool()>& in_vain, Guard& guard);
  /// Has a part of a version replaced where it is kept; the whole then is `data`. False if that
  /// version is there no more.
  bool patch(Errand& errand, const DataRef& data, Guard& guard);
  /// Nothing ends with this peer that another can take; by then it leaves in any case.
  void bequeath(Time until, Guard& guard);
  /// Of a group that begins anew: what the last peer of the former one has left.
  void restore(Guard& guard);

  /// Ends all transfers and waits for their threads.
  void stop();

  struct Traffic {
    std::atomic<std::uint64_t> bytes_sent = 0;
    std::atomic<std::uint64_t> bytes_received = 0;
    /// Times that memory was passed.
    std::atomic<std::uint64_t> passed = 0;
    /// Times that data were here when their lock came, because they came with it.
    std::atomic<std::uint64_t> enclosed = 0;
  };
  const Traffic& traffic() const { return traffic_; }

 private:
  /// Whom to ask, as long as it is a member.
  struct Keeper {
    Life life;
    std::string address;
  };
  enum class Answer : std::uint8_t { kept, declined, failed };

  void drop_if_useless(const std::string& lock);
  std::optional<Keeper> member(NodeId id) const;
  std::vector<Keeper> others() const;
  net::StreamOptions stream_options() const;
  void count(std::uint64_t sent, std::uint64_t received);

  // data_fetching.cpp
  std::optional<Keeper> find_keeper(const Errand& errand) const;
  bool ask(const Keeper& keeper, Errand& errand, Guard& guard);
  void note_without(const Keeper& keeper, Errand& errand);
  void receive(const DataRef& data, Errand& errand, net::Stream& stream);
  void receive_bytes(const DataRef& data, const HereData& here, Errand& errand,
                     net::Stream& stream);
  void take_buffer(const DataRef& data, const HereData& here, Errand& errand,
                   std::shared_ptr<Buffer> buffer);
  void set_apart(Errand& errand, Guard& guard);
  void give_back_spare(const std::string& lock, const std::shared_ptr<Buffer>& buffer);

  // data_serving.cpp
  void answer_all(const Life& from, net::Stream& stream);
  void answer(const Life& from, const FetchData& m, net::Descriptor attached, net::Stream& stream);
  void answer(const Life& from, const KeepData& m, net::Descriptor attached, net::Stream& stream);
  void answer(const Life& from, const PatchData& m, net::Descriptor attached, net::Stream& stream);
  std::shared_ptr<Buffer> receive_kept(const KeepData& m, net::Descriptor attached,
                                       net::Stream& stream);
  bool accepts(const Life& from, const KeepData& m);
  bool keep(const Life& from, const KeepData& m, const std::shared_ptr<Buffer>& buffer);

  // data_spreading.cpp
  template <class Talk>
  Answer talk(const Keeper& keeper, Guard& guard, Talk&& talk);
  Answer ask_to_keep(const Keeper& keeper, KeepData m, Buffer& buffer, Guard& guard);
  bool is_answerable(const std::string& lock, const Stock& stock) const;
  std::optional<std::string> find_answerable() const;
  bool find_heir(const std::string& lock, bool insist, Guard& guard);
  bool end_data(const std::string& lock, Time until, Guard& guard);
  void save(const std::string& lock);
  template <class Work>
  bool visit(const std::string& lock, std::optional<Time> until, Guard& guard, Work&& work);
  void restore(const std::string& folder, const std::string& lock, Guard& guard);

  Engine& engine_;
  std::map<std::string, Stock, std::less<>> stocks_;
  /// What is under way.
  std::set<Errand*> errands_;
  std::condition_variable view_changed_;
  enum class Phase : std::uint8_t { here, leaving, gone } phase_ = Phase::here;

  Streams streams_;
  Traffic traffic_;
  std::mutex threads_mutex_;
  std::condition_variable threads_changed_;
  std::size_t threads_ = 0;
};

}  // namespace conch::peer
