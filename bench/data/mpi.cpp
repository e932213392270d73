// MPI: mpirun starts a separate program with two ranks (mpi_ranks.cpp).
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <sstream>

#include "way.hpp"

namespace conch::bench {

namespace {

using namespace std::chrono_literals;

constexpr auto patience = 60s;
/// The default place of the memory that Open MPI's ranks share. Our folder is there: if Open MPI is
/// killed, its files are removed with the folder.
constexpr const char* memory = "/dev/shm";

#ifdef CONCH_MPI_RANKS
constexpr const char* ranks = CONCH_MPI_RANKS;
#else
constexpr const char* ranks = nullptr;
#endif

std::vector<std::string> command(MpiTransport transport, const Course& course,
                                 const std::filesystem::path& folder) {
  std::vector<std::string> words{"mpirun"};
  auto add = [&](std::initializer_list<std::string> more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  add({"--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "2"});
  for (const char* place :
       {"orte_tmpdir_base", "btl_vader_backing_directory", "osc_sm_backing_directory"})
    add({"--mca", place, folder.string()});
  // All other implementations of put detect that the ranks share a machine, even over TCP.
  if (transport == MpiTransport::tcp)
    add({"--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo",
         "--mca", "osc", "pt2pt"});
  add({ranks, std::to_string(course.size), std::to_string(course.handovers)});
  return words;
}

class MpiPut : public Way {
 public:
  explicit MpiPut(MpiTransport transport)
      : Way(transport == MpiTransport::tcp ? "MPI lock + put, TCP"
                                           : "MPI lock + put, shared memory"),
        transport_(transport) {}

  std::string version() override { return version_; }

  std::vector<double> measure(const Course& course) override {
    if (ranks == nullptr) throw std::runtime_error("Open MPI was not there when this was built");
    ScratchFolder folder(memory);
    std::filesystem::path said = folder.file("said");
    Process launch = Process::program(command(transport_, course, folder.path()), said);
    try {
      launch.finish(in(patience));
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

  /// Reads the name of the library from the first line, and the times from the others.
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
