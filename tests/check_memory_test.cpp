// `conch check --memory` bounds the memory of the whole process, as the kernel counts it.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>
#include <string>
#include <vector>

#include "cli_run.hpp"

namespace check_memory_test {

using shell::Outcome;

struct Measured : Outcome {
  long peak_kib = 0;
};

/// Runs the command to its end. `limit_kib` bounds the address space that the system gives it.
Measured measure(const std::string& arguments, rlim_t limit_kib = RLIM_INFINITY) {
  std::istringstream words(arguments);
  std::vector<std::string> list{CONCH_COMMAND, "check"};
  for (std::string word; words >> word;) list.push_back(word);
  std::vector<char*> argv;
  for (std::string& word : list) argv.push_back(word.data());
  argv.push_back(nullptr);
  int ends[2];
  if (pipe(ends) != 0) return {};
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    rlimit limit{limit_kib, limit_kib};
    if (limit_kib != RLIM_INFINITY) limit = {limit_kib << 10, limit_kib << 10};
    setrlimit(RLIMIT_AS, &limit);
    execv(CONCH_COMMAND, argv.data());
    _exit(127);
  }
  close(ends[1]);
  Measured measured;
  char buffer[4096];
  for (ssize_t size = 0; (size = read(ends[0], buffer, sizeof buffer)) > 0;)
    measured.out.append(buffer, static_cast<std::size_t>(size));
  close(ends[0]);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  measured.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  measured.peak_kib = usage.ru_maxrss;
  return measured;
}

void expect_findings(const Measured& measured, const std::string& what, const std::string& why) {
  EXPECT_EQ(measured.status, 1) << what << "\n" << measured.out;
  EXPECT_NE(measured.out.find("not complete: " + why), std::string::npos) << what << measured.out;
  EXPECT_NE(measured.out.find("no violation so far, in "), std::string::npos) << measured.out;
}

class CheckMemory : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(
    Of, CheckMemory,
    ::testing::Values("lamport --nodes 3 --requests 2", "end-to-end", "elmp --nodes 4 --cancel 1",
                      "naimi-trehel --nodes 4 --requests 3 --cancel 1", "bully --nodes 4 --crash 2",
                      "naimi-trehel --recovery --nodes 4 --crash 2 --requests 2",
                      "central --recovery --nodes 3 --crash 1 --restart 1"));

TEST_P(CheckMemory, StaysBelowItsBoundAndSaysHowFarItCame) {
  for (int mib : {64, 150}) {
    for (int threads : {1, 3}) {
      std::string what = std::string(GetParam()) + " --memory " + std::to_string(mib) +
                         " --threads " + std::to_string(threads);
      Measured measured = measure(what);
      expect_findings(measured, what, "the limit of --memory is reached");
      EXPECT_LE(measured.peak_kib, mib * 1024L) << what;
    }
  }
}

// Looking for cycles frees what the search needed, and may take as much again.
TEST(CheckMemory, LookingForCyclesStaysBelowTheBound) {
  bool complete = false;
  for (int mib = 56; mib < 160 && !complete; mib += 2) {
    Measured measured =
        measure("ring --nodes 9 --requests 1 --threads 1 --memory " + std::to_string(mib));
    EXPECT_LE(measured.peak_kib, mib * 1024);
    complete = measured.status == 0;
    if (!complete) expect_findings(measured, std::to_string(mib), "");
  }
  EXPECT_TRUE(complete);
}

// RLIMIT_AS bounds the address space, as `ulimit -v` does.
TEST(CheckMemory, ASystemThatGivesNoMoreIsNoCrash) {
  for (const char* what : {"lamport --nodes 3 --requests 2 --threads 2",
                           "naimi-trehel --recovery --nodes 4 --crash 2 --threads 2"}) {
    for (rlim_t mib : {150, 250, 400})
      expect_findings(measure(what, mib << 10), what, "out of memory");
  }
}

TEST(CheckMemory, ThereMayBeMoreThreadsThanCores) {
  Measured measured = measure("naimi-trehel --nodes 4 --requests 2 --threads 64");
  EXPECT_EQ(measured.status, 0) << measured.out;
  EXPECT_NE(measured.out.find("107110 states"), std::string::npos) << measured.out;
}

}  // namespace check_memory_test
