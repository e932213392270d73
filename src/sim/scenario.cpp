#include "sim/scenario.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "overlay/fixed_ring.hpp"
#include "overlay/replicas.hpp"
#include "sim/distribution.hpp"
#include "sim/line_diff.hpp"
#include "sim/options.hpp"
#include "sim/protocol_rules.hpp"
#include "sim/scripted_world.hpp"

namespace conch::sim {

namespace {

constexpr std::string_view separator = "----";
/// A comma only separates the nodes of a partition's side.
constexpr std::string_view blanks = " \t\r,";
constexpr std::size_t quoted_max = 40;

std::string quoted(std::string_view text) {
  bool long_text = text.size() > quoted_max;
  return '"' + std::string(text.substr(0, quoted_max)) + (long_text ? "..." : "") + '"';
}

/// The arguments do not have the form that the verb's usage shows.
struct BadForm {};

/// The words after the verb, taken from left to right.
class Arguments {
 public:
  /// `->` and `|` are words of their own.
  explicit Arguments(std::string_view text) : text_(text) {}

  bool empty() {
    skip_blanks();
    return text_.empty();
  }
  std::string_view word() {
    skip_blanks();
    std::string_view found = text_.substr(0, length());
    if (found.empty()) throw BadForm{};
    text_.remove_prefix(found.size());
    return found;
  }
  /// Takes the word if it is the next one.
  bool take(std::string_view expected) {
    Arguments ahead = *this;
    if (ahead.empty() || ahead.word() != expected) return false;
    *this = ahead;
    return true;
  }
  bool at_number() {
    skip_blanks();
    return !text_.empty() && text_[0] >= '0' && text_[0] <= '9';
  }
  std::uint64_t number() { return number(word()); }
  /// `10..20`, as it is printed.
  Range range() {
    std::string_view text = word();
    auto dots = text.find("..");
    if (dots == std::string_view::npos) throw BadForm{};
    Range range{number(text.substr(0, dots)), number(text.substr(dots + 2))};
    if (!range.valid()) throw BadText("nothing is in the range " + std::string(text));
    return range;
  }
  static std::uint64_t number(std::string_view digits) {
    std::uint64_t value = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size())
      throw BadText(quoted(digits) + " is not a number");
    return value;
  }
  Node node() {
    std::uint64_t value = number();
    if (value > std::numeric_limits<Node>::max())
      throw BadText("there is no node " + std::to_string(value));
    return static_cast<Node>(value);
  }
  void finish() {
    if (!empty()) throw BadForm{};
  }

 private:
  void skip_blanks() {
    text_.remove_prefix(std::min(text_.find_first_not_of(blanks), text_.size()));
  }
  std::size_t length() const {
    if (text_.starts_with("->")) return 2;
    if (text_.starts_with("|")) return 1;
    return std::min({text_.find_first_of(blanks), text_.find('|'), text_.find("->"), text_.size()});
  }

