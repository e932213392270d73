#include "docs/session.hpp"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include "docs/page.hpp"

namespace conch::docs {
namespace {

/// A peer that takes longer is a fault.
constexpr Milliseconds peer_patience{20'000};
constexpr Milliseconds command_patience{100'000};

void write_program(const std::string& path, const std::string& script) {
  std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
  ::chmod(path.c_str(), 0700);
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// The addresses of machines on the pages. The first one is this machine.
constexpr std::array machines{"127.0.0.1", "10.0.0.1", "10.0.0.2", "10.0.0.3"};
constexpr std::array names{"alpha", "beta", "gamma"};

}  // namespace

Terminal::Terminal(const std::function<void()>& at_first)
    : shell_({"bash", "--noprofile", "--norc"}, at_first) {}

std::string Terminal::mark() const { return "\n\x01" + std::to_string(commands_) + " "; }

void Terminal::begin(const std::string& command) {
  begins_at_ = shell_.output().size();
  ++commands_;
  // The status is kept for a later `echo $?`.
  shell_.say("{ " + command + "\n} </dev/null\nstatus=$?; printf '\\n\\001%d %d\\001\\n' " +
             std::to_string(commands_) + " $status; (exit $status)\n");
}

Printed Terminal::await_end(Milliseconds within) {
  shell_.await_output(mark(), within) && shell_.await_output("\x01\n", within);
  return printed();
}

void Terminal::await_lines(std::size_t count, Milliseconds within) {
  Stopwatch watch;
  while (watch.elapsed() < within) {
    Printed now = printed();
    if (now.status != still_running || now.lines.size() >= count) return;
    ::poll(nullptr, 0, 10);
  }
}

Printed Terminal::printed() {
  std::string text = shell_.output().substr(begins_at_);
  std::size_t end = text.find(mark());
  Printed printed{lines_in(text.substr(0, end)), still_running};
  if (end != text.npos) printed.status = std::atoi(text.c_str() + end + mark().size());
  return printed;
}

ShellSession::ShellSession(const std::string& scratch) : scratch_(scratch) {
  make_home();
  make_commands();
}

void ShellSession::make_home() const {
  namespace fs = std::filesystem;
  fs::create_directories(home() + "/build/release");
  fs::create_directories(home() + "/tests");
  fs::create_symlink(CONCH_COMMAND, home() + "/build/release/conch");
  fs::create_directory_symlink(CONCH_BUILD, home() + "/build/dev");
  fs::copy("tests/scenarios", home() + "/tests/scenarios");
  fs::copy("examples", home() + "/examples");
  write_program(home() + "/deploy.sh", "true");
  // The only part of ./dev that a reader of these pages runs is the installation.
  write_program(home() + "/dev",
                "[ \"$1\" = install ] && exec cmake --install " CONCH_BUILD " --prefix \"$3\"");
}

void ShellSession::make_commands() const {
  std::filesystem::create_directories(scratch_ + "/bin");
  std::filesystem::create_directories(scratch_ + "/slow");
  std::filesystem::create_symlink(CONCH_COMMAND, scratch_ + "/bin/conch");
  write_program(scratch_ + "/bin/make", "true");
  if (has_python())
    write_program(scratch_ + "/bin/python3",
                  "PYTHONPATH=" CONCH_BUILD "/python exec " CONCH_PYTHON " -B \"$@\"");
  write_program(scratch_ + "/slow/sleep",
                "until [ -e " + scratch_ + "/awake ]; do PATH=/usr/bin:/bin sleep 0.05; done");
}

bool ShellSession::has_python() { return *CONCH_PYTHON != '\0'; }

Terminal& ShellSession::terminal(const std::string& name) {
  std::unique_ptr<Terminal>& terminal = terminals_[name];
  if (terminal) return *terminal;
  bool is_numbered = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) != 0;
  bool is_elsewhere = !name.empty() && !is_numbered;
  std::string path = (is_numbered ? scratch_ + "/slow:" : "") + scratch_ + "/bin:" + getenv("PATH");
  if (is_elsewhere) std::filesystem::create_directories(scratch_ + "/" + name);
  auto at_first = [&] {
    ::setenv("PATH", path.c_str(), 1);
    ::setenv("HOME", home().c_str(), 1);
    for (const char* variable : {"XDG_RUNTIME_DIR", "XDG_STATE_HOME"})
      if (is_elsewhere) ::setenv(variable, (scratch_ + "/" + name + "/" + variable).c_str(), 1);
    if (::chdir(home().c_str()) != 0) ::_exit(98);
  };
  terminal = std::make_unique<Terminal>(at_first);
  return *terminal;
}

Printed ShellSession::run(const std::string& name, const std::string& command) {
  static const std::regex peer("^([^ ]*/)?conch peer( .*)?$");
  Terminal& terminal = this->terminal(name);
  if (std::regex_match(command, peer)) return run_peer(terminal, command);
  terminal.begin(command);
  Printed printed = terminal.await_end(command_patience);
  if (printed.status == still_running) terminals_.erase(name);  // the next one needs a shell
  return printed;
}

Printed ShellSession::run_peer(Terminal& terminal, const std::string& command) {
  static const std::regex background(" *&? *(#.*)?$");
  std::string log = scratch_ + "/peer." + std::to_string(++peers_);
  terminal.begin(
      std::regex_replace(command, background, "", std::regex_constants::format_first_only) + " >" +
      log + " 2>&1 &");
  Printed started = terminal.await_end(command_patience);
  Stopwatch watch;
  while (contents_of(log).find("is in the group") == std::string::npos) {
    if (watch.elapsed() > peer_patience) return {lines_in(contents_of(log)), still_running};
    ::poll(nullptr, 0, 10);
  }
  return {lines_in(contents_of(log)), started.status};
}

void ShellSession::wake_sleepers() const { std::ofstream(scratch_ + "/awake") << "\n"; }

/// Takes a part of the sixteen million loopback addresses for this process alone.
std::string ShellSession::address(std::size_t number) const {
  auto process = static_cast<std::size_t>(::getpid());
  return "127." + std::to_string(1 + process / 250 % 250) + "." +
         std::to_string(1 + process % 250) + "." + std::to_string(1 + number);
}

std::string ShellSession::with_own_addresses(std::string text) const {
  for (std::size_t i = 0; i < machines.size(); ++i) replace_all(text, machines[i], address(i));
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::regex host_and_port("\\b" + std::string(names[i]) + ":([0-9])");
    text = std::regex_replace(text, host_and_port, address(1 + i) + ":$1");
  }
  return text;
}

/// Pages show the host as `myhost` and, in a line that begins with a process, the user as `ada`.
std::string ShellSession::with_names_of_the_page(std::string text) const {
  for (std::size_t i = 0; i < machines.size(); ++i) replace_all(text, address(i), machines[i]);
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  text = std::regex_replace(text, std::regex("\\b" + std::string(host.data()) + "\\b"), "myhost");
  const passwd* user = ::getpwuid(::geteuid());
  std::string name = user ? user->pw_name : std::to_string(::geteuid());
  std::regex after_process("^(\\d+ +)" + name + "\\b", std::regex::multiline);
  return std::regex_replace(text, after_process, "$1ada");
}

}  // namespace conch::docs
