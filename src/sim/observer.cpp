#include "sim/observer.hpp"

#include "core/print.hpp"

namespace conch::sim {

Observer::Observer(const Watch& watch, const Population& population)
    : population_(population),
      metrics_(watch.cluster_of, {population.kinds().begin(), population.kinds().end()},
               population.entry().about.restless),
      watches_token_(watch.token),
      addressees_(watch.nodes),
      data_of_(watch.nodes),
      sink_(watch.sink) {
  if (watch.order || (sink_ != nullptr && sink_->wants_clocks())) causality_.emplace(watch.nodes);
  if (watch.order) order_.emplace(watch.nodes);
}

void Observer::report(Property property, const Finding& finding, Time now) {
  if (!finding || violation_) return;
  violation_ = Violation{property, *finding};
  violated_at_ = now;
}

void Observer::note(Time now, Happening happening, Node node, std::optional<Node> peer,
                    const std::string& detail) {
  hash_.add(now, happening, node, peer.value_or(node), 0);
  if (causality_) causality_->step(node);
  if (sink_ != nullptr)
    sink_->write({now, happening, node, peer, detail}, causality_ ? &*causality_ : nullptr);
}

void Observer::note_message(Time now, Happening happening, Node node, Node peer,
                            std::uint64_t content, Slot slot) {
  hash_.add(now, happening, node, peer, content);
  if (sink_ != nullptr)
    sink_->write({now, happening, node, peer, population_.print(slot)},
                 causality_ ? &*causality_ : nullptr);
}

Causality::Clock& Observer::clock_of(Slot slot) {
  if (clock_of_slot_.size() <= slot) clock_of_slot_.resize(slot + 1);
  return clock_of_slot_[slot];
}

void Observer::requested(Node node, Time now) {
  metrics_.requested(node, now);
  note(now, Happening::request, node);
  if (order_) order_->request(node, *causality_);
}

void Observer::entered(Node node, const Baton& baton, Time now) {
  metrics_.entered(node, now);
  note(now, Happening::enter, node, {}, sink_ != nullptr ? "fence " + print(baton.fence) : "");
  report(Property::mutual_exclusion, exclusion_.enter(node, baton.fence), now);
  report(Property::fences, fences_.enter(node, baton.fence), now);
  report(Property::data, data_.enter(node, baton.data), now);
  if (order_) report(Property::order, order_->enter(node), now);
  data_of_[node] = baton.data;
}

DataRef Observer::released(Node node, Time now) {
  metrics_.exited(node, now);
  note(now, Happening::exit, node);
  exclusion_.leave(node);
  return data_.release(node, data_of_[node]);
}

void Observer::cancelled(Node node, Time now) {
  note(now, Happening::cancel, node);
  if (order_) order_->forget(node);
}

void Observer::withdrawn(Node node, Time now) {
  metrics_.gave_up(node);
  note(now, Happening::withdrawn, node);
}

void Observer::sent(const Posted& message, Time now) {
  metrics_.sent(message);
  if (addressees_.is_gone(message.to))
    report(Property::addressee,
           addressees_.send(message.from, message.to, population_.print(message.slot)), now);
  tokens_sent_ += message.token;
  if (causality_) {
    causality_->step(message.from);
    clock_of(message.slot) = causality_->at(message.from);
  }
  note_message(now, Happening::send, message.from, message.to, message.hash, message.slot);
}

void Observer::received(Node node, Node from, Slot slot, Time now) {
  metrics_.received(node);
  if (causality_) {
    causality_->merge(node, clock_of(slot));
    causality_->step(node);
  }
  note_message(now, Happening::receive, node, from, 0, slot);
}

void Observer::lost(const Posted& message, Time now) {
  if (message.token) tokens_.lost();
  note_message(now, Happening::lose, message.from, message.to, 0, message.slot);
}

void Observer::duplicated(const Posted& message, Time now) {
  if (message.token) tokens_.created(1);
  note_message(now, Happening::duplicate, message.from, message.to, 0, message.slot);
}

Causality::Clock Observer::tells(Node node, Node to, Time now) {
  metrics_.told();
  note(now, Happening::tell, node, to);
  return causality_ ? causality_->at(node) : Causality::Clock{};
}

void Observer::told(Node node, Node from, const Causality::Clock& clock, Time now) {
  if (causality_) causality_->merge(node, clock);
  note(now, Happening::told, node, from);
}

void Observer::before_call(Node node, bool reads_token) {
  if (!watches_token_) return;
  tokens_before_ = int{population_.holds_token(node)} + int{reads_token};
  tokens_sent_ = 0;
}

void Observer::after_call(Node node, Time now) {
  if (!watches_token_) return;
  int difference = int{population_.holds_token(node)} + tokens_sent_ - tokens_before_;
  if (difference != 0) report(Property::one_token, tokens_.after_call(node, difference), now);
}

void Observer::joins(Node node, Time now) {
  note(now, Happening::join, node);
  addressees_.came(node);
}

void Observer::crashed(Node node, Time now) {
  note(now, Happening::crash, node);
  metrics_.crashed(node);
  exclusion_.leave(node);
  if (order_) order_->forget(node);
  if (population_.holds_token(node)) tokens_.lost();
}

void Observer::gone(Node node, Time now) {
  note(now, Happening::left, node);
  addressees_.left(node);
  if (population_.holds_token(node)) tokens_.lost();
}

}  // namespace conch::sim
