#include "register/staging_dir.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "register/file_lock.hpp"
#include "register/register.hpp"

namespace conch::file {

namespace {

std::string lock_in(const std::string& staging) { return inside(staging, "lock"); }

}  // namespace

StagingDir::StagingDir(const Directory& root) : root_(root), process_(::getpid()) {
  while (!settle()) {
  }
  expect_links();
}

/// A sweep by another process may take our folder for a dead one before we lock it, and then has
/// the lock itself. In that case returns false, and the caller starts again.
bool StagingDir::settle() {
  name_ = "work." + unique_tag();
  root_.make_directory(name_);
  lock_ = root_.open(lock_in(name_), O_RDWR | O_CREAT);
  return lock_ && try_lock(lock_, root_.path(lock_in(name_))) && root_.exists(lock_in(name_));
}

void StagingDir::expect_links() try {
  std::string second = fresh_name();
  root_.link(lock_in(name_), second);
  root_.remove(second);
} catch (const RegisterError& error) {
  take_apart(name_);
  throw RegisterError(std::string(error.what()) +
                      "; views are decided by hard links: choose a file system that has them");
}

StagingDir::~StagingDir() {
  if (::getpid() != process_) return;  // A forked child does not own the folder.
  try {
    take_apart(name_);
  } catch (const RegisterError&) {
    // The next sweep does it, or reports why it cannot.
  }
}

std::string StagingDir::fresh_name() { return name_ + "/" + std::to_string(++names_used_); }

std::string StagingDir::write(std::string_view bytes, bool durable) {
  std::string name = fresh_name();
  Descriptor file = root_.create(name, bytes);
  if (durable) make_durable(file, root_.path(name));
  return name;
}

void StagingDir::discard(const std::string& name) {
  std::string here = fresh_name();
  if (root_.rename(name, here)) root_.remove_all(here);
}

void StagingDir::sweep() {
  for (const std::string& name : root_.list().value_or(std::vector<std::string>{})) {
    if (!after("work.", name) || name == name_) continue;
    Descriptor lock = root_.open(lock_in(name), O_RDWR);
    if (!lock) {
      root_.remove(name);  // Its owner has not locked it yet, or it is half removed.
    } else if (try_lock(lock, root_.path(lock_in(name)))) {
      take_apart(name);
    }
  }
}

/// Removes the lock last: while anything is left, the next sweep can find it and go on.
void StagingDir::take_apart(const std::string& staging) const {
  for (const std::string& name : root_.list(staging).value_or(std::vector<std::string>{}))
    if (name != "lock") root_.remove_all(inside(staging, name));
  root_.remove_all(staging);
}

}  // namespace conch::file
