#include "core/grouping.hpp"

#include <algorithm>
#include <set>

namespace conch {

void RoundTrips::measured(NodeId a, NodeId b, Duration time) {
  CONCH_EXPECT(a != b, "a round trip is between two peers");
  Recent& recent = pairs_[std::minmax(a, b)];
  recent.times[recent.count++ % recent.times.size()] = time;
}

void RoundTrips::forget(NodeId peer) {
  std::erase_if(pairs_, [&](const auto& entry) {
    return entry.first.first == peer || entry.first.second == peer;
  });
}

std::optional<Duration> RoundTrips::between(NodeId a, NodeId b) const {
  auto found = pairs_.find(std::minmax(a, b));
  if (found == pairs_.end()) return {};
  std::array<Duration, 5> times = found->second.times;
  std::size_t count = std::min(found->second.count, times.size());
  auto middle = times.begin() + static_cast<std::ptrdiff_t>((count - 1) / 2);
  std::nth_element(times.begin(), middle, times.begin() + static_cast<std::ptrdiff_t>(count));
  return *middle;
}

namespace {

constexpr double distinct_if_new = 3;
constexpr double distinct_if_kept = 1.5;
constexpr Duration negligible = std::chrono::microseconds(500);

/// The positions of its members in the list of peers, in order.
using Set = std::vector<std::size_t>;

/// The mean of the known values, if there are any.
struct Mean {
  double sum = 0;
  double count = 0;

  void add(const Mean& other) { sum += other.sum, count += other.count; }
  bool known() const { return count > 0; }
  double value() const { return sum / count; }
};

class Distances {
 public:
  Distances(const std::vector<NodeId>& peers, const RoundTrips& trips)
      : size_(peers.size()), means_(size_ * size_) {
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (std::optional<Duration> time = trips.between(peers[i], peers[j]))
          at(i, j) = at(j, i) = {static_cast<double>(std::max(*time, negligible).count()), 1};
  }
  std::size_t size() const { return size_; }
  Mean& at(std::size_t i, std::size_t j) { return means_[i * size_ + j]; }
  const Mean& at(std::size_t i, std::size_t j) const { return means_[i * size_ + j]; }

 private:
  std::size_t size_;
  std::vector<Mean> means_;
};

/// The clusters that the earlier labels make of these peers, and the peers that had a label.
class Past {
 public:
  Past(const std::vector<NodeId>& peers, const Labels& labels) {
    std::map<std::string, Set> by_label;
    for (std::size_t i = 0; i < peers.size(); ++i) {
      auto found = labels.find(peers[i]);
      if (found == labels.end()) continue;
      known_.push_back(i);
      const std::string& label = found->second;
      for (std::size_t end = label.find('/');; end = label.find('/', end + 1)) {
        by_label[label.substr(0, end)].push_back(i);
        if (end == label.npos) break;
      }
    }
    for (auto& [label, set] : by_label) clusters_.insert(std::move(set));
  }
  const std::set<Set>& clusters() const { return clusters_; }
  /// Whether the set, without newcomers, was a cluster.
  bool had(const Set& set) const {
    Set old;
    std::set_intersection(set.begin(), set.end(), known_.begin(), known_.end(),
                          std::back_inserter(old));
    return old.size() > 1 && clusters_.contains(old);
  }

 private:
  Set known_;
  std::set<Set> clusters_;
};

/// The round trip within which a member reaches three quarters of the others that it was measured
/// with, so that neither its nearest peers nor one bad line decides. Empty if there are none.
std::optional<double> reach(std::size_t member, const Set& set, const Distances& distances) {
  std::vector<double> known;
  for (std::size_t other : set)
    if (distances.at(member, other).known()) known.push_back(distances.at(member, other).value());
  if (known.empty()) return {};
  auto place = known.begin() + static_cast<std::ptrdiff_t>((3 * known.size() + 3) / 4 - 1);
  std::nth_element(known.begin(), place, known.end());
  return *place;
}

std::optional<double> mean_distance(std::size_t peer, const Set& set, const Distances& distances) {
  Mean mean;
  for (std::size_t member : set) mean.add(distances.at(peer, member));
  if (!mean.known()) return {};
  return mean.value();
}

/// Empty if no peer outside was measured to the set, or, for a new set, if one was not: a peer that
/// was not measured may be as near as the members.
std::optional<double> distinctness(const Set& set, const Distances& distances, bool kept) {
  double within = static_cast<double>(negligible.count());
  for (std::size_t member : set)
    within = std::max(within, reach(member, set, distances).value_or(within));
  std::optional<double> beyond;
  for (std::size_t peer = 0; peer < distances.size(); ++peer) {
    if (std::binary_search(set.begin(), set.end(), peer)) continue;
    std::optional<double> distance = mean_distance(peer, set, distances);
    if (!distance && !kept) return {};
    if (distance) beyond = std::min(beyond.value_or(*distance), *distance);
  }
  if (!beyond) return {};
  return *beyond / within;
}

/// Agglomeration by mean distances (average linkage) along chains of nearest neighbours, in time
/// quadratic in the number of peers. It finds each set on the way whose members are nearer to one
/// another than to the set that it is joined with.
class Agglomeration {
 public:
  explicit Agglomeration(Distances distances) : distances_(std::move(distances)) {
    for (std::size_t i = 0; i < distances_.size(); ++i) {
      nodes_.push_back({{i}, static_cast<double>(negligible.count())});
      active_.push_back(i);
    }
  }
  std::vector<Set> run() {
    while (!active_.empty()) {
      if (chain_.empty()) chain_.push_back(active_.front());
      std::optional<std::size_t> nearest = nearest_to(chain_.back());
      if (!nearest) {
        retire(chain_.back());  // no peer is left that was measured with it
        chain_.clear();
      } else if (chain_.size() > 1 && *nearest == chain_[chain_.size() - 2]) {
        join(chain_.back(), *nearest);
        chain_.resize(chain_.size() - 2);
      } else {
        chain_.push_back(*nearest);
      }
    }
    return std::move(found_);
  }