  std::string_view text_;
};

// The verbs. Each reads all its arguments before it does anything.

VotingSetShape read_voting(Arguments& arguments) {
  if (arguments.take("grid")) return VotingSetShape::grid;
  if (arguments.take("plane")) return VotingSetShape::plane;
  throw BadForm{};
}

unsigned read_order(Arguments& arguments) {
  std::uint64_t order = arguments.number();
  if (order < 2 || order > 8) throw BadText("a tree's nodes have at most 2 to 8 children");
  return static_cast<unsigned>(order);
}

void expect_routed(std::string_view option, const ScriptedWorld::Group& group) {
  if (!find_any(group.algorithm).can.routed)
    throw BadText(std::string(option) + ": " + std::string(group.algorithm) +
                  " does not run over an overlay");
}

unsigned read_replicas(Arguments& arguments, const ScriptedWorld::Group& group) {
  std::uint64_t replicas = arguments.number();
  unsigned most = std::min(group.nodes, overlay::Replicas::most_leased);
  if (replicas < 1 || replicas > most)
    throw BadText("a lock of this many nodes has 1 to " + std::to_string(most) + " replicas");
  expect_routed("replicas", group);
  return static_cast<unsigned>(replicas);
}

const Policy* read_rule(Arguments& arguments, const ScriptedWorld::Group& group) {
  expect_routed("without", group);
  return policy_without(arguments.word());
}

Underlay read_underlay(Arguments& arguments, const ScriptedWorld::Group& group) {
  if (!arguments.take("pastry")) throw BadForm{};
  expect_routed("over", group);
  return Underlay::pastry;
}

std::vector<NodeId> read_ids(Arguments& arguments, const ScriptedWorld::Group& group) {
  std::vector<NodeId> ids;
  while (arguments.at_number()) ids.push_back(id_of(arguments.node()));
  if (ids.size() != group.nodes || Members(ids).size() != ids.size())
    throw BadText("ids: name " + std::to_string(group.nodes) + " different nodes");
  if (Members(ids)[ids.size() - 1].value > ScriptedWorld::nodes_max)
    throw BadText("ids are numbers up to " + std::to_string(ScriptedWorld::nodes_max));
  if (find_any(group.algorithm).can.routed)
    throw BadText("ids: an overlay in a scenario has the nodes 0 to " +
                  std::to_string(group.nodes - 1));
  return ids;
}

std::vector<Node> read_clusters(Arguments& arguments, const ScriptedWorld::Group& group) {
  std::vector<Node> sizes;
  std::uint64_t nodes = 0;
  while (arguments.at_number()) nodes += sizes.emplace_back(arguments.node());
  if (nodes != group.nodes)
    throw BadText("clusters: they have " + std::to_string(nodes) + " nodes, not " +
                  std::to_string(group.nodes));
  return sizes;
}

ScriptedWorld::Group read_group(Arguments& arguments) {
  ScriptedWorld::Group group;
  std::optional<Node> home;
  std::optional<unsigned> replicas;
  group.nodes = arguments.node();
  if (group.nodes < 1 || group.nodes > ScriptedWorld::nodes_max)
    throw BadText("a group has 1 to " + std::to_string(ScriptedWorld::nodes_max) + " nodes");
  group.algorithm = arguments.word();
  while (!arguments.empty()) {
    if (arguments.take("home")) {
      home = arguments.node();
    } else if (arguments.take("voting")) {
      group.tuning.voting = read_voting(arguments);
    } else if (arguments.take("order")) {
      group.tuning.order = read_order(arguments);
    } else if (arguments.take("lazy")) {
      group.tuning.balance = Balance::lazy;
    } else if (arguments.take("eps")) {
      group.tuning.eps = static_cast<unsigned>(arguments.number());
    } else if (arguments.take("replicas")) {
      replicas = read_replicas(arguments, group);
    } else if (arguments.take("over")) {
      group.underlay = read_underlay(arguments, group);
    } else if (arguments.take("without")) {
      group.tuning.policy = read_rule(arguments, group);
    } else if (arguments.take("clusters")) {
      group.clusters = read_clusters(arguments, group);
    } else if (arguments.take("sites")) {
      while (arguments.at_number()) group.sites.push_back(arguments.node());
    } else if (arguments.take("ids")) {
      group.ids = read_ids(arguments, group);
    } else {
      throw BadForm{};
    }
  }
  Members members = ScriptedWorld::members_of(group);
  group.home = home.value_or(node_of(members[0]));
  if (!members.contains(id_of(group.home)))
    throw BadText("there is no node " + std::to_string(group.home) + " to be the home");
  if (!group.ids.empty() && !group.clusters.empty())
    throw BadText("clusters are of the nodes 0 to " + std::to_string(group.nodes - 1) +
                  ", without ids");
  if (group.underlay == Underlay::pastry && replicas.value_or(1) != 1)
    throw BadText("over pastry, a lock of a scenario has one replica, at its home");
  group.tuning.replication.replicas = replicas.value_or(group.tuning.replication.replicas);
  validate_sites(group.clusters, group.sites);
  return group;
}

ScriptedWorld::Which read_which(Arguments& arguments) {
  Node from = arguments.node();
  if (!arguments.take("->")) throw BadForm{};
  Node to = arguments.node();
  std::string_view kind = arguments.empty() ? std::string_view() : arguments.word();
  arguments.finish();
  return {std::pair{from, to}, kind};
}

FlatSet<Node> read_side(Arguments& arguments) {
  FlatSet<Node> side;
  do {
    side.insert(arguments.node());
  } while (arguments.at_number());
  return side;
}

Node only_node(Arguments& arguments) {
  Node node = arguments.node();
  arguments.finish();
  return node;
}

std::pair<Node, Node> two_nodes(Arguments& arguments) {
  Node first = arguments.node();
  return {first, only_node(arguments)};
}

void request(ScriptedWorld& world, Arguments& arguments) {
  Node node = arguments.node();
  Wish wish;
  if (arguments.take("read")) {
    wish.mode = Mode::read;
  } else {
    arguments.take("write");
  }
  if (!arguments.empty()) wish.range = arguments.range();
  arguments.finish();
  world.request(node, wish);
}

void deliver(ScriptedWorld& world, Arguments& arguments) {
  world.deliver(arguments.empty() ? ScriptedWorld::Which{} : read_which(arguments));
}

void observe(ScriptedWorld& world, Arguments& arguments) {
  Node node = arguments.node();
  Stamp stamp{arguments.number()};
  arguments.finish();
  if (stamp.value > std::uint64_t{1} << 62) throw BadText("the stamp is too large");
  world.observe(node, stamp);
}

void clock(ScriptedWorld& world, Arguments& arguments) {
  constexpr std::uint64_t seconds_max = 1'000'000'000;
  std::uint64_t seconds = arguments.number();
  arguments.finish();
  if (seconds > seconds_max) throw BadText("a clock shows at most 1000000000 s");
  world.tell_time(std::chrono::seconds(seconds));
}

void timer(ScriptedWorld& world, Arguments& arguments) {
  Node node = arguments.node();
  std::uint64_t number = arguments.number();
  arguments.finish();
  if (number > 255) throw BadText("timers are numbered up to 255");
  world.timer(node, TimerId{static_cast<std::uint8_t>(number)});
}

void settle(ScriptedWorld& world, Arguments& arguments) {
  std::optional<std::size_t> deliveries;
  if (!arguments.empty()) deliveries = arguments.number();
  arguments.finish();
  world.settle(deliveries);
}

void partition(ScriptedWorld& world, Arguments& arguments) {
  FlatSet<Node> left = read_side(arguments);
  if (!arguments.take("|")) throw BadForm{};
  FlatSet<Node> right = read_side(arguments);
  arguments.finish();
  world.partition({left, right});
}

void state(ScriptedWorld& world, Arguments& arguments) {
  std::optional<Node> node;
  if (arguments.at_number()) node = arguments.node();
  std::vector<std::string_view> fields;
  while (!arguments.empty()) fields.push_back(arguments.word());
  world.show_state(node, fields);
}

template <auto member>
void on_one(ScriptedWorld& world, Arguments& arguments) {
  (world.*member)(only_node(arguments));
}
template <auto member>
void on_two(ScriptedWorld& world, Arguments& arguments) {
  auto [first, second] = two_nodes(arguments);
  (world.*member)(first, second);
}
template <auto member>
void on_message(ScriptedWorld& world, Arguments& arguments) {
  (world.*member)(read_which(arguments));
}
template <auto member>
void on_all(ScriptedWorld& world, Arguments& arguments) {
  arguments.finish();
  (world.*member)();
}

using W = ScriptedWorld;

struct Performance {
  Verb verb;
  /// Null for `nodes`, which makes the world that the others act on.
  void (*act)(ScriptedWorld&, Arguments&);
};

constexpr std::array performances = std::to_array<Performance>({
    {{"nodes",
      "nodes N ALGORITHM [home H] [voting grid|plane] [order M] [lazy] [eps E] [replicas R] "
      "[over pastry] [without RULE] [clusters A B ...] [sites A B ...] [ids A B ...]"},
     nullptr},
    {{"request", "request N [read|write] [A..B]"}, request},
    {{"release", "release N"}, on_one<&W::release>},
    {{"cancel", "cancel N"}, on_one<&W::cancel>},
    {{"elect", "elect N"}, on_one<&W::elect>},
    {{"retire", "retire N"}, on_one<&W::retire>},
    {{"restart", "restart N"}, on_one<&W::restart>},
    {{"timer", "timer N TIMER"}, timer},
    {{"tell", "tell A B"}, on_two<&W::tell>},
    {{"observe", "observe N STAMP"}, observe},
    {{"clock", "clock SECONDS"}, clock},
    {{"deliver", "deliver [FROM -> TO [KIND]]"}, deliver},
    {{"drop", "drop FROM -> TO [KIND]"}, on_message<&W::drop>},
    {{"duplicate", "duplicate FROM -> TO [KIND]"}, on_message<&W::duplicate>},
    {{"settle", "settle [COUNT]"}, settle},
    {{"crash", "crash N"}, on_one<&W::crash>},
    {{"recover", "recover"}, on_all<&W::recover>},
    {{"suspect", "suspect WATCHER N"}, on_two<&W::suspect>},
    {{"partition", "partition A,B | C,D"}, partition},
    {{"heal", "heal"}, on_all<&W::heal>},
    {{"join", "join N CONTACT"}, on_two<&W::join>},
    {{"leave", "leave N"}, on_one<&W::leave>},
    {{"state", "state [N] [FIELD...]"}, state},
    {{"inflight", "inflight"}, on_all<&W::show_in_flight>},
    {{"check", "check"}, on_all<&W::check>},
});

constexpr auto verb_list = [] {
  std::array<Verb, performances.size()> list;
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = performances[i].verb;
  return list;
}();

const Performance& find_verb(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Performance& performance : performances) {
    if (performance.verb.name == name) return performance;
    names.push_back(performance.verb.name);
  }
  std::string message = "unknown verb " + quoted(name);
  std::string_view suggestion = nearest(name.substr(0, quoted_max), names);
  if (!suggestion.empty()) message += "; did you mean " + quoted(suggestion) + "?";
  throw BadText(message);
}

