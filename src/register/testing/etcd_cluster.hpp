// An etcd cluster on this machine for tests, with free ports and a data folder that is removed with
// it.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "net/clock.hpp"
#include "net/loopback.hpp"
#include "register/etcd_client.hpp"
#include "register/testing/scratch.hpp"

namespace conch {

/// Says why no etcd can be started; empty if one can.
inline std::string why_no_etcd() {
  const char* path = std::getenv("PATH");
  std::string folders = path ? path : "";
  for (std::size_t begin = 0; begin <= folders.size();) {
    std::size_t end = std::min(folders.find(':', begin), folders.size());
    if (::access((folders.substr(begin, end - begin) + "/etcd").c_str(), X_OK) == 0) return "";
    begin = end + 1;
  }
  return "there is no etcd here: the package etcd-server has it";
}

class EtcdCluster {
 public:
  struct Options {
    std::size_t members = 1;
    /// The members' certificate; if set, clients must show one of the same authority.
    net::Tls tls = {};
    /// More arguments for each member.
    std::vector<std::string> words = {};
  };

  explicit EtcdCluster(Options options) : options_(std::move(options)) {
    for (std::size_t i = 0; i < options_.members; ++i) {
      std::string scheme = options_.tls.enabled() ? "https" : "http";
      members_.push_back({scheme + "://" + free_address(), "http://" + free_address()});
    }
    for (std::size_t i = 0; i < members_.size(); ++i) start(i);
    if (await_health()) return;
    for (std::size_t i = 0; i < members_.size(); ++i) kill(i);
    throw std::runtime_error("etcd does not start: " + log());
  }
  explicit EtcdCluster(std::size_t members = 1) : EtcdCluster(Options{members}) {}
  EtcdCluster(const EtcdCluster&) = delete;
  EtcdCluster& operator=(const EtcdCluster&) = delete;
  ~EtcdCluster() {
    for (std::size_t i = 0; i < members_.size(); ++i) kill(i);
  }

  std::vector<std::string> endpoints() const {
    std::vector<std::string> all;
    for (const Member& member : members_) all.push_back(member.client_url);
    return all;
  }
  /// The value of --register.
  std::string url() const {
    std::string text;
    for (const std::string& each : endpoints()) text += (text.empty() ? "" : ",") + each;
    return text;
  }

  void start(std::size_t i) {
    std::string name = "m" + std::to_string(i);
    std::string folder = folder_of(i);
    const Member& member = members_[i];
    std::vector<std::string> words{"etcd",
                                   "--name",
                                   name,
                                   "--data-dir",
                                   folder,
                                   "--listen-client-urls",
                                   member.client_url,
                                   "--advertise-client-urls",
                                   member.client_url,
                                   "--listen-peer-urls",
                                   member.peer_url,
                                   "--initial-advertise-peer-urls",
                                   member.peer_url,
                                   "--initial-cluster",
                                   everybody(),
                                   "--log-level",
                                   "error",
                                   "--heartbeat-interval",
                                   "50",
                                   "--election-timeout",
                                   "500"};
    if (options_.tls.enabled())
      words.insert(words.end(),
                   {"--cert-file", options_.tls.certificate, "--key-file", options_.tls.key,
                    "--trusted-ca-file", options_.tls.authority, "--client-cert-auth"});
    words.insert(words.end(), options_.words.begin(), options_.words.end());
    members_[i].process = spawn(words, folder + ".log");
  }
  /// Ends a member as a power failure would.
  void kill(std::size_t i) {
    pid_t process = std::exchange(members_[i].process, -1);
    if (process < 0) return;
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
  }
  void send(std::size_t i, int signal) const { ::kill(members_[i].process, signal); }
  /// Removes all data of a member, which must be dead.
  void wipe(std::size_t i) const { std::filesystem::remove_all(folder_of(i)); }

  /// Sends a request that the register's interface does not have.
  std::string post(const std::string& path, const std::string& body) const {
    Time until = net::steady_now() + std::chrono::seconds(20);
    std::unique_ptr<net::TlsContext> tls;
    if (options_.tls.enabled())
      tls = std::make_unique<net::TlsContext>(net::ServerTrust{options_.tls});
    etcd::HttpConnection line(etcd::parse_endpoint(members_.front().client_url), tls.get(), -1,
                              until);
    line.send({path, body}, until);
    int status = line.await_status(until);
    std::string answer = line.await_body(until);
    if (status != 200) throw std::runtime_error(path + " says: " + answer);
    return answer;
  }

  /// Waits until a majority answers; false if a member died, or it takes too long.
  bool await_health() {
    auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (std::chrono::steady_clock::now() < until) {
      try {
        etcd::Client client(client_options());
        client.set_patience(std::chrono::seconds(2));
        client.transact({{}, {etcd::Get{{"x"}}}, {}});
        return true;
      } catch (const etcd::EtcdRefusal&) {
        return true;  // It answers, if only with an error.
      } catch (const RegisterError&) {
        for (const Member& member : members_)
          if (member.process > 0 && ::waitpid(member.process, nullptr, WNOHANG | WNOWAIT) != 0)
            return false;
      }
    }
    return false;
  }

  std::string log() const {
    std::string text;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      std::ifstream file(folder_of(i) + ".log");
      text.append(std::istreambuf_iterator<char>(file), {});
    }
    return text;
  }

 private:
  struct Member {
    std::string client_url;
    std::string peer_url;
    pid_t process = -1;
  };

  etcd::ClientOptions client_options() const {
    etcd::ClientOptions options{{}, options_.tls};
    for (const std::string& each : endpoints())
      options.endpoints.push_back(etcd::parse_endpoint(each));
    return options;
  }

  std::string folder_of(std::size_t i) const { return data_.path() + "/m" + std::to_string(i); }

  std::string free_address() { return ports_.emplace_back().address(); }
  std::string everybody() const {
    std::string text;
    for (std::size_t i = 0; i < members_.size(); ++i)
      text += (i == 0 ? "m" : ",m") + std::to_string(i) + "=" + members_[i].peer_url;
    return text;
  }

  static pid_t spawn(std::vector<std::string>& words, const std::string& log) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    pid_t process = ::fork();
    if (process < 0) throw std::runtime_error("cannot fork");
    if (process > 0) return process;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    ::execvp(pointers[0], pointers.data());
    ::_exit(99);
  }

  Options options_;
  std::vector<net::ReservedPort> ports_;
  ScratchFolder data_;
  std::vector<Member> members_;
};

}  // namespace conch
