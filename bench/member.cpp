// Measures what a lock costs at a peer, without a network: the time and allocations of a re-entry,
// and of a handover between two group members that exchange encoded bytes; and the memory of an
// idle lock.
//
//   ./dev bench member [ROUNDS]
#include <fmt/core.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "core/encode.hpp"
#include "mutex/naimi_trehel.hpp"
#include "recovery/algorithm_of.hpp"
#include "recovery/leased_member.hpp"

namespace {

std::size_t allocations = 0;
std::size_t live_bytes = 0;

}  // namespace

// Not inlined, or the compiler warns that free() is called for memory from new.
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* memory = std::malloc(size);
  if (!memory) throw std::bad_alloc();
  ++allocations;
  live_bytes += malloc_usable_size(memory);
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  if (memory) live_bytes -= malloc_usable_size(memory);
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}

namespace conch::recovery {
namespace {

using A = NaimiTrehel;

/// Group members with endless leases, and a register that answers at once.
class Group {
 public:
  explicit Group(std::uint64_t size) {
    for (std::uint64_t id = 0; id < size; ++id) {
      Member self{NodeId{id}, Incarnation{1}};
      group_members_.emplace_back(self, Charter{std::string(A::about.name), &algorithm_of<A>(), {}},
                                  LeaseTerms{std::chrono::hours(24), 0});
      call(id, [](auto& group_member, auto& out) { group_member.start(out); });
      settle();
    }
    settle_guests();
  }

  /// Makes one call at one peer. The messages that it sends are encoded.
  template <class Call>
  void call(std::uint64_t id, Call&& run) {
    out_.clear();
    run(group_members_[id], out_);
    for (const Effects::OutgoingMessage& outgoing_message : out_.outgoing) {
      Bytes& bytes = next_bytes();
      bytes.from = view_protocol(id).self();
      bytes.to = outgoing_message.to.id.value;
      bytes.text = out_.payload(outgoing_message);
    }
    granted_ = false;
    for (const MemberEvent& event : out_.events) granted_ |= std::holds_alternative<Granted>(event);
    if (!out_.asks.empty()) answer(id);
  }
  void request(std::uint64_t id, const std::string& lock) {
    call(id, [&](auto& group_member, auto& out) { group_member.request(lock, {}, out); });
  }
  void release(std::uint64_t id, const std::string& lock) {
    call(id, [&](auto& group_member, auto& out) { group_member.release(lock, {}, out); });
  }
  /// Decodes and delivers messages until nothing is in flight.
  void settle() {
    while (begin_ < end_) {
      Bytes& bytes = in_flight_[begin_++];
      call(bytes.to, [&](auto& group_member, auto& out) {
        std::string_view body = std::string_view(bytes.text).substr(1);
        CONCH_EXPECT(group_member.receive(bytes.from, body, out).fault.empty(),
                     "an encoded message is readable");
      });
    }
    begin_ = end_ = 0;
  }
  /// Whether the last call granted a lock.
  bool granted() const { return granted_; }
  const ViewProtocol& view_protocol(std::uint64_t id) const {
    return *group_members_[id].view_protocol();
  }
  std::size_t size() const { return group_members_.size(); }

 private:
  struct Bytes {
    PeerInstance from;
    std::uint64_t to = 0;
    std::string text;
  };

  Bytes& next_bytes() {
    if (end_ == in_flight_.size()) in_flight_.emplace_back();
    Bytes& bytes = in_flight_[end_++];
    bytes.text.clear();
    return bytes;
  }
  void answer(std::uint64_t id) {
    std::vector<RegisterRequest> asks = std::move(out_.asks);
    for (const RegisterRequest& ask : asks) {
      const auto* propose = std::get_if<Propose>(&ask.question);
      bool yes = !propose || propose->view.number == standing_.view.number + 1;
      if (propose && yes) standing_.view = propose->view;
      RegisterAnswer answer{ask.number, yes, standing_};
      call(id, [&](auto& group_member, auto& out) { group_member.answered(answer, out); });
    }
  }
  /// Begins a new epoch, in which every member is a founder.
  void settle_guests() {
    call(0, [](auto& group_member, auto& out) { group_member.force_open("", out); });
    settle();
  }

