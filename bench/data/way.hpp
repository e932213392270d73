// What is compared: ways to get a block of bytes from one process to the next.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "connection.hpp"
#include "course.hpp"

namespace conch::bench {

class Way {
 public:
  explicit Way(std::string name) : name_(std::move(name)) {}
  virtual ~Way() = default;
  Way(const Way&) = delete;
  Way& operator=(const Way&) = delete;

  const std::string& name() const { return name_; }
  /// What it needs, in that one's words.
  virtual std::string version() { return {}; }
  /// Without bytes there is nothing to move, and nothing to be done.
  virtual bool carries(std::size_t size) const { return size > 0; }
  /// Nanoseconds from the call that gives the block away to the other's being able to use it.
  /// Throws a sentence if that is impossible.
  virtual std::vector<double> measure(const Course& course) = 0;

 private:
  std::string name_;
};

/// One of the two processes.
class End {
 public:
  virtual ~End() = default;
  /// Only the first: the block is here.
  virtual void begin() {}
  /// It wants the block next, as the other may know from now on.
  virtual void ask() {}
  virtual void take() = 0;
  virtual void give() = 0;
  /// After `begin` or `take`, until `give`.
  virtual std::span<std::byte> block() = 0;
};

/// A way whose two processes are children of the benchmark.
class PairWay : public Way {
 public:
  using Way::Way;
  std::vector<double> measure(const Course& course) final;

 protected:
  /// Before there are processes.
  virtual void prepare(std::size_t size) = 0;
  /// In process 0 or 1. When both calls have returned, the first may begin.
  virtual std::unique_ptr<End> enter(int process) = 0;
};

using Ways = std::vector<std::unique_ptr<Way>>;

std::unique_ptr<Way> raw_stream(Transport transport);
/// Both ways share the server; it is started when it is first needed.
Ways redis_values();
enum class MpiTransport : std::uint8_t { shared_memory, tcp };
std::unique_ptr<Way> mpi_put(MpiTransport transport);
std::unique_ptr<Way> conch_data(Transport transport);

}  // namespace conch::bench
