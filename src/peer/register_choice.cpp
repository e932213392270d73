#include "peer/register_choice.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>

#include "net/secret_file.hpp"
#include "node/overlay_group_settings.hpp"
#include "peer/presence.hpp"
#include "register/file_register.hpp"

namespace conch::peer {

namespace {

/// Reads the first line without its newline, which editors append.
std::string password_in(const std::string& path) {
  net::expect_secret(path);
  std::ifstream file(path);
  std::string password;
  if (!std::getline(file, password))
    throw Error(ErrorCode::misconfigured,
                fmt::format("no password in {}: expected it on the first line", path));
  return password;
}

bool has_files(const std::string& state) { return std::filesystem::exists(state + "/chain"); }

/// Two registers of one group would know nothing of each other's holders.
void expect_no_files(const std::string& group, const std::string& state) {
  if (has_files(state))
    throw Error(
        ErrorCode::misconfigured,
        fmt::format("the group '{}' has a register on this machine, in {}: choose another group; "
                    "or stop all its peers and remove that directory",
                    group, state));
}

}  // namespace

/// If there is no register, looks for peers before it looks for the register once more: a peer
/// opens or founds its register before it becomes visible.
std::string why_not_founded(const std::string& group, const std::string& state) {
  if (has_files(state) || !seems_present(state) || has_files(state)) return "";
  std::vector<int> others = present(state);
  if (others.empty()) return "";
  return fmt::format(
      "no register in {}, but a peer of the group '{}' runs here (process {}) and may hold its "
      "locks: put the directory back if it was removed, or end that process",
      state, group, others.front());
}

EtcdRegisterOptions etcd_options(const EtcdOptions& etcd) {
  if (etcd.user.empty() != etcd.password_file.empty())
    throw Error(ErrorCode::misconfigured,
                "etcd needs both or neither: a user and the file with its password");
  EtcdRegisterOptions options;
  options.endpoints = etcd.endpoints;
  options.tls = {etcd.certificate, etcd.key, etcd.authority};
  options.user = etcd.user;
  if (!etcd.password_file.empty()) options.password = password_in(etcd.password_file);
  return options;
}

std::unique_ptr<Register> open_register(const PeerOptions& options, const std::string& group,
                                        const Directories& directories) {
  if (!options.etcd.enabled()) {
    if (std::string why = why_not_founded(group, directories.state); !why.empty()) throw Error(why);
    FileRegisterOptions terms;
    terms.lease = options.lease.value_or(node::default_lease);
    terms.inotify_after = std::chrono::milliseconds(50);
    return std::make_unique<FileRegister>(directories.state, terms);
  }
  expect_no_files(group, directories.state);
  EtcdRegisterOptions etcd = etcd_options(options.etcd);
  etcd.group = group;
  etcd.lease = options.lease.value_or(node::default_lease);
  etcd.neighbours = directories.sockets + "/lives";
  return std::make_unique<EtcdRegister>(etcd);
}

std::vector<std::string> words_of(const EtcdOptions& etcd) {
  std::vector<std::string> words;
  for (const std::string& endpoint : etcd.endpoints) words.push_back("--register " + endpoint);
  auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.push_back(fmt::format("{} {}", option, value));
  };
  add("--register-ca", etcd.authority);
  add("--register-cert", etcd.certificate);
  add("--register-key", etcd.key);
  add("--register-user", etcd.user);
  add("--register-password-file", etcd.password_file);
  return words;
}

}  // namespace conch::peer
