#include "watch/http.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <conch/error.hpp>
#include <cstring>
#include <list>
#include <vector>

#include "net/names.hpp"
#include "wire/address.hpp"

namespace conch::watch {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t request_bytes_max = 8192;
constexpr int backlog = 64;
constexpr int pause_ms = 100;

struct Client {
  net::Descriptor socket;
  Clock::time_point until;
  std::string request = {};
  std::string answer = {};
  std::size_t answered = 0;
  /// There is something to read, or room to write.
  bool is_ready = false;

  bool writes() const { return !answer.empty(); }
};

net::SocketName name_to_listen_on(const HttpOptions& options) {
  std::optional<wire::TcpWay> way = wire::parse_host_and_port(options.listen);
  if (!way) throw Error("--http: an address is host:port or [host]:port, unlike " + options.listen);
  net::Resolved resolved = net::resolve(*way, true);
  if (resolved.names.empty())
    throw Error("--http: cannot listen on " + options.listen + ": " + resolved.error);
  if (!resolved.names.front().is_loopback() && !options.insecure)
    throw Error("--http: will not listen on " + options.listen +
                ": whoever can reach it could read the names of all locks and who holds them; "
                "choose a loopback address, or say --insecure if the network is yours alone");
  return resolved.names.front();
}

net::Descriptor open_door(net::SocketName& name, const std::string& text) {
  net::Descriptor door(::socket(name.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  int yes = 1;
  ::setsockopt(door.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  bool open = door && ::bind(door.number(), name.get(), name.size()) == 0 &&
              ::listen(door.number(), backlog) == 0;
  if (!open) throw Error("--http: cannot listen on " + text + ": " + std::strerror(errno));
  ::getsockname(door.number(), name.get(), name.size_to_fill());
  return door;
}

std::string response(std::string_view status, std::string_view type, std::string_view text,
                     bool with_body) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
      status, type, text.size(), with_body ? text : "");
}

std::string refusal(std::string_view status) {
  return response(status, "text/plain; charset=utf-8", fmt::format("{}\n", status), true);
}

/// False when it has come to its end.
bool read_from(Client& client, const std::map<std::string, Page>& pages) {
  std::array<char, 4096> bytes;
  ssize_t size = ::recv(client.socket.number(), bytes.data(), bytes.size(), 0);
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  if (size == 0) return false;
  client.request.append(bytes.data(), static_cast<std::size_t>(size));
  bool complete = client.request.find("\r\n\r\n") != std::string::npos ||
                  client.request.find("\n\n") != std::string::npos;
  if (complete) {
    client.answer = answer(client.request, pages);
  } else if (client.request.size() > request_bytes_max) {
    client.answer = refusal("431 Request Header Fields Too Large");
  }
  return true;
}

bool write_to(Client& client) {
  std::string_view rest = std::string_view(client.answer).substr(client.answered);
  ssize_t size = ::send(client.socket.number(), rest.data(), rest.size(), MSG_NOSIGNAL);
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  client.answered += static_cast<std::size_t>(size);
  if (client.answered < client.answer.size()) return true;
  ::shutdown(client.socket.number(), SHUT_WR);
  return false;
}

/// False when it is done with, or has taken too long.
bool attend(Client& client, const std::map<std::string, Page>& pages) {
  if (client.until <= Clock::now()) return false;
  if (!client.is_ready) return true;
  return client.writes() ? write_to(client) : read_from(client, pages);
}

/// Until something can be done; false if that is to stop.
bool await(int stop, int door, std::list<Client>& clients, bool& knocks) {
  std::vector<pollfd> sources{{stop, POLLIN, 0}, {door, POLLIN, 0}};
  Clock::time_point wakes = Clock::time_point::max();
  for (const Client& client : clients) {
    auto events = static_cast<short>(client.writes() ? POLLOUT : POLLIN);
    sources.push_back({client.socket.number(), events, 0});
    wakes = std::min(wakes, client.until);
  }
  auto rest = std::chrono::ceil<std::chrono::milliseconds>(wakes - Clock::now());
  int timeout = clients.empty() ? -1 : static_cast<int>(std::max<std::int64_t>(rest.count(), 0));
  ::poll(sources.data(), sources.size(), timeout);
  knocks = sources[1].revents != 0;
  auto source = sources.begin() + 2;
  for (Client& client : clients) client.is_ready = (source++)->revents != 0;
  return sources[0].revents == 0;
}

}  // namespace

std::string answer(std::string_view request, const std::map<std::string, Page>& pages) {
  std::string_view line = request.substr(0, request.find_first_of("\r\n"));
  std::size_t blank = std::min(line.find(' '), line.size());
  std::string_view method = line.substr(0, blank);
  std::string_view path = line.substr(std::min(blank + 1, line.size()));
  path = path.substr(0, path.find_first_of(" ?"));
  if (line.find(" HTTP/1.") == std::string_view::npos) return refusal("400 Bad Request");
  bool with_body = method == "GET";
  if (!with_body && method != "HEAD") return refusal("405 Method Not Allowed");
  if (path == "/" && !pages.contains("/")) {
    std::string list;
    for (const auto& [each, page] : pages) list += each + "\n";
    return response("200 OK", "text/plain; charset=utf-8", list, with_body);
  }
  auto found = pages.find(std::string(path));
  if (found == pages.end()) return refusal("404 Not Found");
  try {
    return response("200 OK", found->second.type, found->second.text(), with_body);
  } catch (const std::exception& error) {
    return response("503 Service Unavailable", "text/plain; charset=utf-8",
                    std::string(error.what()) + "\n", with_body);
  }
}

HttpServer::HttpServer(HttpOptions options)
    : options_(std::move(options)), stop_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  net::SocketName name = name_to_listen_on(options_);
  door_ = open_door(name, options_.listen);
  address_ = name.print();
  thread_ = std::thread([this] { serve(); });
}

HttpServer::~HttpServer() {
  ::eventfd_write(stop_.number(), 1);
  thread_.join();
}

void HttpServer::serve() {
  std::list<Client> clients;
  bool knocks = false;
  while (await(stop_.number(), door_.number(), clients, knocks)) {
    std::erase_if(clients, [&](Client& client) { return !attend(client, options_.pages); });
    if (!knocks) continue;
    net::Descriptor socket(
        ::accept4(door_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    // Out of descriptors: whoever knocks goes on knocking, but does not keep a core busy.
    if (!socket && errno != EAGAIN) ::poll(nullptr, 0, pause_ms);
    if (socket && clients.size() < options_.clients_max)
      clients.push_back({std::move(socket), Clock::now() + options_.patience});
  }
}

}  // namespace conch::watch
