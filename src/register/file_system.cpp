#include "register/file_system.hpp"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace conch::file {

namespace {

struct Kind {
  std::uint32_t magic = 0;
  std::string_view name;
};

// linux/magic.h does not define these.
constexpr std::uint32_t bcachefs_magic = 0xca451a4e;
constexpr std::uint32_t jfs_magic = 0x3153464a;
constexpr std::uint32_t ubifs_magic = 0x24051905;
constexpr std::uint32_t zfs_magic = 0x2fc12fc1;
constexpr std::uint32_t beegfs_magic = 0x19830326;
constexpr std::uint32_t gfs2_magic = 0x01161970;
constexpr std::uint32_t gpfs_magic = 0x47504653;
constexpr std::uint32_t lustre_magic = 0x0bd00bd0;
constexpr std::uint32_t orangefs_magic = 0x20030528;
constexpr std::uint32_t vmhgfs_magic = 0xbacbacbc;

constexpr auto local_kinds = std::to_array<Kind>({
    {BTRFS_SUPER_MAGIC, "Btrfs"},
    {EXT4_SUPER_MAGIC, "ext2, ext3 or ext4"},
    {F2FS_SUPER_MAGIC, "F2FS"},
    {NILFS_SUPER_MAGIC, "NILFS2"},
    {OVERLAYFS_SUPER_MAGIC, "OverlayFS"},
    {RAMFS_MAGIC, "ramfs"},
    {REISERFS_SUPER_MAGIC, "ReiserFS"},
    {TMPFS_MAGIC, "tmpfs"},
    {XFS_SUPER_MAGIC, "XFS"},
    {bcachefs_magic, "bcachefs"},
    {jfs_magic, "JFS"},
    {ubifs_magic, "UBIFS"},
    {zfs_magic, "ZFS"},
});

/// These are listed only for their names in messages. File systems on neither list are refused as
/// well.
constexpr auto other_kinds = std::to_array<Kind>({
    {AFS_FS_MAGIC, "AFS"},        {AFS_SUPER_MAGIC, "AFS"},
    {CEPH_SUPER_MAGIC, "Ceph"},   {CIFS_SUPER_MAGIC, "CIFS"},
    {CODA_SUPER_MAGIC, "Coda"},   {ECRYPTFS_SUPER_MAGIC, "eCryptfs"},
    {EXFAT_SUPER_MAGIC, "exFAT"}, {FUSE_SUPER_MAGIC, "FUSE or virtiofs"},
    {MSDOS_SUPER_MAGIC, "FAT"},   {NFS_SUPER_MAGIC, "NFS"},
    {OCFS2_SUPER_MAGIC, "OCFS2"}, {PROC_SUPER_MAGIC, "proc"},
    {SMB2_SUPER_MAGIC, "SMB2"},   {SMB_SUPER_MAGIC, "SMB"},
    {SQUASHFS_MAGIC, "SquashFS"}, {V9FS_MAGIC, "9p"},
    {beegfs_magic, "BeeGFS"},     {gfs2_magic, "GFS2"},
    {gpfs_magic, "GPFS"},         {lustre_magic, "Lustre"},
    {orangefs_magic, "OrangeFS"}, {vmhgfs_magic, "a directory shared with a VMware host"},
});

template <class Kinds>
const Kind* find(const Kinds& kinds, std::uint32_t magic) {
  auto found = std::find_if(kinds.begin(), kinds.end(),
                            [&](const Kind& kind) { return kind.magic == magic; });
  return found == kinds.end() ? nullptr : &*found;
}

std::string number_of(std::uint32_t magic) {
  std::string text = "a file system of type 0x";
  for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[(magic >> shift) & 15];
  return text;
}

}  // namespace

bool is_known_to_be_local(std::uint32_t magic) { return find(local_kinds, magic) != nullptr; }

std::string file_system_name(std::uint32_t magic) {
  const Kind* kind = find(local_kinds, magic);
  if (!kind) kind = find(other_kinds, magic);
  return kind ? std::string(kind->name) : number_of(magic);
}

std::string objection_to_file_system(const std::string& directory, std::uint32_t magic,
                                     bool trusted) {
  if (trusted || is_known_to_be_local(magic)) return "";
  return "the state directory " + directory + " is on " + file_system_name(magic) +
         ", which other machines may share: peers of two machines would take each other for dead. "
         "Choose a local directory, for example with XDG_STATE_HOME, or etcd as a register for "
         "several machines, --register http://HOST:2379; or, if no other machine uses this "
         "directory, set CONCH_TRUST_FILE_SYSTEM=1";
}

std::string objection_to_file_system_at(const std::string& place, const std::string& directory) {
  struct statfs found {};
  if (::statfs(place.c_str(), &found) != 0)
    return "the file system of " + place + " cannot be determined: " + std::strerror(errno);
  return objection_to_file_system(directory, static_cast<std::uint32_t>(found.f_type),
                                  trusts_every_file_system());
}

bool trusts_every_file_system() {
  const char* value = std::getenv("CONCH_TRUST_FILE_SYSTEM");
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace conch::file