 private:
  struct Node {
    Set members;
    double height = 0;
  };

  /// On a tie, takes the one before it in the chain: otherwise the chain might run in a circle.
  std::optional<std::size_t> nearest_to(std::size_t node) const {
    std::optional<std::size_t> nearest;
    if (chain_.size() > 1) nearest = chain_[chain_.size() - 2];
    for (std::size_t other : active_) {
      const Mean& mean = distances_.at(node, other);
      if (other == node || !mean.known()) continue;
      if (!nearest || mean.value() < distances_.at(node, *nearest).value()) nearest = other;
    }
    return nearest;
  }
  void retire(std::size_t node) { active_.erase(std::find(active_.begin(), active_.end(), node)); }

  void join(std::size_t a, std::size_t b) {
    double height = distances_.at(a, b).value();
    for (std::size_t joined : {a, b}) {
      const Node& node = nodes_[joined];
      bool apart = height >= distinct_if_kept * node.height;
      if (node.members.size() > 1 && apart) found_.push_back(node.members);
    }
    Set members;
    std::merge(nodes_[a].members.begin(), nodes_[a].members.end(), nodes_[b].members.begin(),
               nodes_[b].members.end(), std::back_inserter(members));
    nodes_[a] = {std::move(members), std::max(height, static_cast<double>(negligible.count()))};
    retire(b);
    for (std::size_t other : active_) {
      distances_.at(a, other).add(distances_.at(b, other));
      distances_.at(other, a) = distances_.at(a, other);
    }
  }

  Distances distances_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> active_;
  std::vector<std::size_t> chain_;
  std::vector<Set> found_;
};

struct CandidateCluster {
  Set set;
  bool kept = false;
  double distinctness = 0;
};

/// Whether one lies in the other, or they have no common member.
bool compatible(const Set& a, const Set& b) {
  Set common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return common.empty() || common.size() == std::min(a.size(), b.size());
}

std::vector<CandidateCluster> candidates(const Distances& distances, const Past& past) {
  std::set<Set> sets = past.clusters();
  for (Set& set : Agglomeration(distances).run()) sets.insert(std::move(set));
  std::vector<CandidateCluster> result;
  for (const Set& set : sets) {
    if (set.size() < 2 || set.size() == distances.size()) continue;
    bool kept = past.had(set);
    std::optional<double> distinct = distinctness(set, distances, kept);
    if (!distinct && kept) distinct = distinct_if_kept;
    if (distinct >= (kept ? distinct_if_kept : distinct_if_new))
      result.push_back({set, kept, *distinct});
  }
  return result;
}

/// Where two overlap, keeps the one that existed before, else the more distinct one. The result
/// begins with the widest.
std::vector<Set> choose(std::vector<CandidateCluster> candidates) {
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    return std::pair(a.kept, a.distinctness) > std::pair(b.kept, b.distinctness);
  });
  std::vector<Set> chosen;
  for (const CandidateCluster& candidate : candidates)
    if (std::all_of(chosen.begin(), chosen.end(),
                    [&](const Set& set) { return compatible(set, candidate.set); }))
      chosen.push_back(candidate.set);
  std::sort(chosen.begin(), chosen.end(),
            [](const Set& a, const Set& b) { return a.size() > b.size(); });
  return chosen;
}

}  // namespace

Labels group_by_round_trips(std::vector<NodeId> peers, const RoundTrips& trips,
                            const Labels& before) {
  std::sort(peers.begin(), peers.end());
  peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  std::vector<Set> clusters = choose(candidates(Distances(peers, trips), Past(peers, before)));
  std::vector<std::string> labels(peers.size());
  std::vector<bool> alone(peers.size(), !clusters.empty());
  auto append = [&](std::size_t peer, std::size_t name) {
    if (!labels[peer].empty()) labels[peer] += '/';
    labels[peer] += std::to_string(peers[name].value);
  };
  for (auto each = clusters.begin(); each != clusters.end(); ++each) {
    bool has_others_in_it = std::any_of(each + 1, clusters.end(), [&](const Set& narrower) {
      return std::includes(each->begin(), each->end(), narrower.begin(), narrower.end());
    });
    for (std::size_t peer : *each) {
      append(peer, each->front());
      alone[peer] = has_others_in_it;
    }
  }
  Labels result;
  for (std::size_t peer = 0; peer < peers.size() && !clusters.empty(); ++peer) {
    if (alone[peer]) append(peer, peer);
    result[peers[peer]] = labels[peer];
  }
  return result;
}

}  // namespace conch
