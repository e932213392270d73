// A member of the group that says anything it likes, in well-formed messages. What its peer relies
// on may break over that: then an invariant says so before anything is handed out, and the peer
// throws the steward away and begins a new life, as one does that has lost its lease. Nothing else
// happens.
#include "recovery/steward.hpp"

#include "core/encode.hpp"
#include "core/expect.hpp"
#include "fuzz.hpp"
#include "mutex/naimi_trehel.hpp"

using namespace conch;
using namespace conch::recovery;

namespace {

using A = NaimiTrehel;
using Spoken = recovery::Message<A>;

const Life self{NodeId{2}, Incarnation{2}};
const std::vector<Life> others{
    {NodeId{1}, Incarnation{1}}, {NodeId{3}, Incarnation{3}}, {NodeId{9}, Incarnation{9}}};

View first_view() {
  Roster roster({{NodeId{1}, Incarnation{1}, "", false},
                 {NodeId{2}, Incarnation{2}, "", false},
                 {NodeId{3}, Incarnation{3}, "", false}});
  return {1, Epoch{1}, "naimi-trehel", self, roster, {}};
}

/// One step of an input: what is done, and for a message who says it and how long it is.
enum class Step : std::uint8_t { message, request, release, cancel, tick, answer, steps };

class Peer {
 public:
  Peer() : steward_(self, "", {"naimi-trehel", {}}, {std::chrono::seconds(1), 0}) {
    call([](auto& peer, auto& out) { peer.start(out); });
    answer(false);
    answer(true);
    answer(true);
  }

  void step(Step step, std::string_view& input) {
    switch (step) {
      case Step::message: return receive(input);
      case Step::request:
        if (is_in() && doing() == Doing::nothing)
          call([](auto& peer, auto& out) { peer.request("a", {}, out); });
        return;
      case Step::release:
        if (is_in() && doing() == Doing::inside)
          call([](auto& peer, auto& out) { peer.release("a", {}, out); });
        return;
      case Step::cancel:
        if (is_in() && doing() == Doing::waiting)
          call([](auto& peer, auto& out) { peer.cancel("a", out); });
        return;
      case Step::tick: return call([](auto& peer, auto& out) { peer.tick(out); });
      default: return answer(true);
    }
  }

 private:
  bool is_in() const { return steward_.participant().stage() == Stage::working; }
  Doing doing() const { return steward_.participant().doing("a"); }

  void receive(std::string_view& input) {
    if (input.size() < 2) return;
    const Life& from = others[static_cast<std::uint8_t>(input[0]) % others.size()];
    std::size_t size = std::min<std::size_t>(static_cast<std::uint8_t>(input[1]), input.size() - 2);
    Spoken message;
    Decoder decoder(input.substr(2, size));
    input.remove_prefix(2 + size);
    if (!decoder.decode(message) || !decoder.finish()) return;
    call([&](auto& peer, auto& out) { peer.receive(from, message, out); });
  }
  /// The register is honest.
  void answer(bool yes) {
    if (asks_.empty()) return;
    Ask asked = asks_.back();
    asks_.pop_back();
    standing_.view = std::max(standing_.view, first_view(),
                              [](const View& a, const View& b) { return a.number < b.number; });
    if (const auto* propose = std::get_if<Propose>(&asked.question);
        propose && yes && propose->view.number == standing_.view.number + 1)
      standing_.view = propose->view;
    call([&](auto& peer, auto& out) { peer.answered({asked.number, yes, standing_}, out); });
  }
  template <class Call>
  void call(Call&& run) {
    StewardOrders<A> out{now_ += std::chrono::milliseconds(1)};
    run(steward_, out);
    for (Ask& ask : out.asks()) asks_.push_back(std::move(ask));
  }

  Steward<A> steward_;
  Time now_{std::chrono::seconds(1)};
  Standing standing_;
  std::vector<Ask> asks_;
};

std::string step_of(std::uint8_t from, const Spoken& message) {
  std::string bytes;
  encode(bytes, message);
  return std::string{static_cast<char>(Step::message), static_cast<char>(from),
                     static_cast<char>(bytes.size())} +
         bytes;
}

std::vector<std::string> seeds() {
  std::string request(1, static_cast<char>(Step::request));
  std::string release(1, static_cast<char>(Step::release));
  Told<A> asks{"a", Epoch{1}, A::Message(A::Request{NodeId{1}})};
  Told<A> token{"a", Epoch{1}, A::Message(A::Token{})};
  View next = first_view();
  next.number = 2;
  next.epoch = Epoch{2};
  next.decider = others[0];
  return {request + step_of(0, asks) + release + request + step_of(0, token) + release,
          step_of(0, Told<A>{"a", Epoch{1}, {}}) + step_of(1, asks) + request,
          step_of(0, Freeze{next}) + step_of(0, Install{Epoch{2}, {}}) + request,
          step_of(0, Hello{first_view()}) + step_of(1, Welcome{}) + step_of(1, Doubt{others[0]}),
          step_of(0, Report{Epoch{1}, {}}) + step_of(0, Installed{Epoch{1}})};
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  fuzz::plant(*argc, *argv, seeds());
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input = fuzz::view_of(data, size);
  InvariantWatch watch;
  try {
    Peer peer;
    while (!input.empty()) {
      auto step = static_cast<std::uint8_t>(input.front()) % static_cast<std::uint8_t>(Step::steps);
      input.remove_prefix(1);
      peer.step(static_cast<Step>(step), input);
    }
  } catch (const BrokenInvariant&) {
    return 0;
  }
  return 0;
}
