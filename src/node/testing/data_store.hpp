// A data store in a world in which nothing happens unless the test says so.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>

#include "node/data_store.hpp"

namespace conch::node::testing {

using namespace std::chrono_literals;
using recovery::Member;
using recovery::Roster;
using Status = dho::CallStatus;
using Kind = TransferEnd::Kind;

class Memory final : public Block {
 public:
  Memory() : identity_(++made) {}
  static std::shared_ptr<Memory> of(std::uint64_t version, const std::string& text) {
    auto memory = std::make_shared<Memory>();
    memory->bytes_ = text;
    memory->finish(version, text.size());
    return memory;
  }

  /// What another process does to the memory, at each of the next few accesses.
  std::deque<std::function<void(Memory&)>> meanwhile;

  std::uint64_t version() const override { return look(), version_; }
  std::uint64_t size() const override { return look(), size_; }
  bool is_written() const override { return look(), writer_ != 0; }
  bool is_private() const override { return true; }
  std::uint64_t identity() const override { return identity_; }
  void clear() override { version_ = 0; }
  bool begin_writing(std::uint64_t mark) override {
    if (writer_ != 0) return false;
    writer_ = mark;
    return true;
  }
  void finish(std::uint64_t version, std::uint64_t size) override {
    version_ = version;
    size_ = size;
    writer_ = 0;
  }
  void reserve(std::uint64_t capacity) override {
    bytes_.resize(std::max<std::size_t>(bytes_.size(), capacity));
  }
  std::string text(std::uint64_t size) override { return bytes_.substr(0, size); }
  void fill(std::string_view bytes, std::uint64_t at) override {
    reserve(at + bytes.size());
    bytes_.replace(at, bytes.size(), bytes);
  }
  void copy(Block& from, std::uint64_t size) override { fill(from.text(size), 0); }
  void zero(std::uint64_t begin, std::uint64_t end) override {
    fill(std::string(end - begin, '\0'), begin);
  }

 private:
  void look() const {
    auto* self = const_cast<Memory*>(this);
    if (meanwhile.empty()) return;
    auto next = std::move(self->meanwhile.front());
    self->meanwhile.pop_front();
    next(*self);
  }

  static inline std::uint64_t made = 0;
  std::uint64_t identity_;
  std::uint64_t version_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t writer_ = 0;
  std::string bytes_;
};

struct Section final : DataSection {
  Section() { lock = "words"; }
  std::optional<Status> how_brought;
  std::optional<Status> how_left;
  bool has_lock = true;
  std::optional<DataRef> now_told;
  void replaced(const DataRef& data) override { now_told = data; }
  void brought(Status status) override { how_brought = status; }
  void left(Status status) override { how_left = status; }
  /// How many more questions find that the section still has its lock.
  mutable std::optional<unsigned> asked_before_lost;
  bool is_in_vain() const override {
    bool is_late = asked_before_lost && (*asked_before_lost)-- == 0;
    return !has_lock || is_late;
  }
};

/// The store of peer 2, in a group of five.
class DataStoreTest : public ::testing::Test,
                      public DataWorld,
                      public LockKnowledge,
                      public PeerSender {
 protected:
  DataStoreTest() {
    store.live_as(life(2));
    store.open("words");
    see({1, 2, 3, 4, 5});
  }
  static PeerInstance life(std::uint64_t id) { return {NodeId{id}, Incarnation{1}}; }
  void see(const std::vector<std::uint64_t>& ids,
           const std::vector<recovery::Forced>& forced = {}) {
    std::vector<Member> members;
    for (std::uint64_t id : ids) members.push_back({NodeId{id}, Incarnation{1}});
    recovery::View view;
    view.roster = Roster(members);
    view.forced = forced;
    store.follow_view(view, now);
  }
  static DataRef at(std::uint64_t id, std::uint64_t version, std::uint64_t size = 5) {
    return {version, size, NodeId{id}};
  }

  /// The peer that the last transfer under way is with; 0 if there is none.
  std::uint64_t asked() const { return begun.empty() ? 0 : begun.back().with.id.value; }
  template <class Question>
  const Question& question() const {
    return std::get<Question>(begun.back().question);
  }
  void end(const TransferEnd& end) {
    std::uint64_t number = begun.back().number;
    begun.pop_back();
    store.ended(number, end, now);
  }
  void end(Kind kind) { end(TransferEnd{kind}); }
  void arrive(const std::string& text) {
    std::shared_ptr<Block> room = store.make_room(begun.back().number);
    room->fill(text, question<FetchData>().range.begin);
    end({Kind::came, room, false, true});
  }
  void pass(Duration time) { store.look_after(now += time); }

  /// A holder of this peer enters, and is told of these data.
  std::optional<Status> bring(const DataRef& data) {
    store.enter(section, data);
    if (store.bring_at_once(section)) return Status::ok;
    return store.bring(section, now);
  }
  /// This peer has written the version, and so answers for it.
  void write(std::uint64_t version, const std::string& text) {
    store.enter(section, {});
    store.resize(section, 0, text.size());
    section.block->fill(text, 0);
    store.leave(section, at(2, version, text.size()), false, now);
  }
  std::string text() const { return section.block->text(5); }

  // The world, the locks and the mail.
  std::shared_ptr<Block> make_block(std::uint64_t) override { return std::make_shared<Memory>(); }
  bool send(const PeerInstance& to, std::string_view) override { return sent.push_back(to), true; }
  void log(const std::string&, LogLevel) override {}
  void begin(Transfer transfer) override { begun.push_back(std::move(transfer)); }
  void abort(std::uint64_t number) override {
    std::erase_if(begun, [&](const Transfer& each) { return each.number == number; });
  }
  bool can_enclose(const PeerInstance&) const override { return true; }
  void count_data(std::uint64_t, std::uint64_t) override {}
  void save_data(const std::string& lock, Block& block) override {
    saved[lock] = block.text(block.size());
  }
  void forget_saved(const std::string& lock) override { saved.erase(lock); }
  std::vector<std::string> saved_locks() override { return {}; }
  std::shared_ptr<Block> load_data(const std::string& lock, std::uint64_t version) override {
    return saved.contains(lock) ? Memory::of(version, saved[lock]) : nullptr;
  }
  DataRef known_data(const std::string&) const override { return known; }
  bool is_working() const override { return works; }

  Time now{};
  DataStore store{*this, *this, *this};
  Section section;
  std::vector<Transfer> begun;
  std::vector<PeerInstance> sent;
  std::map<std::string, std::string> saved;
  DataRef known;
  bool works = true;
};

}  // namespace conch::node::testing
