// `conch peer`: a member that stays and serves the `conch lock` of its machine.
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
#include "cli/status_server.hpp"
#include "cli/systemd.hpp"
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
  StatusServer::Options http;
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
  if (lease <= Duration::zero())
    throw Error("--lease: a lease is longer than zero, such as 5s or 500ms");
  return std::chrono::ceil<std::chrono::milliseconds>(lease);
}

void await_signal(const sigset_t& signals) {
  int which = 0;
  ::sigwait(&signals, &which);
}

/// The first signal requests an orderly end, even before the peer is in the group; the second ends
/// the process at once.
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

/// Null if a signal came before the peer was in the group.
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
std::string introduction(const Peer& peer, const std::optional<StatusServer>& window) {
  std::string where;
  for (const std::string& address : peer.listens()) where += ", listens on " + address;
  if (window) where += ", status page at http://" + window->address();
  return fmt::format("peer {} is in the group {} ({}){}", id_text(NodeId{peer.id()}), peer.group(),
                     peer.algorithm(), where);
}

/// From now on systemd counts the service as started, and expects watchdog beats.
void report_ready(const Peer& peer, Systemd& systemd, StatusForSystemd& status) {
  systemd.ready(status.in_group());
  peer::Engine& engine = peer.engine();
  engine.watch(status);
  peer::Guard guard = engine.guard();
  // Three beats per period, because one may find systemd's queue full and another may be late.
  if (systemd.watchdog())
    engine.beat_every(*systemd.watchdog() / 3, [&systemd] { systemd.beat(); });
}

void serve(PeerArguments& arguments, PeerLog& log) {
  Systemd systemd([&log](const std::string& line) { log.write({LogLevel::warning, line}); });
  // Before any thread starts: threads inherit the mask, and one of them waits for these signals.
  sigset_t signals = ending_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  arguments.options.serves_clients = true;
  if (!arguments.lease.empty()) arguments.options.lease = lease_in(arguments.lease);
  arguments.options.log = [&log](const LogLine& line) { log.write(line); };
  std::optional<StatusServer> window;
  if (arguments.http.address.empty() && !arguments.http.token_file.empty())
    throw Error("--http-token-file needs --http");
  arguments.http.insecure = arguments.options.insecure;
  if (!arguments.http.address.empty()) window.emplace(arguments.http);
  std::stop_token stop = stopped_by(signals);
  arguments.options.give_up = stop;
  std::optional<StatusForSystemd> status;  // Outlives the peer, which reports its end to it.
  std::unique_ptr<Peer> peer = join(std::move(arguments.options), log);
  if (!peer) return;
  log.name_peer(id_text(NodeId{peer->id()}));
  if (window) window->look_at(*peer);
  status.emplace(systemd, introduction(*peer, window));
  log.info(status->in_group());
  report_ready(*peer, systemd, *status);
  await(stop);
  systemd.stopping("leaving the group");
  log.info("leaving the group; a second signal ends the process at once");
  if (window) window->close();
  peer->leave();
}

/// In a structured log, the final error is a line like any other.
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
      "peer", "Run a member of a group until SIGTERM, and serve `conch lock` on this machine");
  auto arguments = std::make_shared<PeerArguments>();
  PeerOptions& options = arguments->options;
  add_reach_options(*command, options);
  command->add_option("--algorithm", options.algorithm,
                      "What the group runs: an algorithm of `conch algorithms`, or end-to-end, "
                      "sigma or non-end-to-end, which need no register (default: what the group "
                      "runs, or ran last if it is empty; naimi-trehel for a new group)");
  command->add_option("--dht", options.dht,
                      "Overlay of a group without a register: pastry or chord (default: the "
                      "group's; pastry for a new group)");
  command->add_option("--replicas", options.replicas,
                      "Replicas of each lock in a group without a register, 1 to 36 (default: the "
                      "group's; 5 for a new group)");
  command->add_option("--cluster", options.cluster,
                      "Location of this peer, as SITE/RACK/HOST, for algorithms that use it; auto: "
                      "the peers measure it (default: the host name)");
  command->add_option("--eps", options.eps,
                      "For preempt and preempt-aggregation: how many nearby requests may overtake "
                      "distant ones (default: the group's; 2 for a new group)");
  command->add_option("--lease", arguments->lease,
                      "Lease duration, such as 3 (seconds), 250ms or 1m30s; applies only when the "
                      "group is created (default: 5s)");
  command->add_option("--http", arguments->http.address,
                      "HOST:PORT on which to serve a status page, /metrics (Prometheus) and "
                      "/status (JSON); port 0: any free port");
  command->add_option("--http-token-file", arguments->http.token_file,
                      "File with a token, readable by its owner only; whoever knows the token may "
                      "evict and unlock --force through --http");
  command->add_option("--trace", options.trace,
                      "File in which to record this peer's events; see `conch trace check`");
  command->add_flag(
      "--persist", options.persist,
      "Keep the data if this peer is the group's last and the register is on this machine");
  command->add_flag("--tcp-only", options.tcp_only, "Use TCP for peers of this machine, too");
  command->add_option("--log-format", arguments->log_format,
                      "text, or json for one object per line (default: text, with priorities for "
                      "the journal if standard error is connected to it)");
  command->callback([arguments, &invocation] { run_peer(*arguments, invocation); });
}

}  // namespace conch::cli
