// The ways that are compared, each of which moves a block of bytes from one process to the next.
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
  /// The version of the software that it uses, as that reports it.
  virtual std::string version() { return {}; }
  /// Whether it can move a block of this size. Most ways have nothing to do without bytes.
  virtual bool carries(std::size_t size) const { return size > 0; }
  /// Returns for each handover the nanoseconds from the call that gives the block away until the
  /// other process can use it. Throws an exception that says why this is impossible.
  virtual std::vector<double> measure(const Course& course) = 0;

 private:
  std::string name_;
};

/// One of the two processes of a way.
class End {
 public:
  virtual ~End() = default;
  /// Called in the first process only: the block starts here.
  virtual void begin() {}
  /// Requests the block; the other process may know that from now on.
  virtual void ask() {}
  virtual void take() = 0;
  virtual void give() = 0;
  /// Valid after `begin` or `take`, until `give`.
  virtual std::span<std::byte> block() = 0;
};

/// A way whose two processes are children of the benchmark.
class PairWay : public Way {
 public:
  using Way::Way;
  std::vector<double> measure(const Course& course) final;

 protected:
  /// Called before the processes start.
  virtual void prepare(std::size_t size) = 0;
  /// Called in process 0 or 1. When both calls have returned, the first one may begin.
  virtual std::unique_ptr<End> enter(int process) = 0;
};

using Ways = std::vector<std::unique_ptr<Way>>;

std::unique_ptr<Way> raw_stream(Transport transport);
/// Both ways share the server, which starts when it is first needed.
Ways redis_values();
enum class MpiTransport : std::uint8_t { shared_memory, tcp };
std::unique_ptr<Way> mpi_put(MpiTransport transport);
std::unique_ptr<Way> conch_data(Transport transport);

}  // namespace conch::bench