/// The places of an overlay's nodes on its ring.
std::vector<std::uint64_t> places(const ScriptedWorld::Group& group) {
  std::vector<std::uint64_t> ring;
  if (!find_any(group.algorithm).can.routed) return ring;
  for (Node node = 0; node < group.nodes; ++node)
    ring.push_back(overlay::FixedRing::name_at(node, group.nodes));  // so that they can be seen
  return ring;
}

/// Copies a script line by line, with its outputs replaced and without blanks at the ends of lines.
class Rewriter {
 public:
  void add(std::string_view line) {
    line.remove_suffix(line.size() - (line.find_last_not_of(" \t\r") + 1));
    bool blank = line.empty();
    bool comment = line.starts_with('#');
    if (part_ == Part::output && !blank && !comment) return;
    if (part_ == Part::output) part_ = Part::between;
    if (line == separator) return close(Part::output);
    if (blank && part_ == Part::commands) close(Part::between);
    text_ += std::string(line) + '\n';
    if (blank || comment) return;
    part_ = Part::commands;
    output_ += scenario_.run(line);
  }
  std::string finish() {
    if (part_ == Part::commands) close(Part::between);
    return std::move(text_);
  }

 private:
  enum class Part : std::uint8_t { between, commands, output };

  void close(Part next) {
    text_ += std::string(separator) + '\n' + std::exchange(output_, {});
    part_ = next;
  }

