// A client that can reach a peer's ports may send anything: the peer logs and drops it, and locks
// keep moving.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <map>
#include <random>

#include "shell.hpp"

namespace conch::hostile_bytes_test {

/// A socket, closed by the destructor.
class RawSocket {
 public:
  explicit RawSocket(int number) : number_(number) {}
  RawSocket(RawSocket&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  RawSocket& operator=(RawSocket&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~RawSocket() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

sockaddr_in loopback(int port) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(static_cast<std::uint16_t>(port));
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return name;
}

RawSocket connect_to(int port) {
  RawSocket line(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in name = loopback(port);
  if (::connect(line.number(), reinterpret_cast<sockaddr*>(&name), sizeof name) != 0)
    throw std::runtime_error("nothing listens on port " + std::to_string(port));
  return line;
}

/// Connects through the socket's folder, because the path may be longer than the kernel accepts.
RawSocket connect_to(const std::string& path) {
  RawSocket line(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  std::filesystem::path file(path);
  RawSocket folder(::open(file.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  std::string short_path =
      "/proc/self/fd/" + std::to_string(folder.number()) + "/" + file.filename().string();
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  short_path.copy(name.sun_path, sizeof name.sun_path - 1);
  if (::connect(line.number(), reinterpret_cast<sockaddr*>(&name), sizeof name) != 0)
    throw std::runtime_error("nobody listens at " + path);
  return line;
}

/// Sends as much as the other side takes.
void pour(const RawSocket& line, std::string_view bytes) {
  timeval limit{2, 0};
  ::setsockopt(line.number(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  while (!bytes.empty()) {
    ssize_t sent = ::send(line.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

/// Whether the other side hangs up in time. Anything that it sends is ignored.
bool is_hung_up_on(const RawSocket& line) {
  Stopwatch watch;
  std::array<char, 4096> bytes{};
  while (readable(line.number(), watch.left(patience)))
    if (::recv(line.number(), bytes.data(), bytes.size(), 0) <= 0) return true;
  return false;
}

std::string frame(std::uint32_t length, char kind, const std::string& body) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(length >> shift);
  return bytes + kind + body;
}
std::string frame(char kind, const std::string& body) {
  return frame(static_cast<std::uint32_t>(body.size() + 1), kind, body);
}
constexpr char hello_kind = 1;
constexpr char payload_kind = 4;
constexpr char note_kind = 6;

/// A client's HELLO (docs/wire.md): version, group, algorithm, role 2, life, address, no intended
/// life, first message.
std::string client_hello() {
  using std::string_literals::operator""s;
  return frame(hello_kind,
               "\x01\x97\xa7"
               "default"
               "\xa0\x02\x92\x00\x00\xa0\xc0\x00"s);
}

std::string random_bytes(std::minstd_rand& dice, std::size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(dice() >> 8);
  return bytes;
}

/// A proxy in front of a peer, which records what its callers send, one file for each connection.
class Relay {
 public:
  explicit Relay(std::string folder) : folder_(std::move(folder)) {
    std::filesystem::create_directory(folder_);
    sockaddr_in name = loopback(0);
    socklen_t size = sizeof name;
    ::bind(door_.number(), reinterpret_cast<sockaddr*>(&name), size);
    ::listen(door_.number(), 16);
    ::getsockname(door_.number(), reinterpret_cast<sockaddr*>(&name), &size);
    port_ = ntohs(name.sin_port);
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  /// Runs in a process of its own and never returns.
  int work(int to) {
    std::map<int, int> other_end;
    std::map<int, std::string> records;
    int calls = 0;
    for (;;) {
      std::vector<pollfd> sources{{door_.number(), POLLIN, 0}};
      for (auto [one, other] : other_end) sources.push_back({one, POLLIN, 0});
      ::poll(sources.data(), sources.size(), -1);
      for (const pollfd& source : sources)
        if (source.revents != 0 && source.fd != door_.number() && other_end.contains(source.fd) &&
            !pass_on(source.fd, other_end[source.fd], records[source.fd]))
          part(other_end, source.fd);
      if (sources[0].revents == 0) continue;
      int caller = ::accept(door_.number(), nullptr, nullptr);
      int called = ::socket(AF_INET, SOCK_STREAM, 0);
      sockaddr_in name = loopback(to);
      ::connect(called, reinterpret_cast<sockaddr*>(&name), sizeof name);
      other_end[caller] = called;
      other_end[called] = caller;
      records[caller] = folder_ + "/" + std::to_string(++calls);
      records[called] = "/dev/null";
    }
  }

 private:
  static bool pass_on(int from, int to, const std::string& record) {
    std::array<char, 65536> bytes{};
    ssize_t size = ::recv(from, bytes.data(), bytes.size(), 0);
    if (size <= 0) return false;
    std::ofstream(record, std::ios::app).write(bytes.data(), size);
    return ::send(to, bytes.data(), static_cast<std::size_t>(size), MSG_NOSIGNAL) == size;
  }
  static void part(std::map<int, int>& other_end, int one) {
    int other = other_end[one];
    for (int each : {one, other}) {
      ::close(each);
      other_end.erase(each);
    }
  }

  std::string folder_;
  RawSocket door_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  int port_ = 0;
};

/// The peers of two machines, as far as they can see, between which a lock moves to and fro.
class HostileBytesTest : public Shell {
 protected:
  HostileBytesTest() : relay(path("said")) {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 8192);
    ::setrlimit(RLIMIT_NOFILE, &limit);

    here = &ready_peer({"--listen", "127.0.0.1:0", "--advertise", relay.address(), "--tcp-only"});
    relaying.emplace([this] { return relay.work(port_of(*here)); });
    start_work();
    ::setenv("XDG_STATE_HOME", path("there").c_str(), 1);
    there = &ready_peer({"--listen", "127.0.0.1:0", "--join", relay.address(), "--tcp-only"});
    start_work();
    ports = {port_of(*here), port_of(*there)};
    for (const char* folder : {"state", "there"})
      for (const auto& entry :
           std::filesystem::recursive_directory_iterator(path(folder) + "/conch/default/sockets"))
        if (entry.is_socket()) doors.push_back(entry.path().string());
    EXPECT_EQ(doors.size(), 2u);
  }
  ~HostileBytesTest() override { std::ofstream(path("stop")) << "now"; }

  static int port_of(Process& peer) {
    const std::string& log = peer.output();
    std::string words = "listens on 127.0.0.1:";
    return std::stoi(log.substr(log.find(words) + words.size()));
  }
  void start_work() {
    start({"sh", "-c",
           "while test ! -e $SCRATCH/stop; do " CONCH_COMMAND
           " lock deploy -- sh -c 'echo $CONCH_FENCE $XDG_STATE_HOME >>$SCRATCH/fences'; done"});
  }
  /// Attacks every TCP port and every local socket.
  template <class Attack>
  void everywhere(Attack&& attack) {
    for (int port : ports) attack([&] { return connect_to(port); });
    for (const std::string& door : doors) attack([&] { return connect_to(door); });
  }
  void expect_locks_keep_moving() {
    std::size_t before = lines_of("fences").size();
    auto both_were_in = [&] {
      std::vector<std::string> lines = lines_of("fences");
      std::size_t seen_here = 0;
      std::size_t seen_there = 0;
      for (std::size_t i = before; i < lines.size(); ++i)
        ++(lines[i].ends_with("/there") ? seen_there : seen_here);
      return seen_here >= 2 && seen_there >= 2;
    };
    EXPECT_TRUE(await(both_were_in)) << here->output() << there->output();
    std::vector<std::uint64_t> fences;
    for (const std::string& line : lines_of("fences")) fences.push_back(std::stoull(line));
    EXPECT_TRUE(std::is_sorted(fences.begin(), fences.end()));
    for (Process* peer : {here, there})
      EXPECT_EQ(peer->await_exit(Milliseconds(0)), still_running) << peer->output();
  }
  static std::size_t peak_kib(const Process& peer) {
    std::ifstream file("/proc/" + std::to_string(peer.id()) + "/status");
    for (std::string line; std::getline(file, line);)
      if (line.starts_with("VmHWM:")) return std::stoul(line.substr(6));
    return 0;
  }
  /// The longest recording, which is that of the other peer until an attack has connected.
  std::string recording() const {
    std::string longest;
    for (const auto& entry : std::filesystem::directory_iterator(path("said")))
      if (std::string one = text_of(entry.path()); one.size() > longest.size()) longest = one;
    return longest;
  }
  /// The first frame of the recording.
  std::string recorded_hello() const {
    std::string all = recording();
    return all.substr(
        0, 4 + (static_cast<unsigned char>(all[2]) << 8) + static_cast<unsigned char>(all[3]));
  }

  std::minstd_rand dice{1};
  Relay relay;
  Process* here = nullptr;
  Process* there = nullptr;
  std::optional<Child> relaying;
  std::vector<int> ports;
  std::vector<std::string> doors;
};

TEST_F(HostileBytesTest, GarbageIsDropped) {
  expect_locks_keep_moving();
  everywhere([&](auto&& connect) {
    for (int i = 0; i < 20; ++i) {
      RawSocket line = connect();
      pour(line, random_bytes(dice, 1 + dice() % 65536));
      ::shutdown(line.number(), SHUT_WR);
      EXPECT_TRUE(is_hung_up_on(line));
    }
  });
  expect_locks_keep_moving();
}

TEST_F(HostileBytesTest, WhatIsTooLongIsDropped) {
  std::size_t before_kib = peak_kib(*here);
  std::string much(std::size_t{32} << 20, 'a');
  everywhere([&](auto&& connect) {
    for (std::uint32_t length : {0u, 4097u, 0x00ffffffu, 0x7fffffffu, 0xffffffffu}) {
      RawSocket line = connect();
      pour(line, frame(length, hello_kind, much));
      EXPECT_TRUE(is_hung_up_on(line)) << length;
    }
  });
  expect_locks_keep_moving();
  EXPECT_LT(peak_kib(*here), before_kib + (64 << 10));
}

TEST_F(HostileBytesTest, WhatEndsTooSoonIsDropped) {
  expect_locks_keep_moving();
  std::string hello = recorded_hello();
  ASSERT_GT(hello.size(), 30u);
  everywhere([&](auto&& connect) {
    for (std::size_t size = 0; size < hello.size(); size += 1 + size / 10) {
      RawSocket line = connect();
      pour(line, hello.substr(0, size));
      ::shutdown(line.number(), SHUT_WR);
      EXPECT_TRUE(is_hung_up_on(line)) << size;
    }
  });
  expect_locks_keep_moving();
}

TEST_F(HostileBytesTest, WhatWasSaidBeforeIsNotHeardTwice) {
  expect_locks_keep_moving();
  std::string said = recording();
  std::string hello = recorded_hello();
  everywhere([&](auto&& connect) {
    for (const std::string& text :
         {said, hello, hello + hello, hello + frame(payload_kind, "none"),
          hello + frame(0x00ffffff, payload_kind, std::string(1 << 20, 'a')),
          hello + random_bytes(dice, 1000)}) {
      RawSocket line = connect();
      pour(line, text);
      ::shutdown(line.number(), SHUT_WR);
      EXPECT_TRUE(is_hung_up_on(line));
    }
  });
  expect_locks_keep_moving();
}

TEST_F(HostileBytesTest, WhoPosesAsAPeerAndSaysNothingDoesNotKeepItOut) {
  expect_locks_keep_moving();
  std::string hello = recorded_hello();
  std::vector<RawSocket> lines;
  for (int i = 0; i < 20; ++i) {
    everywhere([&](auto&& connect) {
      lines.push_back(connect());
      pour(lines.back(), hello);
    });
    ::poll(nullptr, 0, 10);
  }
  expect_locks_keep_moving();
  for (const RawSocket& line : lines) EXPECT_TRUE(is_hung_up_on(line));
}

TEST_F(HostileBytesTest, ClientsThatMakeNoSenseAreDropped) {
  for (const std::string& door : doors) {
    for (const std::string& text :
         {frame(note_kind, ""), frame(note_kind, random_bytes(dice, 1000)), frame(payload_kind, ""),
          client_hello(), frame(0xffffffff, note_kind, ""), random_bytes(dice, 1000)}) {
      RawSocket line = connect_to(door);
      pour(line, client_hello() + text);
      EXPECT_TRUE(is_hung_up_on(line)) << text;
    }
  }
  for (int port : ports) {
    RawSocket line = connect_to(port);
    pour(line, client_hello());
    EXPECT_TRUE(is_hung_up_on(line)) << "clients are not served over TCP";
  }
  expect_locks_keep_moving();
}

TEST_F(HostileBytesTest, ThousandsWhoSayNothingCostLittle) {
  std::size_t before_kib = peak_kib(*here);
  std::vector<RawSocket> lines;
  everywhere([&](auto&& connect) {
    for (int i = 0; i < 1000; ++i) lines.push_back(connect());
  });
  expect_locks_keep_moving();
  for (const RawSocket& line : lines) EXPECT_TRUE(is_hung_up_on(line));
  EXPECT_LT(peak_kib(*here), before_kib + (64 << 10));
  std::string log = here->output();
  EXPECT_LT(std::count(log.begin(), log.end(), '\n'), 200) << log;
  expect_locks_keep_moving();
  for (Process* peer : {there, here}) {
    peer->send(SIGTERM);
    EXPECT_EQ(peer->await_exit(), 0) << peer->output();
  }
}

}  // namespace conch::hostile_bytes_test
