#include "register/workplace.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "register/file_lock.hpp"
#include "register/register.hpp"

namespace conch::file {

namespace {

std::string lock_in(const std::string& workplace) { return inside(workplace, "lock"); }

}  // namespace

Workplace::Workplace(const Directory& root) : root_(root), process_(::getpid()) {
  while (!settle()) {
  }
  expect_links();
}

/// Whoever sweeps may take a workplace for a dead one before it is locked, and then has the lock
/// itself. We begin anew.
bool Workplace::settle() {
  name_ = "work." + unique_tag();
  root_.make_directory(name_);
  lock_ = root_.open(lock_in(name_), O_RDWR | O_CREAT);
  return lock_ && try_lock(lock_, root_.path(lock_in(name_))) && root_.exists(lock_in(name_));
}

void Workplace::expect_links() try {
  std::string second = fresh_name();
  root_.link(lock_in(name_), second);
  root_.remove(second);
} catch (const RegisterError& error) {
  take_apart(name_);
  throw RegisterError(std::string(error.what()) +
                      "; views are decided by hard links: choose a file system that has them");
}

Workplace::~Workplace() {
  if (::getpid() != process_) return;  // A fork has the object, too, but not the place.
  try {
    take_apart(name_);
  } catch (const RegisterError&) {
    // The next to sweep will do it, or say why it cannot be done.
  }
}

std::string Workplace::fresh_name() { return name_ + "/" + std::to_string(++names_used_); }

std::string Workplace::write(std::string_view bytes, bool durable) {
  std::string name = fresh_name();
  Descriptor file = root_.create(name, bytes);
  if (durable) make_durable(file, root_.path(name));
  return name;
}

void Workplace::discard(const std::string& name) {
  std::string here = fresh_name();
  if (root_.rename(name, here)) root_.remove_all(here);
}

void Workplace::sweep() {
  for (const std::string& name : root_.list().value_or(std::vector<std::string>{})) {
    if (!after("work.", name) || name == name_) continue;
    Descriptor lock = root_.open(lock_in(name), O_RDWR);
    if (!lock) {
      root_.remove(name);  // Nothing is in it yet, or any more.
    } else if (try_lock(lock, root_.path(lock_in(name)))) {
      take_apart(name);
    }
  }
}

/// The lock last: as long as something is left, the next can take its turn.
void Workplace::take_apart(const std::string& workplace) const {
  for (const std::string& name : root_.list(workplace).value_or(std::vector<std::string>{}))
    if (name != "lock") root_.remove_all(inside(workplace, name));
  root_.remove_all(workplace);
}

}  // namespace conch::file
