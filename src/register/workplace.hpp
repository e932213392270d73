// Where one register object makes things before they get their names, and takes them apart after
// they have lost them: the folder `work.TAG`, with a file `lock` in it that the kernel unlocks when
// the process dies. What a dead process has left in its workplace is nobody's.
#pragma once

#include <string>
#include <string_view>

#include "register/directory.hpp"

namespace conch::file {

class Workplace {
 public:
  explicit Workplace(const Directory& root);
  ~Workplace();
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  /// A name in here that was not used before.
  std::string fresh_name();
  /// A new file in here.
  std::string write(std::string_view bytes, bool durable);
  /// Takes the name away in one step, then removes what had it.
  void discard(const std::string& name);
  /// Removes the workplaces of the dead.
  void sweep();

 private:
  bool settle();
  void expect_links();
  void take_apart(const std::string& workplace) const;

  const Directory& root_;
  int process_;
  std::string name_;
  Descriptor lock_;
  std::uint64_t names_used_ = 0;
};

}  // namespace conch::file
