// The node's own claims, with which it enters a lock because of its data: to end the data of a
// group that ends, or to restore those of one that begins again.
#include "node/node.hpp"

namespace conch::node {

namespace {

struct Visit final : Claim {
  Visit() : Claim(Mode::write) {}
  void changed() override {}  // `see_to_data` polls the state.
};

}  // namespace

DataRef Node::known_data(const std::string& lock) const {
  return group_member_ ? group_member_->known_data(lock) : DataRef{};
}

bool Node::can_enclose(const PeerInstance& to) const {
  return !channels_.is_local(to) && channels_.backlog(to) <= wire::enclosing_backlog_max;
}

bool Node::is_working() const {
  return group_member_ && group_member_->stage() == recovery::ViewStage::working;
}

/// Only the founder of a group restores: others have newer data, or know that there are none.
void Node::restore_data() {
  if (!is_ring() && !has_company()) restoring_ = world_.saved_locks();
}

void Node::see_to_data(Time now) {
  if (data_.has_news() && group_member_)
    for (const recovery::ArrivedData& copy : data_.new_copies())
      group_member_->copied(copy.lock, copy.data, effects_.at(now));
  if (visit_ && data_.is_bequeathed()) end_visit(now);
  if (visit_ && visit_->state != Claim::State::waiting) {
    LocalLock& local_lock = *visit_->local_lock;
    bool is_inside = visit_->state == Claim::State::inside;
    std::uint64_t fence = visit_->fence.number();
    if (!restoring_.empty()) {
      // The restored data count as written by this peer now, unless the lock has data already.
      bool is_empty = is_inside && local_lock.data == DataRef{};
      if (auto data = is_empty ? data_.restore(local_lock.name, fence) : std::nullopt)
        local_lock.data = *data;
      restoring_.erase(restoring_.begin());
      if (restoring_.empty()) world_.phase_changed();
    } else if (!is_inside) {
      data_.not_entered(now);
    } else if (data_.end(local_lock.name, now)) {
      local_lock.data = {fence, 0, std::nullopt};
    }
    end_visit(now);
  }
  if (visit_) return;
  if (!restoring_.empty()) return begin_visit(restoring_.front(), now);
  if (data_.lock_to_end()) begin_visit(*data_.lock_to_end(), now);
}

void Node::begin_visit(const std::string& lock, Time now) {
  LocalLock& local_lock = local_lock_at(lock);
  ++local_lock.users;
  visit_ = std::make_unique<Visit>();
  take_place(*visit_, local_lock, now);
}

void Node::end_visit(Time now) {
  LocalLock& local_lock = *visit_->local_lock;
  if (visit_->has_place()) drop_place(*visit_, now);
  visit_.reset();
  --local_lock.users;
}

}  // namespace conch::node
