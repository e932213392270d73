#include <fmt/core.h>

#include <array>
#include <chrono>
#include <csignal>
#include <exception>
#include <fstream>

#include "contender.hpp"

namespace conch::bench {

namespace {
using namespace std::chrono_literals;
constexpr auto start_patience = 60s;
constexpr auto try_patience = 5s;
constexpr auto try_again_after = 10ms;
constexpr auto stop_patience = 5s;

std::string last_line(const std::filesystem::path& file) {
  std::ifstream lines(file);
  std::string last;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) last = line;
  return last;
}
}  // namespace

/// Whether the server has started: it grants a lock and takes it back.
bool Served::works() {
  try {
    prepare(1);
    Process([this] {
      std::unique_ptr<Entrant> entrant = enter(0);
      entrant->lock(0);
      entrant->unlock(0);
      return std::string();
    }).finish(in(try_patience));
    return true;
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception&) {
    return false;  // it does not listen yet, or is still starting
  }
}

void Served::fail_to_start() {
  std::string said = last_line(folder_->file("log"));
  if (!said.empty()) throw std::runtime_error("the server ended at once, saying: " + said);
  server_->finish(in(stop_patience));
  throw std::runtime_error("the server ended at once");
}

void Served::await_readiness() {
  Deadline deadline = in(start_patience);
  while (!works()) {
    if (wait_readable(std::array{server_->fd()}, in(try_again_after)) >= 0) fail_to_start();
    if (std::chrono::steady_clock::now() > deadline)
      throw std::runtime_error(
          fmt::format("the server was not ready after {} s", start_patience.count()));
  }
}

void Served::start() {
  folder_.emplace();
  try {
    server_ = serve(folder_->path());
    await_readiness();
  } catch (...) {
    stop();
    throw;
  }
}

void Served::stop() {
  if (server_) {
    server_->signal(SIGCONT);
    server_->signal(SIGTERM);
    wait_readable(std::array{server_->fd()}, in(stop_patience));
  }
  server_.reset();  // this kills it if the request was not enough
  folder_.reset();
}

void Served::pause() { server_->signal(SIGSTOP); }
void Served::resume() { server_->signal(SIGCONT); }

}  // namespace conch::bench
