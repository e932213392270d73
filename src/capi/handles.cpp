#include "capi/handles.hpp"

#include "capi/own_in_each_process.hpp"

namespace conch::capi {

namespace {

/// Maps counts one-to-one to numbers that are far apart (splitmix64), so that garbage in memory is
/// hardly ever the number of a handle.
std::uint64_t scattered(std::uint64_t count) {
  std::uint64_t z = count * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111eb;
  return z ^ (z >> 31U);
}

bool wants_something(HandleState state) {
  switch (state) {
    case HandleState::req:
    case HandleState::grant:
    case HandleState::blocked:
    case HandleState::fetch:
    case HandleState::locked: return true;
    case HandleState::invalid:
    case HandleState::valid:
    case HandleState::unlock:
    case HandleState::lost: return false;
  }
  return false;
}

}  // namespace

Outcome Handle::request(Access access) {
  std::lock_guard guard(mutex_);  // Keeps the order of requests and of their notes the same.
  Outcome outcome = data_.request(access);
  if (outcome == Outcome::ok) asked_ = access;
  return outcome;
}

Outcome Handle::try_acquire(Access access) {
  {
    std::lock_guard guard(mutex_);
    if (!wants_something(data_.state())) asked_ = access;
  }
  return data_.try_acquire(access);
}

bool Handle::wants_other_than(Access access) {
  std::lock_guard guard(mutex_);
  return asked_ != access && wants_something(data_.state());
}

Handles& Handles::of_process() {
  return own_in_each_process<Handles>(
      [](const Handles& inherited) { return new Handles(inherited.count_); });
}

std::uint64_t Handles::add(std::shared_ptr<Handle> handle) {
  std::lock_guard guard(mutex_);
  std::uint64_t number = scattered(++count_);  // Only count 0 maps to 0, which means "no handle".
  handles_.emplace(number, std::move(handle));
  return number;
}

std::shared_ptr<Handle> Handles::find(std::uint64_t number) {
  std::lock_guard guard(mutex_);
  auto found = handles_.find(number);
  return found == handles_.end() ? nullptr : found->second;
}

std::shared_ptr<Handle> Handles::remove(std::uint64_t number) {
  std::lock_guard guard(mutex_);
  auto node = handles_.extract(number);
  return node ? std::move(node.mapped()) : nullptr;
}

}  // namespace conch::capi
