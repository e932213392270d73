// What a live peer does, as lines of a file (node/witness_lines.hpp).
//
// Whoever has the engine's guard writes into memory; a thread of its own writes that to the file,
// so that no lock waits for a disk. Only so much is kept: what does not fit is counted, and the
// trace says that there is a gap. A peer that is killed leaves whole lines, except perhaps the
// last, and not those of its last moment.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "net/descriptor.hpp"
#include "node/witness_lines.hpp"

namespace conch::peer {

class TraceFile final : public node::WitnessLines {
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

 private:
  Time now() const override;
  std::string clock() const override;
  void write(const trace::Line& line) override;
  void write_gap();
  void write_to_file();
  bool write_out(std::string_view text);

  Options options_;
  net::Descriptor file_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string life_;
  std::string kept_;
  std::uint64_t missed_ = 0;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace conch::peer
