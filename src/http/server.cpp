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
/// How many clients are served while descriptors are scarce.
constexpr std::size_t looking_in_max = 4;
constexpr const char* too_many = "too many requests at the moment";
/// How much of a stream is buffered for one client, besides the kernel's buffer.
constexpr std::size_t stream_bytes_max = std::size_t{1} << 16;

struct HttpClient {
  net::Descriptor socket;
  std::uint64_t number;
  /// When the client is dropped for being too slow; for an idle stream, when the next heartbeat is
  /// due.
  Clock::time_point until;
  /// It came when the server was full, and will be told so.
  bool is_surplus = false;
  std::string request = {};
  std::string answer = {};
  /// Sent after `answer`.
  std::shared_ptr<const std::string> body = {};
  std::size_t answered = 0;
  /// The worker that prepares its answer, if any.
  BackgroundWorker* worker = nullptr;
  /// Its position, if it listens to the stream.
  std::optional<Broadcast::Cursor> place = {};
  /// The socket has something to read, or room to write.
  bool is_ready = false;

  bool writes() const { return !answer.empty(); }
  std::string_view rest() const {
    if (answered < answer.size() || !body) return std::string_view(answer).substr(answered);
    return std::string_view(*body).substr(answered - answer.size());
  }
  short events() const {
    if (writes()) return POLLOUT;
    return static_cast<short>(worker ? POLLRDHUP : POLLIN);
  }
};

