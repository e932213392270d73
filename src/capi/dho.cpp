// Implements include/dho.h on top of conch::Data.
#include <dho.h>

#include <atomic>
#include <conch/version.hpp>

#include "capi/environment.hpp"
#include "capi/failure.hpp"
#include "capi/groups.hpp"
#include "capi/handles.hpp"

namespace conch::capi {
namespace {

using Number = std::atomic_ref<std::uint64_t>;
static_assert(alignof(DHO_t) >= Number::required_alignment);
using HandleRef = std::shared_ptr<Handle>;

/// Atomic, as several threads may create and destroy the same handle at once. If `handle` is const,
/// callers only read.
Number number_of(const DHO_t* handle) { return Number(const_cast<DHO_t*>(handle)->number); }

HandleRef find(const DHO_t* handle) {
  return handle == nullptr ? nullptr : Handles::of_process().find(number_of(handle).load());
}

HandleRef expect(const DHO_t* handle) {
  HandleRef found = find(handle);
  if (!found)
    throw Failure{EINVAL, "not a valid handle: never created, destroyed, or created before a fork"};
  return found;
}

void expect_argument(const void* argument, const char* what) {
  if (argument == nullptr) throw Failure{EINVAL, std::string(what) + " is NULL"};
}

// Creating and destroying handles.

std::shared_ptr<Peer> join(const dho_options& options) {
  std::string group = Groups::of_process().meant(options.group);
  PeerOptions peer = options_from_environment(group);
  if (options.timeout_ms > 0)
    peer.admission_patience = std::chrono::milliseconds(options.timeout_ms);
  if (options.persist != 0) peer.persist = true;
  return Groups::of_process().join(peer);
}

DataOptions data_options(const dho_options& options) {
  DataOptions data;
  data.copies = options.copies;
  data.prefetch = options.prefetch != 0;
  data.timeout = std::chrono::milliseconds(options.timeout_ms);
  return data;
}

/// Reports a bad name as the caller's fault (EINVAL), not as a failure of the group.
template <class Call>
auto by_name(const Call& call) {
  try {
    return call();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_argument) throw;
    throw Failure{EINVAL, error.what()};
  }
}

HandleRef make_handle(const char* name, const dho_options& options) {
  std::shared_ptr<Peer> peer = join(options);
  Data data = by_name([&] { return Data(*peer, name, data_options(options)); });
  return std::make_shared<Handle>(std::move(peer), std::move(data));
}

int create_again(Handle& handle, const char* name, const dho_options& options) {
  if (options.group != nullptr && handle.peer()->group() != options.group)
    throw Failure{EBUSY, "the handle belongs to another group: destroy it first"};
  return answer(by_name([&] { return handle.data().create(name); }));
}

/// Stores a fresh handle's number where `before` was. Returns false if another thread was faster.
bool publish(DHO_t* handle, std::uint64_t before, HandleRef fresh) {
  std::uint64_t number = Handles::of_process().add(std::move(fresh));
  if (number_of(handle).compare_exchange_strong(before, number)) return true;
  Handles::of_process().remove(number);
  return false;
}

int create(DHO_t* handle, const char* name, const dho_options& options) {
  expect_argument(handle, "the handle");
  expect_argument(name, "the name");
  for (;;) {
    std::uint64_t number = number_of(handle).load();
    if (HandleRef found = Handles::of_process().find(number))
      return create_again(*found, name, options);
    if (publish(handle, number, make_handle(name, options))) return 0;
  }
}

int duplicate(DHO_t* handle, const Handle& source, std::size_t offset, std::size_t length) {
  if (find(handle)) throw Failure{EBUSY, "the handle is in use: destroy it first"};
  std::uint64_t number = number_of(handle).load();
  Data part = const_cast<Handle&>(source).data().part(offset, length);
  if (part.state() == HandleState::invalid)
    throw Failure{EINVAL, "a part has at least one byte, and needs a valid handle to be a part of"};
  auto fresh = std::make_shared<Handle>(source.peer(), std::move(part));
  if (!publish(handle, number, std::move(fresh)))
    throw Failure{EBUSY, "another thread has just created this handle"};
  return 0;
}

int destroy(DHO_t* handle) {
  if (handle == nullptr) return 0;
  std::uint64_t number = number_of(handle).load();
  HandleRef found = Handles::of_process().remove(number);
  if (!found) return 0;
  number_of(handle).compare_exchange_strong(number, 0);
  return answer(found->data().destroy());
}

// The other calls.

int request(DHO_t* handle, Access access) {
  return at_boundary([&] { return answer(expect(handle)->request(access)); });
}

void expect_asked(Handle& handle, Access access) {
  if (!handle.wants_other_than(access)) return;
  bool reads = access == Access::exclusive;
  throw Failure{EINVAL,
                reads ? "the lock was requested for reading: use dho_ir_acquire and _release"
                      : "the lock was requested for writing: use dho_ew_acquire and _release"};
}

int acquire(DHO_t* handle, Access access) {
  return at_boundary([&] {
    HandleRef found = expect(handle);
    expect_asked(*found, access);
    return answer(found->data().acquire());
  });
}

int try_acquire(DHO_t* handle, Access access) {
  return at_boundary([&] {
    HandleRef found = expect(handle);
    expect_asked(*found, access);
    return answer(found->try_acquire(access));
  });
}

int release(DHO_t* handle, Access access) {
  return at_boundary([&] {
    HandleRef found = find(handle);
    if (!found) return 0;
    expect_asked(*found, access);
    return answer(found->data().release());
  });
}

/// Computes in long double, so that no time a timespec can name overflows.
auto wall_clock_time(const timespec& time) {
  using Nanoseconds = std::chrono::duration<long double, std::nano>;
  Nanoseconds since_epoch = std::chrono::duration<long double>(time.tv_sec);
  return std::chrono::time_point<std::chrono::system_clock, Nanoseconds>(
      since_epoch + std::chrono::nanoseconds(time.tv_nsec));
}

int acquire_until(DHO_t* handle, const timespec* deadline) {
  expect_argument(deadline, "the deadline");
  if (deadline->tv_nsec < 0 || deadline->tv_nsec >= 1'000'000'000)
    throw Failure{EINVAL, "the deadline's tv_nsec is not between 0 and 999999999"};
  return answer(expect(handle)->data().acquire_until(wall_clock_time(*deadline)));
}

dho_state state_of(HandleState state) {
  switch (state) {
    case HandleState::invalid: return DHO_INVALID;
    case HandleState::valid: return DHO_VALID;
    case HandleState::req: return DHO_REQ;
    case HandleState::grant: return DHO_GRANT;
    case HandleState::blocked: return DHO_BLOCKED;
    case HandleState::fetch: return DHO_FETCH;
    case HandleState::locked: return DHO_LOCKED;
    case HandleState::unlock: return DHO_UNLOCK;
    case HandleState::lost: return DHO_LOST;
  }
  return DHO_INVALID;
}

/// For questions that cannot fail: returns `nothing` if there is no such handle.
template <class Answer, class Question>
Answer ask(DHO_t* handle, Answer nothing, const Question& question) noexcept {
  Answer result = nothing;
  at_boundary([&] {
    if (HandleRef found = find(handle)) result = question(found->data());
    return 0;
  });
  return result;
}

}  // namespace
}  // namespace conch::capi

