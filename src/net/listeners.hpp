// The listeners of a peer: a Unix socket and TCP ports.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "net/descriptor.hpp"
#include "net/names.hpp"
#include "net/poller.hpp"
#include "net/tls.hpp"
#include "wire/handshake.hpp"

namespace conch::net {

struct ListenOptions {
  /// The path of the Unix socket, in a folder that only this user may enter.
  std::string socket;
  /// `host:port` addresses for TCP; port 0 lets the system choose.
  std::vector<std::string> listen;
  /// If not empty, the peer advertises this instead of the addresses of `listen`.
  std::string advertise;
  Tls tls;
  bool insecure = false;
};

/// The file of a Unix socket; the destructor removes it.
class SocketFile {
 public:
  explicit SocketFile(std::string path);
  SocketFile(const SocketFile&) = delete;
  SocketFile& operator=(const SocketFile&) = delete;
  ~SocketFile();

  const std::string& path() const { return path_; }
  bool is_there() const;

 private:
  std::string path_;
  /// The inode of our file: a file of the same name with another inode is not removed.
  ino_t file_;
};

class Listeners {
 public:
  struct Listener {
    Serial serial = 0;
    wire::Route route{};
    Descriptor socket;
  };

  /// Throws conch::Error if it cannot listen there, or if that would be unsafe.
  Listeners(const ListenOptions& options, Serial first_serial);

  const std::vector<Listener>& listeners() const { return listeners_; }
  /// The address that others need to reach the listeners.
  const std::string& address() const { return address_; }
  std::vector<std::string> listens() const;
  /// Returns false if the file was removed, or there never was one.
  bool has_socket_file() const { return file_ && file_->is_there(); }
  /// Makes a new Unix socket in place of the first listener, e.g. if its file was removed. Returns
  /// the old socket.
  Descriptor listen_again();

 private:
  Descriptor open_local(const std::string& path);
  void open_remote(const std::string& text, const ListenOptions& options);
  void add_listener(wire::Route route, Descriptor socket);
  wire::Ways ways(const std::string& advertise) const;

  Serial next_serial_;
  std::vector<Listener> listeners_;
  std::vector<SocketName> names_;
  std::string address_;
  std::optional<SocketFile> file_;
};

}  // namespace conch::net
