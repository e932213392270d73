#include "simgrid_messages.hpp"

#include <chrono>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "sim/random.hpp"

namespace {

namespace s4u = simgrid::s4u;

constexpr std::uint64_t message_bytes = 64;

/// A cluster: every host on a line of its own to a switch that is no bottleneck.
std::vector<s4u::Host*> create_cluster(std::uint32_t size) {
  s4u::NetZone* zone = s4u::create_star_zone("cluster");
  s4u::Link* backbone = zone->create_link("backbone", 1.25e9)->set_latency(1e-4);
  backbone->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE)->seal();
  std::vector<s4u::Host*> hosts;
  for (std::uint32_t i = 0; i < size; ++i) {
    std::string number = std::to_string(i);
    s4u::Host* host = zone->create_host("host" + number, 1e9)->seal();
    auto* line = zone->create_split_duplex_link("line" + number, 1.25e8);
    line->set_latency(1e-4)->seal();
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr,
                    {{line, s4u::LinkInRoute::Direction::UP}, s4u::LinkInRoute(backbone)}, true);
    hosts.push_back(host);
  }
  zone->seal();
  return hosts;
}

struct Traffic {
  std::vector<s4u::Mailbox*> boxes;
  std::uint64_t unsent;
  std::uint64_t unreceived;
};

void pass_on(Traffic& traffic, std::uint32_t self, conch::sim::Random& random) {
  if (traffic.unsent == 0) return;
  --traffic.unsent;
  auto to = random.below(traffic.boxes.size() - 1);
  if (to >= self) ++to;
  traffic.boxes[to]->put_init(&traffic, message_bytes)->detach();
}

void act(Traffic& traffic, std::uint32_t self, bool begins) {
  conch::sim::Random random(1, self);
  traffic.boxes[self]->set_receiver(s4u::Actor::self());
  if (begins) pass_on(traffic, self, random);
  while (true) {
    traffic.boxes[self]->get<Traffic>();
    --traffic.unreceived;
    pass_on(traffic, self, random);
  }
}

}  // namespace

double simgrid_messages_per_s(std::uint32_t actors, std::uint64_t messages,
                              std::uint32_t in_flight) {
  s4u::Engine engine("bench_sim");
  std::vector<s4u::Host*> hosts = create_cluster(actors);
  Traffic traffic{{}, messages, messages};
  for (std::uint32_t i = 0; i < actors; ++i) {
    traffic.boxes.push_back(s4u::Mailbox::by_name(std::to_string(i)));
    auto actor = s4u::Actor::create("actor", hosts[i],
                                    [&traffic, i, in_flight] { act(traffic, i, i < in_flight); });
    actor->daemonize();  // ends with the last actor that is not one
  }
  s4u::Actor::create("clock", hosts[0], [&traffic] {
    while (traffic.unreceived > 0) s4u::this_actor::sleep_for(1);
  });
  auto begin = std::chrono::steady_clock::now();
  engine.run();
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return static_cast<double>(messages) / took.count();
}
