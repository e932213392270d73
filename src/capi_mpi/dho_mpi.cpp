// Implements include/dho_mpi.h. MPI tells the processes where their group is; after that it is
// needed only when they leave.
//
// The ranks of one machine share a folder with their sockets. With one machine, the group's
// register is in that folder, too. With more, all ranks listen on TCP: rank 0 has the register and
// tells the others where it listens. With $CONCH_TCP_ONLY, each rank acts as a machine of its own.
#include <dho_mpi.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <tuple>

#include "capi/mpi_group.hpp"

namespace {

using Text = std::array<char, 512>;

/// Rank 0 broadcasts this to all ranks.
struct Invitation {
  int error = 0;
  bool over_network = false;
  Text name{};
  Text address{};
};

/// The group of this process.
struct Group {
  MPI_Comm comm = MPI_COMM_NULL;
  /// The ranks that share the folder; the first of them makes and removes it.
  MPI_Comm machine = MPI_COMM_NULL;
  Text folder{};
  /// The name of this machine; 127.0.0.1 if all ranks are on it, as a machine may not be able to
  /// resolve its own name.
  Text host{};
  Text name{};
};
Group group;

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

/// The largest error number of all ranks; 0 if none has failed.
int worst(int error, MPI_Comm comm) {
  int result = error;
  MPI_Allreduce(&error, &result, 1, MPI_INT, MPI_MAX, comm);
  return result;
}

void write(Text& text, const std::string& words) {
  text = {};
  std::strncpy(text.data(), words.c_str(), text.size() - 1);
}

bool wants_network() {
  const char* variable = std::getenv("CONCH_TCP_ONLY");  // NOLINT(concurrency-mt-unsafe)
  return variable != nullptr && *variable != '\0' && *variable != '0';
}

void find_machine() {
  MPI_Comm_split_type(group.comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &group.machine);
  group.host = {};
  int length = 0;
  static_assert(MPI_MAX_PROCESSOR_NAME < std::tuple_size_v<Text>);
  MPI_Get_processor_name(group.host.data(), &length);
  if (size_of(group.machine) == size_of(group.comm)) write(group.host, "127.0.0.1");
  bool alone = worst(wants_network() ? 1 : 0, group.comm) > 0;
  if (!alone) return;
  MPI_Comm_free(&group.machine);
  MPI_Comm_dup(MPI_COMM_SELF, &group.machine);
}

bool is_on_one_machine() { return std::string(group.host.data()) == "127.0.0.1"; }

/// The path is short, as the kernel limits the length of a socket's path.
int make_folder() {
  group.folder = {};
  if (rank_in(group.machine) == 0) {
    std::error_code none;
    std::string pattern = std::filesystem::temp_directory_path(none).string() + "/dho.XXXXXX";
    if (pattern.size() < group.folder.size() && ::mkdtemp(pattern.data()) != nullptr)
      write(group.folder, pattern);
  }
  MPI_Bcast(group.folder.data(), static_cast<int>(group.folder.size()), MPI_CHAR, 0, group.machine);
  return worst(group.folder[0] == '\0' ? EACCES : 0, group.comm);
}

void remove_folder() {
  MPI_Barrier(group.comm);
  std::error_code ignored;
  if (rank_in(group.machine) == 0 && group.folder[0] != '\0')
    std::filesystem::remove_all(group.folder.data(), ignored);
  MPI_Comm_free(&group.machine);
  MPI_Comm_free(&group.comm);
}

/// A random name, so that no two jobs have the same.
std::string draw_name() {
  std::array<unsigned char, 8> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return "";
  std::string name = "mpi-";
  for (unsigned char byte : bytes)
    for (int digit : {byte >> 4, byte & 15}) name += "0123456789abcdef"[digit];
  return name;
}

int attach(const Invitation& invitation, Text& address) {
  std::string folder = group.folder.data();
  dho_mpi_group choice{};
  choice.name = invitation.name.data();
  std::string state = folder + "/state";
  choice.state_directory = state.c_str();
  choice.host = group.host.data();
  const char* everywhere = is_on_one_machine() ? "127.0.0.1:0" : "0.0.0.0:0";
  choice.listen = invitation.over_network ? everywhere : "";
  choice.join = invitation.address.data();
  return dho_mpi_attach(&choice, address.data(), address.size());
}

/// Rank 0 joins first: it founds the group and has the register.
int attach_all() {
  Invitation invitation;
  if (rank_in(group.comm) == 0) {
    invitation.over_network = size_of(group.machine) < size_of(group.comm);
    write(invitation.name, draw_name());
    Text address{};
    invitation.error = attach(invitation, address);
    invitation.address = address;
  }
  MPI_Bcast(&invitation, sizeof invitation, MPI_BYTE, 0, group.comm);
  group.name = invitation.name;
  if (invitation.error != 0) return invitation.error;
  Text mine{};
  return rank_in(group.comm) == 0 ? 0 : attach(invitation, mine);
}

/// Rank 0 has the register, so it leaves last.
int detach_all() {
  bool is_first = rank_in(group.comm) == 0;
  int error = is_first ? 0 : dho_mpi_detach(group.name.data());
  MPI_Barrier(group.comm);
  return is_first ? dho_mpi_detach(group.name.data()) : error;
}

}  // namespace

int dho_init_mpi(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return EINVAL;
  if (int busy = worst(group.comm == MPI_COMM_NULL ? 0 : EBUSY, comm)) return busy;
  MPI_Comm_dup(comm, &group.comm);
  find_machine();
  int error = make_folder();
  if (error == 0) {
    int mine = attach_all();
    error = worst(mine, group.comm);
    if (error == 0) return 0;
    detach_all();
    if (mine != 0) error = mine;  // Prefer this rank's error: dho_strerror has details for it.
  }
  remove_folder();
  return error;
}

int dho_finalize_mpi() {
  if (group.comm == MPI_COMM_NULL) return 0;
  int mine = dho_mpi_busy(group.name.data());
  int error = worst(mine, group.comm);
  if (error != 0) return mine != 0 ? mine : error;
  error = detach_all();
  remove_folder();
  return error;
}
