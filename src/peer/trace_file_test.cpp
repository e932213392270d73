#include "peer/trace_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <conch/mutex.hpp>
#include <conch/peer.hpp>
#include <fstream>
#include <mutex>
#include <vector>

#include "net/descriptor.hpp"
#include "peer/testing/scratch_group.hpp"

namespace conch::peer::trace_file_test {

using trace::Happening;

const PeerInstance self{NodeId{0xab}, Incarnation{1}};
const PeerInstance other{NodeId{0xcd}, Incarnation{2}};

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The part of a line after its time.
std::string after_time(const std::string& line) { return line.substr(line.find(',') + 1); }

TEST(TraceFile, WritesWhatHappens) {
  ScratchGroup group;
  std::string file = group.folder() + "/trace";
  {
    TraceFile trace({.file = file});
    trace.born(self);
    trace.asked(R"(a "lock")", Mode::read);
    trace.sent(other, {"REQUEST", "a", 9});
    trace.sent(other, {"REQUEST", "a", 9});
    trace.received(other, {"TOKEN", "a", 8});
    trace.entered("a", {Mode::read, Fence(Epoch{1}, 7), {}, true});
    trace.left("a", Mode::read, {});
    trace.gone();
  }
  std::vector<std::string> lines = lines_of(file);
  ASSERT_EQ(lines.size(), 8u);
  EXPECT_TRUE(
      after_time(lines[0]).starts_with(R"("event":"join","node":"ab","life":"1","detail":"clock )"))
      << lines[0];
  EXPECT_EQ(after_time(lines[1]),
            R"("event":"request","node":"ab","lock":"a \"lock\"","detail":"read"})");
  EXPECT_EQ(after_time(lines[3]),
            R"("event":"send","node":"ab","peer":"cd","life":"2","n":2,"lock":"a","bytes":9,)"
            R"("detail":"REQUEST"})");
  EXPECT_EQ(after_time(lines[4]),
            R"("event":"receive","node":"ab","peer":"cd","life":"2","n":1,"lock":"a","bytes":8,)"
            R"("detail":"TOKEN"})");
  EXPECT_EQ(after_time(lines[5]),
            R"("event":"enter","node":"ab","lock":"a","detail":"fence 1.7, read"})");
  EXPECT_EQ(after_time(lines[6]), R"("event":"exit","node":"ab","lock":"a","detail":"read"})");
  EXPECT_EQ(after_time(lines[7]), R"("event":"left","node":"ab"})");
}

/// Events come faster than any disk, and memory holds about two lines.
TEST(TraceFile, SaysWhatItCouldNotKeep) {
  ScratchGroup group;
  std::string file = group.folder() + "/trace";
  constexpr std::size_t asked = 10'000;
  {
    TraceFile trace({.file = file, .kept_bytes_max = 100});
    trace.born(self);
    for (std::size_t i = 0; i < asked; ++i) trace.asked("a", Mode::write);
  }
  std::size_t written = 0;
  std::size_t missed = 0;
  std::string why;
  for (const std::string& text : lines_of(file)) {
    auto line = trace::parse_line(text, why);
    ASSERT_TRUE(line) << why;
    if (line->happening == Happening::request) ++written;
    if (line->happening == Happening::gap) missed += std::stoul(std::string(line->detail));
  }
  EXPECT_GT(missed, 0u);
  EXPECT_EQ(written + missed, asked);
}

TEST(TraceFile, IsOnePeersAlone) {
  ScratchGroup group;
  PeerOptions options = group.options();
  options.trace = group.folder() + "/trace";
  Peer peer(options);
  EXPECT_THROW(Peer{options}, Error);
  options.trace = group.folder() + "/missing/trace";
  EXPECT_THROW(Peer{options}, Error);
}

TEST(TraceFile, OfAPeer) {
  ScratchGroup group;
  PeerOptions options = group.options();
  options.trace = group.folder() + "/trace";
  {
    Peer peer(options);
    Mutex mutex(peer, "a");
    std::scoped_lock guard(mutex);
  }
  std::vector<std::string> words;
  std::string why;
  for (const std::string& text : lines_of(options.trace)) {
    auto line = trace::parse_line(text, why);
    ASSERT_TRUE(line) << why;
    words.emplace_back(word(line->happening));
  }
  EXPECT_EQ(words, (std::vector<std::string>{"join", "epoch", "request", "enter", "exit", "epoch",
                                             "left"}));
}

TEST(TraceFile, EndsWhenNobodyReadsItsPipeAnyMore) {
  ScratchGroup group;
  std::string pipe = group.folder() + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  net::Descriptor reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  std::vector<std::string> said;
  {
    TraceFile trace({.file = pipe, .log = [&](const std::string& line) { said.push_back(line); }});
    reader = {};
    trace.born(self);
  }
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0], "the trace ends here: Broken pipe");
}

TEST(TraceFile, IsItsUsersAlone) {
  ScratchGroup group;
  auto mode_of = [](const std::string& file) {
    struct stat found {};
    EXPECT_EQ(::stat(file.c_str(), &found), 0) << file;
    return found.st_mode & 0777u;
  };
  std::string fresh = group.folder() + "/fresh";
  std::string used = group.folder() + "/used";
  std::ofstream(used) << "an older trace, of which others know";
  ::chmod(used.c_str(), 0644);
  for (const std::string& file : {fresh, used}) {
    TraceFile trace({.file = file});
    EXPECT_EQ(mode_of(file), 0600u) << file;
  }
  if (::geteuid() != 0) return;
  ASSERT_EQ(::chown(used.c_str(), 12345, 0), 0);
  EXPECT_THROW(TraceFile({.file = used}), Error);
}

}  // namespace conch::peer::trace_file_test