// NOLINTBEGIN(misc-use-internal-linkage)
using namespace conch::capi;
using conch::Access;
using conch::Data;

extern "C" {

int dho_create(DHO_t* handle, char const* name) { return dho_create_with(handle, name, nullptr); }

int dho_create_with(DHO_t* handle, char const* name, dho_options const* options) {
  return at_boundary(
      [&] { return create(handle, name, options == nullptr ? dho_options{} : *options); });
}

int dho_duplicate(DHO_t* handle, DHO_t const* source, size_t offset, size_t length) {
  return at_boundary([&] {
    expect_argument(handle, "the handle");
    return duplicate(handle, *expect(source), offset, length);
  });
}

int dho_destroy(DHO_t* handle) {
  return at_boundary([&] { return destroy(handle); });
}

int dho_ew_request(DHO_t* handle) { return request(handle, Access::exclusive); }
int dho_ir_request(DHO_t* handle) { return request(handle, Access::shared); }
int dho_ew_acquire(DHO_t* handle) { return acquire(handle, Access::exclusive); }
int dho_ir_acquire(DHO_t* handle) { return acquire(handle, Access::shared); }
int dho_ew_tryacquire(DHO_t* handle) { return try_acquire(handle, Access::exclusive); }
int dho_ir_tryacquire(DHO_t* handle) { return try_acquire(handle, Access::shared); }
int dho_ew_release(DHO_t* handle) { return release(handle, Access::exclusive); }
int dho_ir_release(DHO_t* handle) { return release(handle, Access::shared); }

int dho_timedacquire(DHO_t* handle, timespec const* deadline) {
  return at_boundary([&] { return acquire_until(handle, deadline); });
}

int dho_cancel(DHO_t* handle) {
  return at_boundary([&] {
    auto found = find(handle);
    return found ? answer(found->data().cancel()) : 0;
  });
}

dho_state dho_test(DHO_t* handle) {
  return ask(handle, DHO_INVALID, [](Data& data) { return state_of(data.state()); });
}

void* dho_map(DHO_t* handle, size_t* size) {
  auto bytes = ask(handle, conch::Span<std::byte>(), [](Data& data) { return data.bytes(); });
  if (size != nullptr) *size = bytes.size();
  return bytes.empty() ? nullptr : bytes.data();
}

uint64_t dho_fence(DHO_t* handle) {
  return ask(handle, uint64_t{0}, [](Data& data) { return data.fence(); });
}

int dho_resize(DHO_t* handle, size_t size) {
  return at_boundary([&] { return answer(expect(handle)->data().resize(size)); });
}

int dho_progress(DHO_t* handle, size_t* moved, size_t* total) {
  return at_boundary([&] {
    conch::DataProgress progress = expect(handle)->data().progress();
    if (moved != nullptr) *moved = progress.moved;
    if (total != nullptr) *total = progress.total;
    return 0;
  });
}

int dho_attach(char const* group) {
  return at_boundary([&] {
    dho_options options{};
    options.group = group;
    std::string name = Groups::of_process().meant(group);
    Groups::of_process().keep(name, join(options));
    return 0;
  });
}

int dho_detach(char const* group) {
  return at_boundary([&] {
    Groups::of_process().take_back(Groups::of_process().meant(group));
    return 0;
  });
}

char const* dho_strerror(int error) { return words_for(error); }
char const* dho_version(void) { return conch::version().data(); }

}  // extern "C"
// NOLINTEND(misc-use-internal-linkage)