  std::deque<LeasedMember> group_members_;
  Effects out_;
  RegisterSnapshot standing_;
  std::deque<Bytes> in_flight_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool granted_ = false;
};

std::vector<std::string> names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("lock-" + std::to_string(i));
  return names;
}

/// Times rounds in stretches. The quickest stretch counts, because other programs run, too.
class Stopwatch {
 public:
  template <class Round>
  void time(Round&& round) {
    std::size_t before = allocations;
    auto start = std::chrono::steady_clock::now();
    round();
    took_ += std::chrono::steady_clock::now() - start;
    allocations_ += allocations - before;
    ++rounds_;
  }
  /// `times` is the number of operations in a round.
  void end_stretch(std::size_t times) {
    best_ns_ = std::min(best_ns_, took_.count() / static_cast<double>(rounds_ * times));
    allocations_per_round_ =
        static_cast<double>(allocations_) / static_cast<double>(rounds_ * times);
    *this = Stopwatch(best_ns_, allocations_per_round_);
  }
  void print(const char* what, std::size_t locks) const {
    fmt::print("{:<42} {:>5} locks  {:>6.0f} ns  {:>5.2f} allocations\n", what, locks, best_ns_,
               allocations_per_round_);
  }
  Stopwatch() = default;

 private:
  Stopwatch(double best_ns, double allocations_per_round)
      : best_ns_(best_ns), allocations_per_round_(allocations_per_round) {}

  double best_ns_ = std::numeric_limits<double>::max();
  double allocations_per_round_ = 0;
  std::chrono::duration<double, std::nano> took_{};
  std::size_t allocations_ = 0;
  std::size_t rounds_ = 0;
};

constexpr std::size_t stretches = 50;

void measure_reentry(std::size_t locks, std::size_t rounds) {
  Group group(1);
  std::vector<std::string> lock_names = names(locks);
  Stopwatch watch;
  for (std::size_t i = 0; i < stretches; ++i) {
    std::size_t times = rounds / stretches / locks;
    watch.time([&] {
      for (std::size_t k = 0; k < times * locks; ++k) {
        const std::string& lock = lock_names[k % locks];
        group.request(0, lock);
        CONCH_EXPECT(group.granted(), "a peer with the token enters at once");
        group.release(0, lock);
      }
    });
    watch.end_stretch(times * locks);
  }
  watch.print("re-entry: request, release", locks);
}

/// Two peers want each lock all the time. Measures from the release until the entry of the other
/// peer; the request that follows is timed separately.
void measure_handover(std::size_t locks, std::size_t rounds) {
  Group group(2);
  std::vector<std::string> lock_names = names(locks);
  for (const std::string& lock : lock_names)
    for (std::uint64_t id : {0, 1}) {
      group.request(id, lock);
      group.settle();
    }
  Stopwatch handover;
  Stopwatch request;
  std::uint64_t holder = 0;
  for (std::size_t i = 0; i < stretches; ++i) {
    for (std::size_t k = 0; k < rounds / stretches / locks; ++k, holder = 1 - holder) {
      handover.time([&] {
        for (const std::string& lock : lock_names) {
          group.release(holder, lock);
          group.settle();
          CONCH_EXPECT(group.granted(), "the other peer enters with the token");
        }
      });
      request.time([&] {
        for (const std::string& lock : lock_names) {
          group.request(holder, lock);
          group.settle();
        }
      });
    }
    handover.end_stretch(locks);
    request.end_stretch(locks);
  }
  handover.print("handover: release, token, entry", locks);
  request.print("request to the one ahead", locks);
}

/// Measures the memory at the peers that know the lock: its home, and the peer that has used it.
void measure_memory(std::uint64_t peers, std::size_t locks) {
  Group group(peers);
  std::vector<std::string> lock_names = names(locks);
  std::size_t before = live_bytes;
  for (const std::string& lock : lock_names) {
    group.request(0, lock);
    group.settle();
    group.release(0, lock);
    group.settle();
  }
  std::size_t known = 0;
  for (std::uint64_t id = 0; id < peers; ++id) known += group.view_protocol(id).locks().size();
  fmt::print("an idle lock at a peer, in a group of {}: {} bytes\n", peers,
             (live_bytes - before) / known);
}

}  // namespace
}  // namespace conch::recovery

int main(int argc, char** argv) {
  using namespace conch::recovery;
  std::size_t rounds = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1'000'000;
  for (std::size_t locks : {1, 1000}) {
    measure_reentry(locks, rounds);
    measure_handover(locks, rounds);
  }
  measure_memory(8, 1000);
}
