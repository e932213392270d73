#include "rig/site.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "net/socket.hpp"
#include "register/testing/scratch.hpp"
#include "rig/packet.hpp"

namespace conch::rig {

namespace {

using Descriptors = std::vector<net::Descriptor>;

[[noreturn]] void fail(const std::string& what) {
  throw NoSites("cannot " + what + ": " + std::strerror(errno));
}

net::Descriptor open(const std::string& path, int how) {
  net::Descriptor file(::open(path.c_str(), how | O_CLOEXEC, 0644));
  if (!file) fail("open " + path);
  return file;
}

void write(const std::string& path, const std::string& text) {
  net::Descriptor file = open(path, O_WRONLY | O_CREAT | O_TRUNC);
  if (::write(file.number(), text.data(), text.size()) < 0) fail("write " + path);
}

// To open a descriptor in a site, a child process goes there, opens it and passes it back.

void send_all(net::Socket& socket, const std::function<Descriptors()>& open) {
  try {
    for (const net::Descriptor& each : open()) socket.send(".", std::array{each.number()});
  } catch (const NoSites& complaint) {
    socket.send(complaint.what());
  }
}

/// Each descriptor comes with a byte; bytes without a descriptor are an error message.
Descriptors receive_all(net::Socket& socket) {
  Descriptors all;
  std::string complaint;
  for (;;) {
    net::Descriptor passed;
    char byte = 0;
    if (socket.receive(&byte, 1, passed).flow != net::Flow::moved) break;
    if (passed) {
      all.push_back(std::move(passed));
    } else {
      complaint += byte;
    }
  }
  if (!complaint.empty() || all.empty()) throw NoSites(complaint);
  return all;
}

Descriptors opened_elsewhere(const std::function<Descriptors()>& open) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    fail("make a pair of sockets");
  net::Socket ours{net::Descriptor(ends[0])};
  net::Socket theirs{net::Descriptor(ends[1])};
  ours.block_for(std::chrono::seconds(20));
  Child traveller([&] { return send_all(theirs, open), 0; });
  theirs = net::Socket();
  Descriptors all = receive_all(ours);
  traveller.await_exit();
  return all;
}

// The steps of the first process of a site.

/// A user who may not make these namespaces may make a user namespace, in which everything is
/// allowed. Returns whether that was necessary.
bool leave_the_machine() {
  constexpr int all_else = CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWUTS;
  if (::unshare(all_else) == 0) return false;
  std::string user = std::to_string(::geteuid());
  std::string group = std::to_string(::getegid());
  if (::unshare(CLONE_NEWUSER | all_else) != 0) fail("make a network namespace");
  write("/proc/self/setgroups", "deny");
  write("/proc/self/uid_map", user + " " + user + " 1");
  write("/proc/self/gid_map", group + " " + group + " 1");
  return true;
}

/// Gives the site a boot id of its own: peers with the same boot id talk through files and not over
/// the network.
void write_boot(std::size_t number, std::size_t boot, const std::string& folder) {
  std::array<char, 64> id{};
  std::snprintf(id.data(), id.size(), "77777777-7777-4777-8%03zu-%012zu\n", boot % 1000, number);
  write(folder + "/boot_id", id.data());
}

void boot(std::size_t number, const std::string& folder) {
  std::string name = "site" + std::to_string(number);
  if (::sethostname(name.data(), name.size()) != 0) fail("set a host's name");
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    fail("have mounts of one's own");
  write_boot(number, 1, folder);
  if (::mount((folder + "/boot_id").c_str(), "/proc/sys/kernel/random/boot_id", nullptr, MS_BIND,
              nullptr) != 0)
    fail("mount a boot's identifier");
}

/// Configures a network device.
class Device {
 public:
  explicit Device(const char* name) : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    std::strncpy(request_.ifr_name, name, IFNAMSIZ - 1);
  }

  void set_address(std::uint32_t address, std::uint32_t mask) {
    set(SIOCSIFADDR, address);
    set(SIOCSIFNETMASK, mask);
  }
  void bring_up() {
    request_.ifr_flags = IFF_UP | IFF_RUNNING;
    control(SIOCSIFFLAGS);
  }

