// MPI: a program of its own, which mpirun starts with two ranks (mpi_ranks.cpp).
#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "way.hpp"

namespace conch::bench {

namespace {

using namespace std::chrono_literals;

constexpr auto patience = 60s;
constexpr auto stop_patience = 5s;

#ifdef CONCH_MPI_RANKS
constexpr const char* ranks = CONCH_MPI_RANKS;
#else
constexpr const char* ranks = nullptr;
#endif

std::vector<std::string> command(MpiTransport transport, const Course& course,
                                 const std::filesystem::path& folder) {
  std::vector<std::string> words{
      "mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "2",
      "--mca",  "orte_tmpdir_base",    folder.string()};
  if (transport == MpiTransport::tcp)
    words.insert(words.end(), {"--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo",
                               "--mca", "osc", "^sm"});
  words.insert(words.end(), {ranks, std::to_string(course.size), std::to_string(course.handovers)});
  return words;
}

/// Asked to end, mpirun takes what it has left about the machine with it.
struct Launch {
  Process process;
  ~Launch() {
    process.signal(SIGTERM);
    try {
      if (process.pid() > 0) wait_readable(std::array{process.fd()}, in(stop_patience));
    } catch (const Interrupted&) {  // then it is killed
    }
  }
};

class MpiPut : public Way {
 public:
  explicit MpiPut(MpiTransport transport)
      : Way(transport == MpiTransport::tcp ? "MPI lock + put, TCP"
                                           : "MPI lock + put, shared memory"),
        transport_(transport) {}

  std::string version() override { return version_; }

  std::vector<double> measure(const Course& course) override {
    if (ranks == nullptr) throw std::runtime_error("Open MPI was not there when this was built");
    TemporaryFolder folder;
    std::filesystem::path said = folder.path() / "said";
    Launch launch{Process::program(command(transport_, course, folder.path()), said)};
    try {
      launch.process.finish(in(patience));
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception& error) {
      throw std::runtime_error(last_line(said, error.what()));
    }
    return read(said);
  }

 private:
  static std::string last_line(const std::filesystem::path& file, std::string last) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);)
      if (!line.empty()) last = line;
    return last;
  }

  /// The library's name on a line, and then the times.
  std::vector<double> read(const std::filesystem::path& file) {
    std::ifstream lines(file);
    std::vector<double> times_ns;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string what;
      words >> what;
      if (what == "library") std::getline(words >> std::ws, version_);
      if (double ns = 0; what == "ns" && words >> ns) times_ns.push_back(ns);
    }
    if (times_ns.empty()) throw std::runtime_error("the ranks of MPI have measured nothing");
    return times_ns;
  }

  MpiTransport transport_;
  std::string version_;
};

}  // namespace

std::unique_ptr<Way> mpi_put(MpiTransport transport) { return std::make_unique<MpiPut>(transport); }

}  // namespace conch::bench
