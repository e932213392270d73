#include "http/server.hpp"

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
#include <optional>
#include <vector>

#include "http/response.hpp"
#include "net/names.hpp"
#include "net/open_files.hpp"
#include "wire/address.hpp"

namespace conch::http {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int backlog = 64;
constexpr int pause_ms = 100;
/// How many are served while descriptors are scarce.
constexpr std::size_t looking_in_max = 4;
constexpr const char* too_many = "too many ask at the moment";
/// What of a stream is on its way to one client, besides what the kernel has.
constexpr std::size_t stream_bytes_max = std::size_t{1} << 16;

struct Client {
  net::Descriptor socket;
  std::uint64_t number;
  /// By then it has been served, or has taken what it was given; or a heartbeat is due.
  Clock::time_point until;
  /// It came when there were as many as are served: it is told so.
  bool is_surplus = false;
  std::string request = {};
  std::string answer = {};
  /// Comes after it.
  std::shared_ptr<const std::string> body = {};
  std::size_t answered = 0;
  /// Works for it.
  Clerk* clerk = nullptr;
  /// It listens to the stream.
  std::optional<Broadcast::Place> place = {};
  /// There is something to read, or room to write.
  bool is_ready = false;

  bool writes() const { return !answer.empty(); }
  std::string_view rest() const {
    if (answered < answer.size() || !body) return std::string_view(answer).substr(answered);
    return std::string_view(*body).substr(answered - answer.size());
  }
  short events() const {
    if (writes()) return POLLOUT;
    return static_cast<short>(clerk ? POLLRDHUP : POLLIN);
  }
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

/// Pages see nothing else of a request.
std::string topic_of(const Request& request) {
  std::string topic = request.method;
  auto add = [&](const std::string& text) { topic += fmt::format(" {}:{}", text.size(), text); };
  add(request.path);
  for (const auto& [name, value] : request.query) {
    add(name);
    add(value);
  }
  return topic;
}

/// Everybody who is served at the moment; of the server's thread.
class Service {
 public:
  Service(const HttpOptions& options, const std::string& address, int stop, int door)
      : options_(options), address_(address), stop_(stop), door_(door) {}
  ~Service() {
    for (Client& client : clients_) leave(client);
  }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// False if that is to stop.
  bool serve_once() {
    if (!await()) return false;
    for (Clerk* clerk : {&looks_, &acts_})
      for (const Clerk::Result& result : clerk->take()) finish(result);
    if (options_.stream) options_.stream->silence();
    std::erase_if(clients_, [&](Client& client) {
      bool stays = attend(client);
      if (!stays) leave(client);
      return !stays;
    });
    if (knocks_) let_in();
    return true;
  }

 private:
  bool await();
  void let_in();
  bool attend(Client& client);
  bool attend_watcher(Client& client);
  bool read_from(Client& client);
  bool write_to(Client& client) const;
  void take_request(Client& client, Request request);
  void begin_stream(Client& client);
  void finish(const Clerk::Result& result);
  void leave(Client& client) {
    if (client.place) options_.stream->leave();
    if (client.clerk) client.clerk->cancel(client.number);
  }

