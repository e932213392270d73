#include "chaos/etcd_members.hpp"

#include <fmt/format.h>

namespace conch::chaos {

EtcdMembers::EtcdMembers(rig::Rig& rig, std::string folder)
    : rig_(rig), folder_(std::move(folder)), members_(rig.size()) {}

void EtcdMembers::start_all() {
  for (std::size_t site = 0; site < members_.size(); ++site) start(site);
}

void EtcdMembers::hit(std::size_t site, int signal) {
  members_[site]->send(signal);
  if (signal == SIGKILL) std::ignore = members_[site]->await_exit();
}

void EtcdMembers::bring_back(std::size_t site) {
  if (members_[site]->has_ended()) return start(site);
  members_[site]->send(SIGCONT);
}

void EtcdMembers::kill_all() {
  for (std::size_t site = 0; site < members_.size(); ++site) hit(site, SIGKILL);
}

void EtcdMembers::start(std::size_t site) {
  members_[site] = &rig_.start(site, {"etcd",
                                      "--name",
                                      rig_.site(site).name(),
                                      "--data-dir",
                                      rig_.site(site).folder() + "/etcd",
                                      "--listen-client-urls",
                                      url_of(site),
                                      "--advertise-client-urls",
                                      url_of(site),
                                      "--listen-peer-urls",
                                      peer_url_of(site),
                                      "--initial-advertise-peer-urls",
                                      peer_url_of(site),
                                      "--initial-cluster",
                                      everybody(),
                                      "--heartbeat-interval",
                                      "50",
                                      "--election-timeout",
                                      "500",
                                      "--logger",
                                      "zap",
                                      "--log-outputs",
                                      log_of(site)});
}

std::vector<std::string> EtcdMembers::unasked_ends() {
  std::vector<std::string> all;
  for (std::size_t site = 0; site < members_.size(); ++site)
    if (int status = members_[site]->await_exit(Milliseconds(0)); status != still_running)
      all.push_back(fmt::format("etcd of {} ended unexpectedly, with status {}: see {}",
                                rig_.site(site).name(), status, log_of(site)));
  return all;
}

std::string EtcdMembers::url_of(std::size_t site) const {
  return "http://" + rig_.site(site).address() + ":2379";
}

std::string EtcdMembers::peer_url_of(std::size_t site) const {
  return "http://" + rig_.site(site).address() + ":2380";
}

std::string EtcdMembers::log_of(std::size_t site) const {
  return fmt::format("{}/log.etcd{}", folder_, site);
}

std::string EtcdMembers::everybody() const {
  std::string text;
  for (std::size_t site = 0; site < members_.size(); ++site)
    text += (site == 0 ? "" : ",") + rig_.site(site).name() + "=" + peer_url_of(site);
  return text;
}

}  // namespace conch::chaos
