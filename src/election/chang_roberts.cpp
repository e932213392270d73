#include "election/chang_roberts.hpp"

#include <algorithm>

namespace conch {

static_assert(Elector<ChangRoberts> && !Restarting<ChangRoberts>);

namespace {

NodeId after(NodeId self, const Assignment& start) {
  auto found = std::find(start.ring.begin(), start.ring.end(), self);
  if (found == start.ring.end()) return start.members.after(self);
  return ++found == start.ring.end() ? start.ring.front() : *found;
}

}  // namespace

ChangRoberts::ChangRoberts(NodeId self, const Assignment& start)
    : self_(self), neighbour_(after(self, start)) {}

void ChangRoberts::elect(Out& out) {
  if (!participant_) begin(out);
}

void ChangRoberts::retire(Out& out) {
  CONCH_EXPECT(elected_ == self_, "only the coordinator retires");
  retired_ = true;
  begin(out);
}

void ChangRoberts::begin(Out& out) {
  if (neighbour_ == self_) retired_ = false;  // there is nobody else
  std::optional<NodeId> candidate;
  if (!retired_) candidate = self_;
  forward({candidate}, out);
}

void ChangRoberts::take_part() {
  if (participant_) return;
  participant_ = true;
  elected_.reset();
}

void ChangRoberts::forward(const Election& m, Out& out) {
  if (neighbour_ == self_) return win(out);
  take_part();
  out.send(neighbour_, m);
}

void ChangRoberts::win(Out& out) {
  participant_ = false;
  elected_ = self_;
  if (neighbour_ != self_) out.send(neighbour_, Elected{self_});
}

void ChangRoberts::receive(NodeId, const Election& m, Out& out) {
  bool nobody_else = retired_ && participant_ && !m.candidate;
  if (nobody_else) retired_ = false;
  if (m.candidate == self_) return win(out);
  if (m.candidate > self_ || retired_) return forward(m, out);
  if (!participant_ || nobody_else) forward({self_}, out);
}

void ChangRoberts::receive(NodeId, const Elected& m, Out& out) {
  if (m.coordinator == self_) return;
  participant_ = false;
  elected_ = m.coordinator;
  out.send(neighbour_, m);
}

}  // namespace conch
