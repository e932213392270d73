#include "simgrid/module/platform.hpp"

namespace conch::simgrid {

namespace s4u = ::simgrid::s4u;

namespace {

struct Site {
  s4u::NetZone* zone;
  s4u::Link* backbone;
  ::simgrid::kernel::routing::NetPoint* router;
};

Site create_site(const sim::Grid& grid, s4u::NetZone* root, const std::string& name) {
  s4u::NetZone* zone = s4u::create_star_zone(name)->set_parent(root);
  s4u::Link* backbone = zone->create_link(name + "-backbone", grid.backbone_bytes_per_s);
  backbone->set_latency(seconds_of(grid.line_latency))->seal();
  auto* router = zone->create_router(name + "-router");
  zone->add_route(router, nullptr, nullptr, nullptr, {s4u::LinkInRoute(backbone)});
  return {zone, backbone, router};
}

/// Lines are split-duplex: traffic in one direction does not slow down the other.
s4u::Host* create_host(const sim::Grid& grid, const Site& site, const std::string& name) {
  s4u::Host* host = site.zone->create_host(name, 1e9)->seal();
  auto* line = site.zone->create_split_duplex_link(name + "-line", grid.host_bytes_per_s);
  line->set_latency(seconds_of(grid.line_latency))->seal();
  site.zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr,
                       {{line, s4u::LinkInRoute::Direction::UP}, s4u::LinkInRoute(site.backbone)});
  return host;
}

void connect(const sim::Grid& grid, s4u::NetZone* root, const Site& a, const Site& b) {
  s4u::Link* line =
      root->create_link(a.zone->get_name() + "-" + b.zone->get_name(), grid.backbone_bytes_per_s);
  line->set_latency(seconds_of(grid.line_latency))->seal();
  root->add_route(a.zone->get_netpoint(), b.zone->get_netpoint(), a.router, b.router,
                  {s4u::LinkInRoute(line)});
}

}  // namespace

std::vector<std::string> settings(const sim::Grid& grid) {
  return {"--cfg=network/latency-factor:" + std::to_string(grid.latency_factor),
          "--cfg=network/bandwidth-factor:" + std::to_string(grid.bandwidth_factor)};
}

std::vector<s4u::Host*> create_platform(const sim::Grid& grid, sim::Node nodes) {
  s4u::NetZone* root = s4u::create_full_zone("grid");
  std::vector<Site> sites;
  for (std::uint32_t i = 0; i < grid.sites; ++i)
    sites.push_back(create_site(grid, root, "site" + std::to_string(i)));
  std::vector<s4u::Host*> hosts;
  for (sim::Node node = 0; node < nodes; ++node)
    hosts.push_back(create_host(grid, sites[grid.site_of(node)], "host" + std::to_string(node)));
  for (const Site& site : sites) site.zone->seal();
  for (std::size_t a = 0; a < sites.size(); ++a)
    for (std::size_t b = a + 1; b < sites.size(); ++b) connect(grid, root, sites[a], sites[b]);
  root->seal();
  return hosts;
}

}  // namespace conch::simgrid
