// Where a peer listens.
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
  /// Where to make the Unix socket, in a folder that only this user may enter.
  std::string socket;
  /// `host:port`; port 0 lets the system choose.
  std::vector<std::string> listen;
  /// Instead of the addresses of `listen`, if not empty.
  std::string advertise;
  Tls tls;
  bool insecure = false;
};

/// The file of a Unix socket, which has gone after this object.
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
  /// Somebody else's of the same name is not removed.
  ino_t file_;
};

class Reception {
 public:
  struct Door {
    Serial serial = 0;
    wire::Route route{};
    Descriptor socket;
  };

  /// Throws conch::Error if it cannot listen there, or had better not.
  Reception(const ListenOptions& options, Serial first_serial);

  const std::vector<Door>& doors() const { return doors_; }
  /// What others must know to find the doors.
  const std::string& address() const { return address_; }
  std::vector<std::string> listens() const;
  /// False if somebody has removed it, or there never was one.
  bool has_socket_file() const { return file_ && file_->is_there(); }
  /// Gives the Unix socket, the first of the doors, its file again. Returns what listened before.
  Descriptor listen_again();

 private:
  Descriptor open_local(const std::string& path);
  void open_remote(const std::string& text, const ListenOptions& options);
  void add_door(wire::Route route, Descriptor socket);
  wire::Ways ways(const std::string& advertise) const;

  Serial next_serial_;
  std::vector<Door> doors_;
  std::vector<SocketName> names_;
  std::string address_;
  std::optional<SocketFile> file_;
};

}  // namespace conch::net
