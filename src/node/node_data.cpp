// Where the node itself enters a lock because of its data: those of a group that ends, and of one
// that begins again.
#include "node/node.hpp"

namespace conch::node {

namespace {

struct Visit final : Claim {
  Visit() : Claim(Mode::write) {}
  void changed() override {}  // `see_to_data` looks at it.
};

}  // namespace

DataRef Node::known_data(const std::string& lock) const {
  return steward_ ? steward_->known_data(lock) : DataRef{};
}

bool Node::can_enclose(const Life& to) const {
  return !channels_.is_local(to) && channels_.backlog(to) <= wire::enclosing_backlog_max;
}

bool Node::is_working() const { return steward_ && steward_->stage() == recovery::Stage::working; }

/// Only who founds a group does: the others have what is newer, or know that there is nothing.
void Node::restore_data() {
  if (!is_ring() && !has_company()) restoring_ = world_.saved_locks();
}

void Node::see_to_data(Time now) {
  if (data_.has_news() && steward_)
    for (const recovery::Copy& copy : data_.new_copies())
      steward_->copied(copy.lock, copy.data, effects_.at(now));
  if (visit_ && data_.is_bequeathed()) end_visit(now);
  if (visit_ && visit_->state != Claim::State::waiting) {
    LockDesk& desk = *visit_->desk;
    bool is_inside = visit_->state == Claim::State::inside;
    std::uint64_t fence = visit_->fence.number();
    if (!restoring_.empty()) {
      // As if this peer wrote them now; unless somebody has written meanwhile.
      bool is_empty = is_inside && desk.data == DataRef{};
      if (auto data = is_empty ? data_.restore(desk.name, fence) : std::nullopt) desk.data = *data;
      restoring_.erase(restoring_.begin());
      if (restoring_.empty()) world_.phase_changed();
    } else if (!is_inside) {
      data_.not_entered(now);
    } else if (data_.end(desk.name, now)) {
      desk.data = {fence, 0, std::nullopt};
    }
    end_visit(now);
  }
  if (visit_) return;
  if (!restoring_.empty()) return begin_visit(restoring_.front(), now);
  if (data_.lock_to_end()) begin_visit(*data_.lock_to_end(), now);
}

void Node::begin_visit(const std::string& lock, Time now) {
  LockDesk& desk = desk_at(lock);
  ++desk.users;
  visit_ = std::make_unique<Visit>();
  take_place(*visit_, desk, now);
}

void Node::end_visit(Time now) {
  LockDesk& desk = *visit_->desk;
  if (visit_->has_place()) drop_place(*visit_, now);
  visit_.reset();
  --desk.users;
}

}  // namespace conch::node
