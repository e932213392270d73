#include "sim/community.hpp"

#include <array>
#include <utility>

#include "overlay/chord.hpp"
#include "overlay/end_to_end.hpp"
#include "overlay/non_end_to_end.hpp"
#include "overlay/pastry.hpp"
#include "overlay/routed.hpp"
#include "overlay/sigma.hpp"
#include "sim/community_world.hpp"

namespace conch::sim {

using namespace std::chrono_literals;

namespace {

constexpr auto rules = std::to_array<std::pair<std::string_view, Without>>({
    {"vote-generation", Without::vote_generation},
    {"kept-lock", Without::kept_lock},
    {"told-holder", Without::told_holder},
    {"late-enqueue", Without::late_enqueue},
    {"least-generation", Without::least_generation},
    {"vote-version", Without::vote_version},
    {"patience", Without::patience},
    {"token-once", Without::token_once},
    {"pass-through", Without::pass_through},
    {"bounce", Without::bounce},
    {"early-enqueue", Without::early_enqueue},
    {"retry-generation", Without::retry_generation},
    {"bounce-guard", Without::bounce_guard},
    {"overridden", Without::overridden},
    {"sent-token", Without::sent_token},
    {"vote-life", Without::vote_life},
    {"release-route", Without::release_route},
    {"forced-request", Without::forced_request},
    {"voted-release", Without::voted_release},
    {"quarantine", Without::quarantine},
    {"lease", Without::lease},
    {"back-off", Without::back_off},
    {"majority", Without::majority},
    {"stored-fence", Without::stored_fence},
    {"self-fence", Without::self_fence},
    {"recall", Without::recall},
    {"named-holder", Without::named_holder},
});

}  // namespace

Without parse_rule(std::string_view name) {
  std::string names;
  for (auto [each, rule] : rules) {
    if (name == each) return rule;
    names += (names.empty() ? "" : ", ") + std::string(each);
  }
  throw BadText("\"" + std::string(name) + "\" is none of " + names);
}

CommunityOptions CommunityOptions::of(const std::string& protocol, const std::string& weather) {
  CommunityOptions options;
  options.protocol = protocol;
  options.tuning.replication.name = overlay::hash_of_name("conch");
  options.tuning.replication.round_trip = 60ms;
  options.tuning.replication.section = 30ms;
  if (weather == "calm") {
    options.duplicate = 0.1;
  } else if (weather == "crowded") {
    options.duplicate = 0.3;
    options.latency = Distribution::exponential(20ms);
    options.burst = 10ms;
    options.cancel = 0;
    options.tuning.replication.section = 5ms;
  } else if (weather == "lossy") {
    options.tuning.replication.lease = 1s;
    options.lose = 0.05;
    options.duplicate = 0.1;
  } else if (weather == "stormy") {
    options.tuning.replication.lease = 1s;
    options.lose = 0.02;
    options.duplicate = 0.05;
    options.drift = 0.05;
    options.dwell = 0.2;
    options.mishaps = {.crashes = 4, .pauses = 3, .suspicions = 2, .partitions = 1, .joins = 3};
  } else if (weather == "shaky") {
    options.tuning.replication.lease = 1s;
    options.lose = 0.1;
    options.dwell = 0.7;
    options.mishaps.resets = 12;
  } else if (weather == "wary") {
    options.tuning.replication.lease = 1s;
    options.tuning.replication.section = 60ms;
    options.mishaps.suspicions = 60;
  } else if (weather == "dead") {
    options.tuning.replication.lease = 1s;
    options.mishaps.dead = true;
  } else if (weather == "parted") {
    options.tuning.replication.lease = 1s;
    options.requests = 30;
    options.dwell = 1;
    options.cancel = 0;
    options.mishaps.apart = 10s;
  } else {
    throw BadText("the weather is calm, crowded, lossy, stormy, shaky, wary, dead or parted, not " +
                  weather);
  }
  return options;
}

namespace {

template <class P>
CommunityResult run(const CommunityOptions& options) {
  if (options.overlay == "perfect-pastry" || options.overlay == "perfect-chord")
    return Community<P>(options).run();
  if (options.overlay == "pastry")
    return Community<overlay::Routed<P, overlay::Pastry>>(options).run();
  if (options.overlay == "chord")
    return Community<overlay::Routed<P, overlay::Chord>>(options).run();
  throw BadText("an overlay is pastry, chord, perfect-pastry or perfect-chord, not " +
                options.overlay);
}

}  // namespace

void CommunityResult::add(const CommunityResult& other) {
  asked += other.asked;
  granted += other.granted;
  cancelled += other.cancelled;
  crashed += other.crashed;
  lost += other.lost;
  outlived += other.outlived;
  expired += other.expired;
  unreachable += other.unreachable;
  messages += other.messages;
  for (const auto& [kind, count] : other.kinds) kinds[kind] += count;
  length += other.length;
}

std::vector<std::uint64_t> places_of(const CommunityOptions& options) {
  Random random(options.seed, 1);
  return draw_places(options, random);
}

CommunityResult run_community(const CommunityOptions& options) {
  if (options.protocol == "sigma") return run<overlay::Sigma>(options);
  if (options.protocol == "end-to-end") return run<overlay::EndToEnd>(options);
  if (options.protocol == "non-end-to-end") return run<overlay::NonEndToEnd>(options);
  throw BadText("no protocol over an overlay is called " + options.protocol);
}

}  // namespace conch::sim
