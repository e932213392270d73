// ZooKeeper as a single server, with the recipe of its manual: every client makes an ephemeral node
// with a number; the smallest number holds the lock; each other client watches the one before. The
// protocol (big-endian numbers, length-prefixed frames) is implemented here.
#include <fmt/core.h>

#include <algorithm>
#include <fstream>

#include "contender.hpp"
#include "net/loopback.hpp"

namespace conch::bench {

namespace {

constexpr std::int32_t session_timeout_ms = 40'000;

enum class Operation : std::int32_t {
  create = 1,
  remove = 2,
  exists = 3,
  children = 8,
  close = -11,
};
constexpr std::int32_t ok = 0;
constexpr std::int32_t no_node = -101;
constexpr std::int32_t node_exists = -110;
constexpr std::int32_t watch_event = -1;
constexpr std::int32_t ephemeral_sequential = 3;
constexpr std::int32_t all_permissions = 31;

class Writer {
 public:
  Writer& flag(bool value) {
    bytes_ += static_cast<char>(value);
    return *this;
  }
  Writer& number(std::int32_t value) { return big_endian(static_cast<std::uint32_t>(value), 4); }
  Writer& large(std::int64_t value) { return big_endian(static_cast<std::uint64_t>(value), 8); }
  Writer& text(std::string_view value) {
    number(static_cast<std::int32_t>(value.size()));
    bytes_ += value;
    return *this;
  }
  std::string frame() const {
    return Writer().number(static_cast<std::int32_t>(bytes_.size())).bytes_ + bytes_;
  }

 private:
  Writer& big_endian(std::uint64_t value, int size) {
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8)
      bytes_ += static_cast<char>(value >> shift & 0xff);
    return *this;
  }
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string bytes) : bytes_(std::move(bytes)) {}
  std::int32_t number() { return static_cast<std::int32_t>(big_endian(take(4))); }
  std::int64_t large() { return static_cast<std::int64_t>(big_endian(take(8))); }
  std::string text() {
    std::int32_t size = number();
    return std::string(take(static_cast<std::size_t>(std::max(size, 0))));
  }

 private:
  std::string_view take(std::size_t size) {
    if (size > bytes_.size() - at_) throw std::runtime_error("a frame of ZooKeeper is too short");
    at_ += size;
    return std::string_view(bytes_).substr(at_ - size, size);
  }
  static std::uint64_t big_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
    return value;
  }
  std::string bytes_;
  std::size_t at_ = 0;
};

/// A session with one request at a time.
class ZooKeeperSession {
 public:
  explicit ZooKeeperSession(std::uint16_t port) : connection_(connect_to(port)) {
    connection_.send(Writer()
                         .number(0)
                         .large(0)
                         .number(session_timeout_ms)
                         .large(0)
                         .text(std::string(16, '\0'))
                         .flag(false)
                         .frame());
    receive();
  }
  ~ZooKeeperSession() {
    try {
      connection_.send(Writer().number(++asked_).number(code(Operation::close)).frame());
      while (receive().number() != asked_) continue;
    } catch (const std::exception&) {
      return;  // the server or the session is gone
    }
  }
  ZooKeeperSession(const ZooKeeperSession&) = delete;
  ZooKeeperSession& operator=(const ZooKeeperSession&) = delete;

  /// Creates the node unless it exists.
  void create_folder(const std::string& path) { ask(creation(path, 0), {ok, node_exists}); }
  /// Creates a node and returns its path.
  std::string create_numbered(const std::string& path) {
    return ask(creation(path, ephemeral_sequential), {ok})->text();
  }
  void remove(const std::string& path) {
    ask(begin(Operation::remove).text(path).number(-1), {ok});
  }
  std::vector<std::string> children(const std::string& path) {
    auto reply = ask(begin(Operation::children).text(path).flag(false), {ok});
    std::vector<std::string> names(static_cast<std::size_t>(reply->number()));
    for (std::string& name : names) name = reply->text();
    return names;
  }
  /// Returns false if there is no such node, else true when it is gone.
  bool await_end_of(const std::string& path) {
    changed_ = false;
    if (!ask(begin(Operation::exists).text(path).flag(true), {ok, no_node})) return false;
    while (!changed_) note_event(receive());
    return true;
  }
  const Traffic& traffic() const { return connection_.traffic(); }

