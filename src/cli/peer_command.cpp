// conch peer: a member that stays, and serves the `conch lock` of its machine.
#include <fmt/core.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <conch/peer.hpp>
#include <csignal>
#include <memory>
#include <optional>
#include <semaphore>
#include <stop_token>
#include <thread>

#include "cli/commands.hpp"
#include "cli/peer_line.hpp"
#include "cli/peer_log.hpp"
#include "cli/peer_options.hpp"
#include "cli/systemd.hpp"
#include "cli/window.hpp"
#include "core/text.hpp"
#include "net/open_files.hpp"
#include "peer/engine.hpp"
#include "peer/heap.hpp"
#include "peer/names.hpp"

namespace conch::cli {
namespace {

struct PeerArguments {
  PeerOptions options;
  std::string lease;
  Window::Options http;
  std::string log_format = "text";
};

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  return signals;
}

std::chrono::milliseconds lease_in(const std::string& text) {
  Duration lease = parsed("--lease", [&] { return parse_duration_or_seconds(text); });
  if (lease <= Duration::zero()) throw Error("--lease: a lease lasts some time, as in 5s or 500ms");
  return std::chrono::ceil<std::chrono::milliseconds>(lease);
}

void await_signal(const sigset_t& signals) {
  int which = 0;
  ::sigwait(&signals, &which);
}

/// The first signal asks for an orderly end, also of one that is not in the group yet.
std::stop_token stopped_by(const sigset_t& signals) {
  std::stop_source stop;
  std::thread([signals, stop]() mutable {
    await_signal(signals);
    stop.request_stop();
    await_signal(signals);
    ::_exit(1);
  }).detach();
  return stop.get_token();
}

/// None if it was told to end before it was in the group.
std::unique_ptr<Peer> join(PeerOptions options, const PeerLog& log) {
  std::stop_token stop = options.give_up;
  try {
    return std::make_unique<Peer>(std::move(options));
  } catch (const Error& error) {
    if (!stop.stop_requested()) throw;
    log.info(error.what());
    return nullptr;
  }
}

void await(const std::stop_token& stop) {
  std::binary_semaphore stopped(0);
  std::stop_callback on_stop(stop, [&] { stopped.release(); });
  stopped.acquire();
}

/// Names the peer and the addresses at which others find it.
std::string introduction(const Peer& peer, const std::optional<Window>& window) {
  std::string where;
  for (const std::string& address : peer.listens()) where += ", listens on " + address;
  if (window) where += ", shows itself on http://" + window->address();
  return fmt::format("peer {} is in the group {} ({}){}", id_text(NodeId{peer.id()}), peer.group(),
                     peer.algorithm(), where);
}

/// From now on systemd takes the service for started, and waits for its beats.
void report_ready(const Peer& peer, Systemd& systemd, StatusForSystemd& status) {
  systemd.ready(status.in_group());
  peer::Engine& engine = peer.engine();
  engine.watch(status);
  peer::Guard guard = engine.guard();
  // Three a period, because one may find systemd's queue full and one may be late.
  if (systemd.watchdog())
    engine.beat_every(*systemd.watchdog() / 3, [&systemd] { systemd.beat(); });
}

void serve(PeerArguments& arguments, PeerLog& log) {
  Systemd systemd([&log](const std::string& line) { log.write({LogLevel::warning, line}); });
  // Before there are threads: they inherit it, and one of them waits for the signals.
  sigset_t signals = ending_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  arguments.options.serves_clients = true;
  if (!arguments.lease.empty()) arguments.options.lease = lease_in(arguments.lease);
  arguments.options.log = [&log](const LogLine& line) { log.write(line); };
  std::optional<Window> window;
  if (arguments.http.address.empty() && !arguments.http.token_file.empty())
    throw Error("--http-token-file: there is no --http to ask for it");
  arguments.http.insecure = arguments.options.insecure;
  if (!arguments.http.address.empty()) window.emplace(arguments.http);
  std::stop_token stop = stopped_by(signals);
  arguments.options.give_up = stop;
  std::optional<StatusForSystemd> status;  // Outlives the peer, which tells it about its end, too.
  std::unique_ptr<Peer> peer = join(std::move(arguments.options), log);
  if (!peer) return;
  log.name_peer(id_text(NodeId{peer->id()}));
  if (window) window->look_at(*peer);
  status.emplace(systemd, introduction(*peer, window));
  log.info(status->in_group());
  report_ready(*peer, systemd, *status);
  await(stop);
  systemd.stopping("leaves the group");
  log.info("leaves the group; a second signal ends it at once");
  if (window) window->close();
  peer->leave();
}

/// What it fails with is a line of the log as any other, where somebody takes the log apart.
void run_peer(PeerArguments& arguments, Invocation& invocation) {
  peer::keep_heap_small();
  net::raise_open_files();
  arguments.options.group = peer::group_named(arguments.options.group);
  PeerLog log(log_format_named(arguments.log_format), arguments.options.group);
  try {
    serve(arguments, log);
  } catch (const std::exception& error) {
    if (log.format() == LogFormat::text) throw;
    log.error(error.what());
    invocation.exit = Exit::bad_usage;
  }
}

}  // namespace

void add_peer_command(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand(
      "peer", "Be a member of a group until SIGTERM, and serve `conch lock` on this machine");
  auto arguments = std::make_shared<PeerArguments>();
  PeerOptions& options = arguments->options;
  add_reach_options(*command, options);
  command->add_option(
      "--algorithm", options.algorithm,
      "What the group runs: a name of `conch algorithms`; or end-to-end, sigma or non-end-to-end, "
      "which need no register. Without: what it runs, or ran last if it is empty; naimi-trehel "
      "if it is new");
  command->add_option("--dht", options.dht,
                      "Of those without a register: the overlay, pastry or chord; without: the "
                      "group's, pastry if it is new");
  command->add_option("--replicas", options.replicas,
                      "Of those without a register: so many replicas of each lock, 1 to 36; "
                      "without: the group's, 5 if it is new");
  command->add_option("--cluster", options.cluster,
                      "Whom it is near, as SITE/RACK/HOST; auto: the peers measure it; the host's "
                      "name without. For algorithms that mind it");
  command->add_option("--eps", options.eps,
                      "Of preempt and preempt-aggregation: so many near requests overtake distant "
                      "ones; without: the group's, 2 if it is new");
  command->add_option(
      "--lease", arguments->lease,
      "How long a silent peer is waited for, as in 3 (seconds), 250ms or 1m30s; applies "
      "only when the group is created. Without: the group's, 5s if it is new");
  command->add_option("--http", arguments->http.address,
                      "HOST:PORT to show the group on, for a browser; /metrics (Prometheus) and "
                      "/status (JSON); port 0: any");
  command->add_option("--http-token-file", arguments->http.token_file,
                      "A file that only its owner may read; who knows what is in it may evict and "
                      "unlock --force there");
  command->add_option("--trace", options.trace,
                      "A file to write what happens at this peer to; see `conch trace check`");
  command->add_flag("--persist", options.persist,
                    "If this peer is the group's last, and the register is here: keep the data");
  command->add_flag("--tcp-only", options.tcp_only, "Speak TCP with peers of this machine, too");
  command->add_option("--log-format", arguments->log_format,
                      "text, or json for one object a line; without: text, as the journal reads it "
                      "if standard error is a stream to it");
  command->callback([arguments, &invocation] { run_peer(*arguments, invocation); });
}

}  // namespace conch::cli
