#include "cli/peer_options.hpp"

namespace conch::cli {

void add_reach_options(CLI::App& command, PeerOptions& options) {
  options.option_names = OptionNames::command_line;
  command.add_option("--group", options.group,
                     "Group name (default: $CONCH_GROUP, else `default`)");
  command.add_option(
      "--listen", options.listen,
      "HOST:PORT on which to accept peers of other machines; port 0: any free port. Repeatable");
  command.add_option("--advertise", options.advertise,
                     "HOST:PORT at which other peers reach this one");
  command.add_option("--join", options.join,
                     "HOST:PORT of a peer on the machine that has the register, or of any peer if "
                     "the group has no register. Repeatable");
  command
      .add_option("--register", options.etcd.endpoints,
                  "Use an etcd cluster as the register: http://HOST:PORT or https://HOST:PORT of "
                  "its members. Repeatable, or separated by commas")
      ->delimiter(',');
  command.add_option("--register-ca", options.etcd.authority,
                     "PEM file: CA of etcd's certificates (default: the system's CAs)");
  command.add_option("--register-cert", options.etcd.certificate,
                     "PEM file: client certificate for etcd");
  command.add_option("--register-key", options.etcd.key,
                     "PEM file: private key of that certificate");
  command.add_option("--register-user", options.etcd.user, "User name at etcd");
  command.add_option("--register-password-file", options.etcd.password_file,
                     "File whose first line is that user's password");
  command.add_option("--tls-cert", options.tls.certificate, "PEM file: this peer's certificate");
  command.add_option("--tls-key", options.tls.key, "PEM file: private key of that certificate");
  command.add_option("--tls-ca", options.tls.authority,
                     "PEM file: CA that signed the certificates of all peers");
  command.add_flag("--insecure", options.insecure,
                   "Listen on non-loopback addresses without TLS: anyone who can reach them can "
                   "take and break every lock");
}

}  // namespace conch::cli