  Scenario scenario_;
  Part part_ = Part::between;
  std::string text_;
  std::string output_;
};

}  // namespace

std::span<const Verb> verbs() { return verb_list; }

std::string Scenario::run(std::string_view command) {
  try {
    perform(command);
  } catch (const std::invalid_argument& error) {
    out_ += std::string("error: ") + error.what() + '\n';
  }
  if (world_) world_->conclude();
  return std::exchange(out_, {});
}

void Scenario::perform(std::string_view command) {
  Arguments arguments(command);
  const Performance& found = find_verb(arguments.empty() ? "" : arguments.word());
  try {
    if (found.act == nullptr) {
      ScriptedWorld::Group group = read_group(arguments);
      FilmSink* film = begin_film(group.algorithm, {group.clusters, group.sites, places(group)});
      try {
        world_ = std::make_unique<ScriptedWorld>(group, out_, film);
      } catch (const std::invalid_argument&) {  // The old group stays.
        if (film != nullptr) films_.pop_back();
        throw;
      }
    } else if (world_) {
      put_captions();
      found.act(*world_, arguments);
    } else {
      throw BadText("there are no nodes yet; begin with nodes N ALGORITHM");
    }
  } catch (const BadForm&) {
    throw BadText("usage: " + std::string(found.verb.usage));
  }
}

std::string replay(std::string_view script) {
  Rewriter rewriter;
  for (std::string_view line : lines_of(script)) rewriter.add(line);
  return rewriter.finish();
}

bool breaks_safety(std::string_view expected, std::string_view actual) {
  const std::string violation = "VIOLATION ";
  for (const DiffLine& line : diff_lines(expected, actual))
    if (line.side == DiffLine::Side::actual && line.text.starts_with(violation))
      return !line.text.starts_with(violation + std::string(word(Property::progress))) &&
             !line.text.starts_with(violation + std::string(word(Property::all_elect)));
  return false;
}

}  // namespace conch::sim
