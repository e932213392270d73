#include "cli/peer_options.hpp"

namespace conch::cli {

void add_reach_options(CLI::App& command, PeerOptions& options) {
  options.option_names = OptionNames::command_line;
  command.add_option("--group", options.group, "The group; $CONCH_GROUP or `default` without");
  command.add_option("--listen", options.listen,
                     "HOST:PORT for peers of other machines; port 0: any. Repeatable");
  command.add_option("--advertise", options.advertise, "HOST:PORT where others reach this peer");
  command.add_option("--join", options.join,
                     "HOST:PORT of a peer on the machine that has the register; of any peer, if "
                     "the group has none. Repeatable");
  command
      .add_option("--register", options.etcd.endpoints,
                  "An etcd cluster as the register: http://HOST:PORT of its members, or https://. "
                  "Repeatable, or with commas")
      ->delimiter(',');
  command.add_option("--register-ca", options.etcd.authority,
                     "PEM file: the authority of etcd's certificates; the system's without");
  command.add_option("--register-cert", options.etcd.certificate,
                     "PEM file: the certificate to show etcd");
  command.add_option("--register-key", options.etcd.key, "PEM file: its key");
  command.add_option("--register-user", options.etcd.user, "The user that etcd knows us as");
  command.add_option("--register-password-file", options.etcd.password_file,
                     "A file whose first line is that user's password");
  command.add_option("--tls-cert", options.tls.certificate, "PEM file: this peer's certificate");
  command.add_option("--tls-key", options.tls.key, "PEM file: its key");
  command.add_option("--tls-ca", options.tls.authority,
                     "PEM file: the authority that has signed everybody's");
  command.add_flag("--insecure", options.insecure,
                   "Listen on other addresses than loopback without TLS: whoever reaches them can "
                   "take and break every lock");
}

}  // namespace conch::cli