net::SocketName name_to_listen_on(const HttpOptions& options) {
  std::optional<wire::TcpWay> way = wire::parse_host_and_port(options.listen);
  if (!way)
    throw Error("--http: \"" + options.listen +
                "\" is not an address; use host:port or [host]:port");
  net::Resolved resolved = net::resolve(*way, true);
  if (resolved.names.empty())
    throw Error("--http: cannot listen on " + options.listen + ": " + resolved.error);
  if (!resolved.names.front().is_loopback() && !options.insecure)
    throw Error("--http: will not listen on " + options.listen +
                ": anyone who can reach it could read the names of all locks and their holders; "
                "choose a loopback address, or give --insecure if the network is yours alone");
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

/// Everything of a request that a page may depend on.
std::string topic_of(const HttpRequest& request) {
  std::string topic = request.method;
  auto add = [&](const std::string& text) { topic += fmt::format(" {}:{}", text.size(), text); };
  add(request.path);
  for (const auto& [name, value] : request.query) {
    add(name);
    add(value);
  }
  return topic;
}

/// All current clients. Used by the server's thread only.
class Service {
 public:
  Service(const HttpOptions& options, const std::string& address, int stop, int door)
      : options_(options), address_(address), stop_(stop), door_(door) {}
  ~Service() {
    for (HttpClient& client : clients_) leave(client);
  }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// False if the server is to stop.
  bool serve_once() {
    if (!await()) return false;
    for (BackgroundWorker* worker : {&looks_, &acts_})
      for (const BackgroundWorker::Result& result : worker->take()) finish(result);
    if (options_.stream) options_.stream->silence();
    std::erase_if(clients_, [&](HttpClient& client) {
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
  bool attend(HttpClient& client);
  bool attend_watcher(HttpClient& client);
  bool read_from(HttpClient& client);
  bool write_to(HttpClient& client) const;
  void take_request(HttpClient& client, HttpRequest request);
  void begin_stream(HttpClient& client);
  void finish(const BackgroundWorker::Result& result);
  void leave(HttpClient& client) {
    if (client.place) options_.stream->leave();
    if (client.worker) client.worker->cancel(client.number);
  }

  const HttpOptions& options_;
  const std::string& address_;
  int stop_;
  int door_;
  bool knocks_ = false;
  std::uint64_t came_ = 0;
  std::list<HttpClient> clients_;
  BackgroundWorker looks_;
  /// Actions have a worker of their own, because a change of the group may take longer than a page.
  BackgroundWorker acts_;
};

/// Waits until something can be done. False if the server is to stop.
bool Service::await() {
  int stream_bell = options_.stream ? options_.stream->bell() : -1;
  std::vector<pollfd> sources{{stop_, POLLIN, 0},
                              {door_, POLLIN, 0},
                              {looks_.bell(), POLLIN, 0},
                              {acts_.bell(), POLLIN, 0},
                              {stream_bell, POLLIN, 0}};
  std::size_t others = sources.size();
  Clock::time_point wakes = Clock::time_point::max();
  for (const HttpClient& client : clients_) {
    sources.push_back({client.socket.number(), client.events(), 0});
    wakes = std::min(wakes, client.until);
  }
  bool for_ever = wakes == Clock::time_point::max();
  auto rest = std::chrono::ceil<std::chrono::milliseconds>(wakes - Clock::now());
  int timeout = for_ever ? -1 : static_cast<int>(std::max<std::int64_t>(rest.count(), 0));
  ::poll(sources.data(), sources.size(), timeout);
  knocks_ = sources[1].revents != 0;
  auto source = sources.begin() + static_cast<std::ptrdiff_t>(others);
  for (HttpClient& client : clients_) client.is_ready = (source++)->revents != 0;
  return sources[0].revents == 0;
}

void Service::let_in() {
  net::Descriptor socket(::accept4(door_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  // Without descriptors the client stays in the backlog and keeps the listener readable; the pause
  // keeps that from spinning.
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

/// False when the client is done, or took too long.
bool Service::attend(HttpClient& client) {
  if (client.place) return attend_watcher(client);
  if (client.worker) return !client.is_ready;  // It has hung up.
  if (client.until <= Clock::now()) return false;
  if (!client.is_ready) return true;
  return client.writes() ? write_to(client) : read_from(client);
}

/// A client that takes nothing for the length of the patience counts as gone.
bool Service::attend_watcher(HttpClient& client) {
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
  // Events published meanwhile do not wake this thread again.
  if (options_.stream->has_news(*client.place)) client.until = now;
  return true;
}

bool Service::read_from(HttpClient& client) {
  std::array<char, 4096> bytes;
  ssize_t size = ::recv(client.socket.number(), bytes.data(), bytes.size(), 0);
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  if (size == 0) return false;
  client.request.append(bytes.data(), static_cast<std::size_t>(size));
  auto read = read_request(client.request);
  if (auto* malformed = std::get_if<Malformed>(&read)) client.answer = refusal(malformed->status);
  if (auto* request = std::get_if<HttpRequest>(&read)) take_request(client, std::move(*request));
  return true;
}

void Service::take_request(HttpClient& client, HttpRequest request) {
  client.answer = client.is_surplus ? busy(too_many) : objection(request, options_, address_);
  if (client.writes()) return;
  if (options_.stream && request.path == options_.stream_path && request.method == "GET")
    return begin_stream(client);
  const Page* page = page_of(request, options_);
  if (page && page->bytes && request.method == "GET") client.body = page->bytes;
  if (!page || !page->slow) return void(client.answer = answer(request, options_));
  bool acts = request.method == "POST";
  BackgroundWorker& worker = acts ? acts_ : looks_;
  bool taken = worker.ask(client.number, acts ? "" : topic_of(request),
                          [this, request] { return answer(request, options_); });
  if (!taken) return void(client.answer = busy(too_many));
  client.worker = &worker;
  client.until = Clock::time_point::max();
}

void Service::begin_stream(HttpClient& client) {
  auto watchers = std::count_if(clients_.begin(), clients_.end(),
                                [](const HttpClient& each) { return each.place.has_value(); });
  if (static_cast<std::size_t>(watchers) >= options_.watchers_max)
    return void(client.answer = busy("too many viewers"));
  client.place = options_.stream->join();
  client.answer =
      fmt::format("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{}\r\nretry: 1000\n\n",
                  common_headers());
}

void Service::finish(const BackgroundWorker::Result& result) {
  for (HttpClient& client : clients_) {
    const auto& askers = result.askers;
    if (std::find(askers.begin(), askers.end(), client.number) == askers.end()) continue;
    client.answer = result.text;
    client.worker = nullptr;
    client.is_ready = true;
    client.until = Clock::now() + options_.patience;
  }
}

/// For a stream, returns false only if the client has gone.
bool Service::write_to(HttpClient& client) const {
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