 private:
  void set(unsigned long what, std::uint32_t number) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(number);
    std::memcpy(&request_.ifr_addr, &address, sizeof address);
    control(what);
  }
  void control(unsigned long what) {
    if (::ioctl(socket_.number(), what, &request_) != 0)
      fail(std::string("configure ") + request_.ifr_name);
  }

  net::Descriptor socket_;
  ifreq request_{};
};

net::Descriptor make_end(std::size_t number) {
  net::Descriptor end = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
  ifreq request{};
  std::strncpy(request.ifr_name, "wire", IFNAMSIZ - 1);
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  if (::ioctl(end.number(), TUNSETIFF, &request) != 0) fail("make a TUN device");
  Device device("wire");
  // The mask creates the route: all sites are reached through this device.
  device.set_address(address_of(number), network_mask);
  device.bring_up();
  return end;
}

Descriptors make_site(std::size_t number, const std::string& folder) {
  bool has_own_users = leave_the_machine();
  boot(number, folder);
  Device("lo").bring_up();
  Descriptors all;
  all.push_back(make_end(number));
  if (has_own_users) all.push_back(open("/proc/self/ns/user", O_RDONLY));
  for (const char* name : {"net", "uts", "mnt"})
    all.push_back(open(std::string("/proc/self/ns/") + name, O_RDONLY));
  return all;
}

}  // namespace

std::optional<std::string> missing_for_sites() {
  try {
    ScratchFolder folder;
    Site site(0, folder.path());
    return std::nullopt;
  } catch (const NoSites& complaint) {
    return std::string("sites cannot be made on this machine: ") + complaint.what();
  }
}

Site::Site(std::size_t number, std::string folder) : number_(number), folder_(std::move(folder)) {
  Descriptors all = opened_elsewhere([&] { return make_site(number_, folder_); });
  end_ = std::move(all.front());
  all.erase(all.begin());
  namespaces_ = std::move(all);
}

std::string Site::address() const {
  in_addr address{htonl(address_of(number_))};
  std::array<char, INET_ADDRSTRLEN> text{};
  return ::inet_ntop(AF_INET, &address, text.data(), text.size());
}

void Site::enter() const {
  for (const net::Descriptor& each : namespaces_)
    if (::setns(each.number(), 0) != 0) fail("enter " + name());
  if (clocks_ && ::setns(clocks_.number(), 0) != 0) fail("enter the time of " + name());
  ::setenv("XDG_STATE_HOME", (folder_ + "/state").c_str(), 1);
}

net::Descriptor Site::socket(int type) const {
  Descriptors all = opened_elsewhere([&] {
    enter();
    Descriptors one;
    one.emplace_back(::socket(AF_INET, type | SOCK_CLOEXEC, 0));
    return one;
  });
  return std::move(all.front());
}

void Site::boot_again(std::chrono::seconds ago) {
  clocks_ = {};
  auto offset = [&](const char* name, clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    // The kernel does not take negative nanoseconds.
    return std::string(name) + " " + std::to_string(ago.count() - now.tv_sec - 1) + " " +
           std::to_string(999'999'999 - now.tv_nsec) + "\n";
  };
  Descriptors all = opened_elsewhere([&] {
    enter();
    if (::unshare(CLONE_NEWTIME) != 0) fail("make a time namespace");
    write("/proc/self/timens_offsets",
          offset("monotonic", CLOCK_MONOTONIC) + offset("boottime", CLOCK_BOOTTIME));
    Descriptors one;
    one.push_back(open("/proc/self/ns/time_for_children", O_RDONLY));
    return one;
  });
  clocks_ = std::move(all.front());
  write_boot(number_, ++boots_, folder_);
}

std::vector<pid_t> Site::processes() const {
  struct stat ours {};
  struct stat theirs {};
  // The network namespace is the last but two.
  ::fstat(namespaces_.at(namespaces_.size() - 3).number(), &ours);
  std::vector<pid_t> all;
  for (const auto& each : std::filesystem::directory_iterator("/proc")) {
    std::string process = each.path().filename();
    if (process.find_first_not_of("0123456789") != process.npos) continue;
    bool is_there = ::stat((each.path() / "ns/net").c_str(), &theirs) == 0;
    if (is_there && theirs.st_ino == ours.st_ino) all.push_back(std::stoi(process));
  }
  return all;
}

}  // namespace conch::rig
