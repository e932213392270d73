// The machine at which somebody follows a page: a home of its own, terminals, and addresses that no
// other run of the tests has.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "process.hpp"

namespace conch::docs {

struct Printed {
  std::vector<std::string> lines;
  /// still_running, if it was.
  int status = still_running;
};

/// A shell that somebody types into: what one command sets, the next one finds.
class Terminal {
 public:
  explicit Terminal(const std::function<void()>& at_first);

  void begin(const std::string& command);
  /// What the last command has printed, when it ends or the time is over.
  Printed await_end(Milliseconds within);
  /// Until the last command has printed this many lines, or the time is over.
  void await_lines(std::size_t count, Milliseconds within);

 private:
  std::string mark() const;
  Printed printed();

  Process shell_;
  std::size_t commands_ = 0;
  std::size_t begins_at_ = 0;
};

class Session {
 public:
  /// Under `scratch`, where $XDG_RUNTIME_DIR and $XDG_STATE_HOME are already.
  explicit Session(const std::string& scratch);

  /// Whether `python3` finds the package.
  static bool has_python();
  std::string home() const { return scratch_ + "/home"; }
  /// "" is the one that most commands are typed into.
  Terminal& terminal(const std::string& name);
  /// Typed into that terminal; a `conch peer` stays, and is in its group afterwards.
  Printed run(const std::string& name, const std::string& command);
  /// In this session `sleep 3` in a numbered terminal lasts until here.
  void wake_sleepers() const;

  /// The command with this session's addresses in place of the page's; and what it prints with the
  /// page's, where this host is called `myhost`.
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
