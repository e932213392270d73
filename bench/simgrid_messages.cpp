#include "simgrid_messages.hpp"

#include <ctime>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace {

namespace s4u = simgrid::s4u;

constexpr std::uint64_t message_bytes = 64;

enum class Lines : std::uint8_t { equal, different };

/// Connects every host with a line of its own to a backbone. On different lines messages arrive one
/// by one, as in our simulator.
std::vector<s4u::Host*> create_cluster(std::uint32_t size, Lines lines) {
  s4u::NetZone* zone = s4u::create_star_zone("cluster");
  s4u::Link* backbone = zone->create_link("backbone", 1.25e9)->set_latency(1e-4)->seal();
  std::vector<s4u::Host*> hosts;
  for (std::uint32_t i = 0; i < size; ++i) {
    std::string number = std::to_string(i);
    s4u::Host* host = zone->create_host("host" + number, 1e9)->seal();
    auto* line = zone->create_split_duplex_link("line" + number, 1.25e8);
    double spread = lines == Lines::equal ? 0.5 : i * 2654435761U % 1000 / 1000.0;
    line->set_latency(5e-5 + 1e-4 * spread)->seal();
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr,
                    {{line, s4u::LinkInRoute::Direction::UP}, s4u::LinkInRoute(backbone)}, true);
    hosts.push_back(host);
  }
  zone->seal();
  return hosts;
}

struct Ring {
  std::vector<s4u::Host*> hosts;
  std::vector<s4u::Mailbox*> boxes;

  Ring(std::uint32_t size, Lines lines) : hosts(create_cluster(size, lines)) {
    for (std::uint32_t i = 0; i < size; ++i)
      boxes.push_back(s4u::Mailbox::by_name(std::to_string(i)));
  }
  s4u::Mailbox* after(std::size_t i) const { return boxes[(i + 1) % boxes.size()]; }
};

/// The payload of every message; nobody reads it.
int payload = 0;

double rate(const s4u::Engine& engine, std::uint64_t messages) {
  std::clock_t begin = std::clock();
  engine.run();
  return static_cast<double>(messages) * CLOCKS_PER_SEC / static_cast<double>(std::clock() - begin);
}

}  // namespace

double simgrid_rate_in_step(std::uint32_t actors, std::uint64_t messages) {
  s4u::Engine engine("bench_sim");
  Ring ring(actors, Lines::equal);
  std::uint64_t each = messages / actors;
  for (std::uint32_t i = 0; i < actors; ++i) {
    s4u::Actor::create("actor", ring.hosts[i], [&ring, i, each] {
      for (std::uint64_t sent = 0; sent < each; ++sent) {
        s4u::CommPtr sending = ring.after(i)->put_async(&payload, message_bytes);
        ring.boxes[i]->get<int>();
        sending->wait();
      }
    });
  }
  return rate(engine, each * actors);
}

double simgrid_rate(std::uint32_t actors, std::uint64_t messages, std::uint32_t in_flight) {
  s4u::Engine engine("bench_sim");
  Ring ring(actors, Lines::different);
  std::uint64_t unsent = messages;
  std::uint64_t unreceived = messages;
  for (std::uint32_t i = 0; i < actors; ++i) {
    auto pass_on = [&ring, &unsent, i] {
      if (unsent == 0) return;
      --unsent;
      ring.after(i)->put_init(&payload, message_bytes)->detach();
    };
    s4u::Actor::create("actor", ring.hosts[i], [&, i, in_flight, pass_on] {
      if (i < in_flight) pass_on();
      while (true) {
        ring.boxes[i]->get<int>();
        --unreceived;
        pass_on();
      }
    })->daemonize();  // it ends when only daemons are left
  }
  s4u::Actor::create("clock", ring.hosts[0], [&] {
    while (unreceived > 0) s4u::this_actor::sleep_for(1);
  });
  return rate(engine, messages);
}
