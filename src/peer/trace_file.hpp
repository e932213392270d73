// What a live peer does, as lines of a file (trace/line.hpp; docs/watch.md).
//
// Whoever has the engine's guard writes into memory; a thread of its own writes that to the file,
// so that no lock waits for a disk. Only so much is kept: what does not fit is counted, and the
// trace says that there is a gap. A peer that is killed leaves whole lines, except perhaps the
// last, and not those of its last moment.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "net/descriptor.hpp"
#include "node/witness.hpp"
#include "trace/line.hpp"

namespace conch::peer {

class TraceFile final : public node::Witness {
 public:
  struct Options {
    std::string file;
    std::size_t kept_bytes_max = std::size_t{16} << 20;
    /// Told once if the file cannot be written any more.
    std::function<void(const std::string& line)> log = {};
  };

  /// Throws Error: the file cannot be written, or is another peer's trace.
  explicit TraceFile(Options options);
  /// Everything is in the file then.
  ~TraceFile() override;

  void born(const recovery::Life& life) override;
  void installed(Epoch epoch, const recovery::View& view) override;
  void suspected(const recovery::Life& life) override;
  void gone() override;
  void asked(std::string_view lock, Mode mode) override;
  void entered(std::string_view lock, const Entry& entry) override;
  void withdrew(std::string_view lock, Mode mode) override;
  void left(std::string_view lock, Mode mode, Duration held) override;
  void lost(std::string_view lock, Mode mode, Duration held) override;
  void sent(const recovery::Life& to, const Note& note) override;
  void received(const recovery::Life& from, const Note& note) override;

 private:
  /// The other end of a channel, and what has gone through it.
  struct Correspondent {
    std::string id;
    std::string life;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
  };

  Correspondent& correspondent(const recovery::Life& life);
  trace::Line line(trace::Happening happening) const;
  void write_claim(trace::Happening happening, std::string_view lock, std::string_view detail);
  void write_message(trace::Line line, const Correspondent& other, const Note& note);
  void write(const trace::Line& line);
  void write_gap();
  void write_to_file();
  bool write_out(std::string_view text);

  Options options_;
  net::Descriptor file_;
  // Under the engine's guard.
  std::string id_;
  std::map<recovery::Life, Correspondent> correspondents_;
  std::string room_;
  std::string detail_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string life_;
  std::string kept_;
  std::uint64_t missed_ = 0;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace conch::peer
