// The machine of a user who follows a page: a home of its own, terminals, and addresses that no
// other run of the tests uses.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "process.hpp"

namespace conch::docs {

struct Printed {
  std::vector<std::string> lines;
  /// still_running if the command has not ended.
  int status = still_running;
};

/// A shell into which the test types; it keeps its state from command to command.
class Terminal {
 public:
  explicit Terminal(const std::function<void()>& at_first);

  void begin(const std::string& command);
  /// The output of the last command, when it ends or the time is over.
  Printed await_end(Milliseconds within);
  /// Waits until the last command has printed `count` lines, or the time is over.
  void await_lines(std::size_t count, Milliseconds within);

 private:
  std::string mark() const;
  Printed printed();

  Process shell_;
  std::size_t commands_ = 0;
  std::size_t begins_at_ = 0;
};

class ShellSession {
 public:
  /// The home is in `scratch`, which has $XDG_RUNTIME_DIR and $XDG_STATE_HOME already.
  explicit ShellSession(const std::string& scratch);

  /// Whether `python3` finds the package.
  static bool has_python();
  std::string home() const { return scratch_ + "/home"; }
  /// The terminal with this name; most commands are typed into "".
  Terminal& terminal(const std::string& name);
  /// Runs a command in that terminal. A `conch peer` goes on running, and has joined on return.
  Printed run(const std::string& name, const std::string& command);
  /// Ends every `sleep 3` in a numbered terminal, which lasts until this call.
  void wake_sleepers() const;

  /// Replaces the addresses of the page by those of this session in a command, and the other way
  /// round in its output, where this host is called `myhost`.
  std::string with_own_addresses(std::string text) const;
  std::string with_names_of_the_page(std::string text) const;

 private:
  Printed run_peer(Terminal& terminal, const std::string& command);
  void make_home() const;
  void make_commands() const;
  std::string address(std::size_t number) const;

  std::string scratch_;
  std::map<std::string, std::unique_ptr<Terminal>> terminals_;
  std::size_t peers_ = 0;
};

}  // namespace conch::docs
