#include "register/chain.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "register/register.hpp"

namespace conch::file {

namespace {

constexpr const char* chain_name = "chain";
constexpr int attempts_max = 1000;

std::string in(const std::string& segment, std::uint64_t number) {
  return segment + "/view." + std::to_string(number);
}

/// Parses the number of the first view from a segment's name.
std::optional<std::uint64_t> first_in(std::string_view segment) {
  auto rest = after("views.", segment);
  if (!rest) return std::nullopt;
  return number_in(rest->substr(0, rest->find('.')));
}

using Segments = std::vector<std::pair<std::uint64_t, std::string>>;

Segments segments(const Directory& root) {
  Segments found;
  for (std::string& name : root.list().value_or(std::vector<std::string>{}))
    if (auto first = first_in(name)) found.emplace_back(*first, std::move(name));
  std::sort(found.begin(), found.end());
  return found;
}

ViewFile parsed(const std::string& bytes, std::uint64_t number, const std::string& path) {
  ViewFile file = view_file(bytes, path);
  if (file.view.number != number)
    throw RegisterError(path + " has view " + std::to_string(file.view.number) +
                        " in it, so it was renamed: restore its name");
  return file;
}

}  // namespace

Chain::Chain(const Directory& root, StagingDir& work, ChainFile terms, bool durable,
             CrashPoints steps)
    : root_(root),
      work_(work),
      terms_(std::move(terms)),
      durable_(durable),
      steps_(std::move(steps)) {
  if (!root_.exists(chain_name)) found();
  auto bytes = root_.read(chain_name, view_bytes_max);
  if (!bytes)
    throw RegisterError(root_.path(chain_name) +
                        " was removed; stop all peers and remove the rest of it");
  terms_ = chain_file(*bytes, root_.path(chain_name));
}

void Chain::found() {
  terms_.first_segment = new_segment(1);
  std::string file = work_.write(to_bytes(terms_), durable_);
  if (root_.link(file, chain_name) != Linked::done) root_.remove(terms_.first_segment);
  root_.remove(file);
  if (durable_) root_.make_durable();
}

std::string Chain::new_segment(std::uint64_t first) const {
  std::string name = "views." + std::to_string(first) + "." + unique_tag();
  root_.make_directory(name);
  if (durable_) root_.make_durable();
  return name;
}

const recovery::View& Chain::newest() {
  for (int attempt = 0; attempt < attempts_max; ++attempt) {
    if ((!segment_.empty() || jump()) && advance()) return see_newest();
    segment_.clear();
  }
  throw RegisterError(
      "the newest view is missing from " + root_.path() +
      "; files were removed: restore them, or stop all peers and remove the state directory");
}

const recovery::View& Chain::see_newest() {
  if (number_ < highest_)
    throw RegisterError("the newest view in " + root_.path() + " is " + std::to_string(number_) +
                        ", and was " + std::to_string(highest_) +
                        ": an older state was restored. Restart all peers");
  highest_ = number_;
  return newest_.view;
}

/// Moves to the newest segment that has views in it, or to the first segment. False if the segments
/// were removed while we looked.
bool Chain::jump() {
  Segments all = segments(root_);
  std::reverse(all.begin(), all.end());
  for (const auto& [first, name] : all) {
    if (!root_.exists(in(name, first))) continue;
    segment_ = name;
    number_ = first;
    return true;
  }
  segment_ = terms_.first_segment;
  number_ = 0;
  newest_ = {};
  return root_.exists(segment_);
}

/// Moves on to the newest view. If the folder for the next view still has its name afterwards, it
/// had it when we did not find that view there: at that time ours was the newest.
bool Chain::advance() {
  while (true) {
    if (is_full() && !load()) return false;
    if (!root_.exists(in(growing_segment(), number_ + 1))) break;
    segment_ = growing_segment();
    ++number_;
  }
  bool stands = number_ == 0 || root_.exists(in(segment_, number_));
  return stands && load() && root_.exists(growing_segment());
}

/// Callers act on a view they have seen, so a power failure must not lose it even if its proposer
/// has not yet written it to the device: its epoch would be used twice. The first view that this
/// process sees is an exception. Nobody acts on it: this process is on no roster before it has
/// proposed a view, and `append` also writes to the device what was there before.
bool Chain::load() {
  if (newest_.view.number == number_) return true;
  auto bytes = root_.read(in(segment_, number_), view_bytes_max);
  if (!bytes) return false;
  newest_ = parsed(*bytes, number_, root_.path(in(segment_, number_)));
  if (highest_ > 0) make_durable(segment_, number_);
  return true;
}

void Chain::make_durable(const std::string& segment, std::uint64_t number) {
  if (!durable_ || number <= durable_number_) return;
  steps_(CrashPoint::before_fsync);
  root_.make_durable(segment);
  durable_number_ = number;
}

Duration Chain::age() const {
  if (number_ == 0) return Duration::max();
  return root_.age(in(segment_, number_)).value_or(Duration::max());
}

std::optional<recovery::View> Chain::find(std::uint64_t number) const {
  if (number == 0) return std::nullopt;
  for (const auto& [first, name] : segments(root_)) {
    if (first != first_of(number)) continue;
    if (auto bytes = root_.read(in(name, number), view_bytes_max))
      return parsed(*bytes, number, root_.path(in(name, number))).view;
  }
  return std::nullopt;
}

bool Chain::append(const recovery::View& next) {
  ViewFile file{next, {}};
  bool is_last = next.number % terms_.segment_views == 0;
  if (is_last) file.next_segment = new_segment(next.number + 1);
  std::string bytes = to_bytes(file);
  if (bytes.size() > view_bytes_max)
    throw std::invalid_argument("a view of " + std::to_string(bytes.size()) +
                                " bytes is too large; at most " + std::to_string(view_bytes_max));
  std::string segment = growing_segment();
  std::string written = work_.write(bytes, durable_);
  steps_(CrashPoint::before_link);
  bool linked = root_.link(written, in(segment, next.number)) == Linked::done;
  steps_(CrashPoint::after_link);
  root_.remove(written);
  if (!linked && is_last) root_.remove(file.next_segment);
  if (linked) {
    if (segment != segment_) make_durable(segment_, number_);
    make_durable(segment, next.number);
  }
  // A link that began before the segment lost its name may complete after that. If the segment has
  // its name now, it had it then.
  return linked && root_.exists(segment);
}

void Chain::prune() {
  if (newest().number == 0) return;
  std::uint64_t current = first_of(number_);
  for (const auto& [first, name] : segments(root_)) {
    bool is_previous = first + terms_.segment_views == current;
    bool may_come = first > number_;
    if (name != segment_ && !is_previous && !may_come) work_.discard(name);
  }
}

}  // namespace conch::file