 private:
  static std::int32_t code(Operation operation) { return static_cast<std::int32_t>(operation); }

  Writer begin(Operation operation) { return Writer().number(++asked_).number(code(operation)); }

  Writer creation(const std::string& path, std::int32_t flags) {
    Writer request = begin(Operation::create);
    request.text(path).text("").number(1).number(all_permissions).text("world").text("anyone");
    return request.number(flags);
  }

  Reader receive() {
    std::int32_t size = Reader(std::string(connection_.exactly(4))).number();
    std::string frame(connection_.exactly(static_cast<std::size_t>(size)));
    connection_.count_received();
    return Reader(std::move(frame));
  }

  void note_event(Reader frame) {
    if (frame.number() == watch_event) changed_ = true;
  }

  /// The reply without its header. Empty if the result is one of `results` but not ok.
  std::optional<Reader> ask(const Writer& request, std::initializer_list<std::int32_t> results) {
    connection_.send(request.frame());
    for (;;) {
      Reader reply = receive();
      std::int32_t number = reply.number();
      if (number == watch_event) changed_ = true;
      if (number != asked_) continue;
      reply.large();
      std::int32_t result = reply.number();
      if (std::ranges::find(results, result) == results.end())
        throw std::runtime_error(fmt::format("ZooKeeper answers with error {}", result));
      if (result != ok) return std::nullopt;
      return reply;
    }
  }

  Connection connection_;
  std::int32_t asked_ = 0;
  bool changed_ = false;
};

class ZooKeeperEntrant : public Entrant {
 public:
  ZooKeeperEntrant(std::uint16_t port, std::string folder)
      : session_(port), folder_(std::move(folder)) {
    session_.create_folder(folder_);
  }

  void lock(int) override {
    mine_ = session_.create_numbered(folder_ + "/n-");
    while (auto before = predecessor()) session_.await_end_of(*before);
  }
  void unlock(int) override { session_.remove(mine_); }
  Traffic traffic() const override { return session_.traffic(); }

 private:
  std::optional<std::string> predecessor() {
    std::string name = mine_.substr(folder_.size() + 1);
    std::optional<std::string> before;
    for (std::string& other : session_.children(folder_))
      if (other < name && (!before || *before < other)) before = std::move(other);
    if (!before) return std::nullopt;
    return folder_ + "/" + *before;
  }

  ZooKeeperSession session_;
  std::string folder_;
  std::string mine_;
};

class ZooKeeper : public Served {
 public:
  ZooKeeper() : Served("ZooKeeper") {}

  std::string version() override {
    Connection connection(connect_to(port_.number()));
    connection.send("srvr");
    constexpr std::size_t before = std::string_view("Zookeeper version: ").size();
    std::string first(connection.exactly(before + 16));
    return "ZooKeeper " + first.substr(before, first.find('-') - before);
  }
  void prepare(int) override { folder_ = fmt::format("/lock{}", ++round_); }
  std::unique_ptr<Entrant> enter(int) override {
    return std::make_unique<ZooKeeperEntrant>(port_.number(), folder_);
  }

 protected:
  Process serve(const std::filesystem::path& folder) override {
    std::filesystem::path settings = folder / "zoo.cfg";
    std::ofstream(settings) << fmt::format(
        "tickTime=2000\ndataDir={}\nclientPort={}\nclientPortAddress=127.0.0.1\n"
        "admin.enableServer=false\n",
        (folder / "data").string(), port_.number());
    return Process::program({"java", "-XX:-UsePerfData", "-cp", "/usr/share/java/zookeeper.jar",
                             "org.apache.zookeeper.server.quorum.QuorumPeerMain", settings},
                            folder / "log");
  }

 private:
  net::ReservedPort port_;
  int round_ = 0;
  std::string folder_;
};

}  // namespace

std::unique_ptr<Contender> zookeeper() { return std::make_unique<ZooKeeper>(); }

}  // namespace conch::bench
