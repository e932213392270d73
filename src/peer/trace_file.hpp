// Writes what a running peer does to a file, as lines (node/trace_writer.hpp).
//
// A thread that has the engine's guard appends to memory, and a separate thread writes that to the
// file, so no lock waits for a disk. Memory is bounded: events that do not fit are counted, and the
// trace reports a gap. A peer that is killed leaves whole lines, except perhaps the last, and
// misses those of its last moment.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "net/descriptor.hpp"
#include "node/trace_writer.hpp"

namespace conch::peer {

class TraceFile final : public node::TraceWriter {
 public:
  struct Options {
    std::string file;
    std::size_t kept_bytes_max = std::size_t{16} << 20;
    /// Called once if the file cannot be written any more.
    std::function<void(const std::string& line)> log = {};
  };

  /// Throws Error if the file cannot be written, or is another peer's trace.
  explicit TraceFile(Options options);
  /// Writes everything that is left to the file.
  ~TraceFile() override;

  void born(const PeerInstance& life) override;

 private:
  Time now() const override;
  std::string clock() const override;
  void write(const trace::Line& line) override;
  void write_gap();
  void write_to_file();
  static void refuse_broken_pipes();
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