  const HttpOptions& options_;
  const std::string& address_;
  int stop_;
  int door_;
  bool knocks_ = false;
  std::uint64_t came_ = 0;
  std::list<Client> clients_;
  Clerk looks_;
  /// A change of the group may take longer than a look.
  Clerk acts_;
};

/// Until something can be done.
bool Service::await() {
  int stream_bell = options_.stream ? options_.stream->bell() : -1;
  std::vector<pollfd> sources{{stop_, POLLIN, 0},
                              {door_, POLLIN, 0},
                              {looks_.bell(), POLLIN, 0},
                              {acts_.bell(), POLLIN, 0},
                              {stream_bell, POLLIN, 0}};
  std::size_t others = sources.size();
  Clock::time_point wakes = Clock::time_point::max();
  for (const Client& client : clients_) {
    sources.push_back({client.socket.number(), client.events(), 0});
    wakes = std::min(wakes, client.until);
  }
  bool for_ever = wakes == Clock::time_point::max();
  auto rest = std::chrono::ceil<std::chrono::milliseconds>(wakes - Clock::now());
  int timeout = for_ever ? -1 : static_cast<int>(std::max<std::int64_t>(rest.count(), 0));
  ::poll(sources.data(), sources.size(), timeout);
  knocks_ = sources[1].revents != 0;
  auto source = sources.begin() + static_cast<std::ptrdiff_t>(others);
  for (Client& client : clients_) client.is_ready = (source++)->revents != 0;
  return sources[0].revents == 0;
}

void Service::let_in() {
  net::Descriptor socket(::accept4(door_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  // Out of descriptors: whoever knocks goes on knocking, but does not keep a core busy.
  if (!socket && errno != EAGAIN) ::poll(nullptr, 0, pause_ms);
  net::OpenFiles files = net::OpenFiles::of_process();
  bool has_room =
      clients_.size() < 2 * options_.clients_max && !files.is_kept_for_register(socket.number());
  if (!socket || !has_room) return;
  std::size_t served =
      files.is_kept_from_clients(socket.number()) ? looking_in_max : options_.clients_max;
  bool is_surplus = clients_.size() >= served;
  clients_.push_back({std::move(socket), ++came_, Clock::now() + options_.patience, is_surplus});
}

/// False when it is done with, or has taken too long.
bool Service::attend(Client& client) {
  if (client.place) return attend_watcher(client);
  if (client.clerk) return !client.is_ready;  // It has hung up.
  if (client.until <= Clock::now()) return false;
  if (!client.is_ready) return true;
  return client.writes() ? write_to(client) : read_from(client);
}

/// Who takes nothing for as long as a request may take is not there any more.
bool Service::attend_watcher(Client& client) {
  Clock::time_point now = Clock::now();
  bool due = client.until <= now;
  if (due && client.writes()) return false;
  if (client.is_ready && !client.writes()) {
    std::array<char, 512> bytes;
    ssize_t size = ::recv(client.socket.number(), bytes.data(), bytes.size(), 0);
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) return false;
  }
  if (!client.writes()) {
    options_.stream->take(*client.place, client.answer, stream_bytes_max);
    if (due && !client.writes()) client.answer = ":\n\n";
    if (client.writes()) client.until = now + options_.patience;
  }
  if (!client.writes()) return true;
  std::size_t before = client.answered;
  if (!write_to(client)) return false;
  if (client.answered > before) client.until = now + options_.patience;
  if (client.answered < client.answer.size()) return true;
  client.answer.clear();
  client.answered = 0;
  client.until = now + options_.heartbeat;
  // What has come meanwhile rings no bell.
  if (options_.stream->has_news(*client.place)) client.until = now;
  return true;
}

bool Service::read_from(Client& client) {
  std::array<char, 4096> bytes;
  ssize_t size = ::recv(client.socket.number(), bytes.data(), bytes.size(), 0);
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  if (size == 0) return false;
  client.request.append(bytes.data(), static_cast<std::size_t>(size));
  auto read = read_request(client.request);
  if (auto* malformed = std::get_if<Malformed>(&read)) client.answer = refusal(malformed->status);
  if (auto* request = std::get_if<Request>(&read)) take_request(client, std::move(*request));
  return true;
}

void Service::take_request(Client& client, Request request) {
  client.answer = client.is_surplus ? busy(too_many) : objection(request, options_, address_);
  if (client.writes()) return;
  if (options_.stream && request.path == options_.stream_path && request.method == "GET")
    return begin_stream(client);
  const Page* page = page_of(request, options_);
  if (page && page->bytes && request.method == "GET") client.body = page->bytes;
  if (!page || !page->slow) return void(client.answer = answer(request, options_));
  bool acts = request.method == "POST";
  Clerk& clerk = acts ? acts_ : looks_;
  bool taken = clerk.ask(client.number, acts ? "" : topic_of(request),
                         [this, request] { return answer(request, options_); });
  if (!taken) return void(client.answer = busy(too_many));
  client.clerk = &clerk;
  client.until = Clock::time_point::max();
}

void Service::begin_stream(Client& client) {
  auto watchers = std::count_if(clients_.begin(), clients_.end(),
                                [](const Client& each) { return each.place.has_value(); });
  if (static_cast<std::size_t>(watchers) >= options_.watchers_max)
    return void(client.answer = busy("too many are watching"));
  client.place = options_.stream->join();
  client.answer =
      fmt::format("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{}\r\nretry: 1000\n\n",
                  common_headers());
}

void Service::finish(const Clerk::Result& result) {
  for (Client& client : clients_) {
    const auto& askers = result.askers;
    if (std::find(askers.begin(), askers.end(), client.number) == askers.end()) continue;
    client.answer = result.text;
    client.clerk = nullptr;
    client.is_ready = true;
    client.until = Clock::now() + options_.patience;
  }
}

/// Of a stream, false only if the client has gone.
bool Service::write_to(Client& client) const {
  std::string_view rest = client.rest();
  ssize_t size = ::send(client.socket.number(), rest.data(), rest.size(), MSG_NOSIGNAL);
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  client.answered += static_cast<std::size_t>(size);
  if (!client.rest().empty() || client.place) return true;
  ::shutdown(client.socket.number(), SHUT_WR);
  return false;
}

}  // namespace

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
  Service service(options_, address_, stop_.number(), door_.number());
  while (service.serve_once()) {
  }
}

}  // namespace conch::http
