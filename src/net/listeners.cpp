#include "net/listeners.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <conch/error.hpp>
#include <cstring>
#include <utility>

#include "net/dial.hpp"
#include "wire/limits.hpp"

namespace conch::net {

namespace {

constexpr int backlog = 128;

[[noreturn]] void fail_to_listen(const std::string& where) {
  throw Error("cannot listen on " + where + ": " + std::strerror(errno));
}

ino_t file_at(const std::string& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 ? found.st_ino : 0;
}

/// The file of a Unix socket outlives a process that was killed; connecting to it is then refused.
void remove_stale(const std::string& path, const SocketName& name, const std::string& text) {
  if (LocalHost().path_here(path).empty()) return;
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  bool refused = ::connect(socket.number(), name.get(), name.size()) != 0 && errno == ECONNREFUSED;
  if (!refused) throw Error("cannot listen on " + text + ": another process does");
  ::unlink(path.c_str());
}

Descriptor listen_on(const SocketName& name, const std::string& text) {
  Descriptor socket(::socket(name.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) fail_to_listen(text);
  close_on_fork(socket.number());
  int yes = 1;
  // Without SO_REUSEADDR the port stays taken while old connections linger in TIME_WAIT.
  if (name.family() != AF_UNIX)
    ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(socket.number(), name.get(), name.size()) != 0) fail_to_listen(text);
  if (::listen(socket.number(), backlog) != 0) fail_to_listen(text);
  return socket;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

}  // namespace

Listeners::Listeners(const ListenOptions& options, Serial first_serial)
    : next_serial_(first_serial) {
  if (!options.socket.empty()) add_listener(wire::Route::local, open_local(options.socket));
  for (const std::string& text : options.listen) open_remote(text, options);
  address_ = wire::print(ways(options.advertise));
  if (!address_.empty() && !wire::parse_address(address_))
    throw Error(ErrorCode::bad_argument,
                "an address of more than " + std::to_string(wire::address_bytes_max) +
                    " bytes cannot be advertised; listen on fewer addresses: " + address_);
}

SocketFile::SocketFile(std::string path) : path_(std::move(path)), file_(file_at(path_)) {
  ::chmod(path_.c_str(), S_IRUSR | S_IWUSR);
}

SocketFile::~SocketFile() {
  if (is_there()) ::unlink(path_.c_str());
}

bool SocketFile::is_there() const { return file_ != 0 && file_at(path_) == file_; }

Descriptor Listeners::open_local(const std::string& path) {
  if (!path.starts_with('/'))
    throw Error(ErrorCode::bad_argument, "the path of a socket must be absolute: " + path);
  PrivateFolder folder(folder_of(path));
  if (!folder.is_there())
    throw Error("cannot listen on " + path + ": its directory no longer exists");
  std::string finished = folder.path_to(file_of(path));
  std::optional<SocketName> name = name_of_path(finished);
  if (!name) throw Error(ErrorCode::bad_argument, "the name of a socket is too long: " + path);
  remove_stale(finished, *name, path);
  // The socket gets its final name only once it listens, so a socket of that name that refuses
  // connections belongs to a dead process.
  std::string unfinished = finished;
  unfinished.back() = '~';
  for (int attempts = 3;;) {
    Descriptor socket = listen_on(*name_of_path(unfinished), path);
    if (::rename(unfinished.c_str(), finished.c_str()) == 0) {
      file_.emplace(path);
      return socket;
    }
    // Between bind and listen, another peer may have removed the socket as stale.
    if (errno != ENOENT || --attempts == 0) fail_to_listen(path);
  }
}

Descriptor Listeners::listen_again() {
  std::string path = file_->path();
  Descriptor fresh = open_local(path);
  return std::exchange(listeners_.front().socket, std::move(fresh));
}

void Listeners::open_remote(const std::string& text, const ListenOptions& options) {
  std::optional<wire::TcpWay> way = wire::parse_host_and_port(text);
  if (!way)
    throw Error(ErrorCode::bad_argument,
                "cannot listen: \"" + text + "\" is not an address; use host:port or [host]:port");
  Resolved resolved = resolve(*way, true);
  if (resolved.names.empty()) throw Error("cannot listen on " + text + ": " + resolved.error);
  const SocketName& name = resolved.names.front();
  if (!name.is_loopback() && !options.tls.enabled() && !options.insecure)
    throw Error(ErrorCode::misconfigured,
                "will not listen on " + text +
                    " without TLS: anyone who can reach it could take any lock; give certificates "
                    "(see docs/wire.md), or --insecure if the network is yours alone");
  Descriptor socket = listen_on(name, text);
  SocketName bound;
  ::getsockname(socket.number(), bound.get(), bound.size_to_fill());
  names_.push_back(bound);
  add_listener(wire::Route::remote, std::move(socket));
}

void Listeners::add_listener(wire::Route route, Descriptor socket) {
  listeners_.push_back({next_serial_++, route, std::move(socket)});
}

wire::Ways Listeners::ways(const std::string& advertise) const {
  wire::Ways ways;
  if (file_) ways.emplace_back(wire::UnixWay{LocalHost().boot(), file_->path()});
  if (!advertise.empty()) {
    std::optional<wire::TcpWay> way = wire::parse_host_and_port(advertise);
    if (way && way->port == 0 && !names_.empty()) way->port = names_.front().way().port;
    if (!way || way->port == 0)
      throw Error(ErrorCode::bad_argument, "cannot advertise \"" + advertise +
                                               "\": not an address; use host:port or [host]:port");
    ways.emplace_back(*way);
    return ways;
  }
  for (const SocketName& name : names_) {
    wire::TcpWay way = name.way();
    // Nobody can dial a wildcard address, so advertise the host's name.
    if (name.is_wildcard()) way.host = host_name();
    ways.emplace_back(way);
  }
  return ways;
}

std::vector<std::string> Listeners::listens() const {
  std::vector<std::string> all;
  for (const SocketName& name : names_) all.push_back(name.print());
  return all;
}

}  // namespace conch::net
