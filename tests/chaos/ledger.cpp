// The ledger of a chaos run, to which all workers write and whose clock is the run's only one:
// chaos_ledger SOCKET HISTORY. It knows locks by name and trusts fences: it refuses a fence smaller
// than one that it has seen. Everything that it is told becomes a line of the history, in the order
// of arrival, with its time:
//
//   NANOSECONDS WHO VERB [LOCK [FENCE ...]] [yes|no]
//
// Each thread of a worker has a connection (SOCK_SEQPACKET); a packet is one sentence, and so is
// its answer. A worker has died when its last connection has ended without a "bye". The ledger
// knows nothing of Conch.
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Account {
  std::uint64_t fence = 0;
  std::uint64_t value = 0;
  /// The life that is inside, as far as the ledger has heard.
  std::string holder;
};

class Ledger {
 public:
  explicit Ledger(std::FILE* history) : history_(history) {}

  std::string answer(std::string& who, const std::string& sentence) {
    std::istringstream words(sentence);
    std::string verb, lock;
    words >> verb;
    if (verb == "hello") return words >> who, record(who, "came"), "ok";
    if (verb == "holders") return holders();
    if (verb == "bye") return who.clear(), "ok";
    if (verb == "finish") return is_over_ = true, "ok";
    words >> lock;
    if (verb == "want" && is_over_) return "stop";
    if (verb == "enter" || verb == "write" || verb == "leave")
      return judge(who, verb, lock, words, sentence);
    record(who, sentence);
    return "ok";
  }
  void died(const std::string& who) {
    if (who.empty()) return;
    record(who, "died");
    for (auto& [lock, account] : accounts_)
      if (account.holder == who) account.holder.clear();
  }
  void flush() { std::fflush(history_); }

 private:
  std::string judge(const std::string& who, const std::string& verb, const std::string& lock,
                    std::istream& words, const std::string& sentence) {
    Account& account = accounts_[lock];
    std::uint64_t fence = 0;
    words >> fence;
    bool yes = fence >= account.fence;
    if (yes) account.fence = fence;
    if (yes && verb == "enter") account.holder = who;
    if (verb == "leave" && account.holder == who) account.holder.clear();
    if (yes && verb == "write") words >> account.value;
    record(who, sentence + (yes ? " yes" : " no"));
    return (yes ? "yes " : "no ") + std::to_string(account.value);
  }
  std::string holders() const {
    std::string all = "ok";
    for (const auto& [lock, account] : accounts_)
      if (!account.holder.empty()) all += " " + account.holder;
    return all;
  }
  void record(const std::string& who, const std::string& what) {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    std::fprintf(history_, "%lld %s %s\n",
                 static_cast<long long>(now.tv_sec) * 1'000'000'000 + now.tv_nsec, who.c_str(),
                 what.c_str());
  }

  std::FILE* history_;
  std::map<std::string, Account> accounts_;
  bool is_over_ = false;
};

int listen_at(const char* path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::strncpy(name.sun_path, path, sizeof name.sun_path - 1);
  int listener = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  bool listens = ::bind(listener, reinterpret_cast<sockaddr*>(&name), sizeof name) == 0 &&
                 ::listen(listener, 64) == 0;
  return listens ? listener : -1;
}

void serve(int listener, Ledger& ledger) {
  std::vector<pollfd> sources{{listener, POLLIN, 0}};
  std::map<int, std::string> names;
  std::array<char, 512> room{};
  while (::poll(sources.data(), sources.size(), -1) > 0) {
    for (std::size_t i = sources.size(); i-- > 1;) {
      if (sources[i].revents == 0) continue;
      int socket = sources[i].fd;
      ssize_t size = ::recv(socket, room.data(), room.size(), 0);
      if (size > 0) {
        std::string reply =
            ledger.answer(names[socket], {room.data(), static_cast<std::size_t>(size)});
        ::send(socket, reply.data(), reply.size(), MSG_NOSIGNAL);
        continue;
      }
      std::string who = names[socket];
      names.erase(socket);
      // The other threads' connections may still have something to read from before its death.
      bool has_gone =
          std::none_of(names.begin(), names.end(), [&](auto& each) { return each.second == who; });
      if (has_gone) ledger.died(who);
      ::close(socket);
      sources.erase(sources.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (sources[0].revents != 0)
      if (int socket = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC); socket >= 0)
        sources.push_back({socket, POLLIN, 0});
    ledger.flush();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::FILE* history = std::fopen(argv[2], "we");
  int listener = listen_at(argv[1]);
  if (!history || listener < 0) return std::perror("chaos_ledger"), 1;
  std::printf("ready\n");
  std::fflush(stdout);
  Ledger ledger(history);
  serve(listener, ledger);
  std::perror("chaos_ledger");
  return 1;
}
