#include "cli/holders.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <conch/error.hpp>
#include <vector>

namespace conch::cli {

using namespace node;
using namespace peer;

namespace {

constexpr std::chrono::milliseconds first_look_after{200};
constexpr std::chrono::seconds look_period{1};
/// How much later than the members the peer may answer. Only a stopped peer takes longer.
constexpr std::chrono::milliseconds peer_answer_delay_max{200};
/// How many holders of a shared lock are named.
constexpr std::size_t named_max = 3;
/// This many digits of an id distinguish the members of a group.
constexpr std::size_t id_digits = 6;

std::string with_commas(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

/// Describes a holder, with or without how long it has held the lock.
std::string holder_text(const ClaimsPart& part, const ProcessPart& process, const ClaimPart& claim,
                        bool with_age) {
  std::vector<std::string> about;
  if (process.process != 0) about.push_back(fmt::format("pid {}", process.process));
  if (!process.command.empty()) about.push_back(process.command);
  if (claim.reads) about.emplace_back("shared");
  if (with_age) about.push_back("for " + age_text(claim.since));
  return fmt::format("{}{} ({})", id_text(part.life.id).substr(0, id_digits),
                     part.host.empty() ? "" : " on " + part.host, with_commas(about));
}

std::vector<std::string> holders_in(const Claims& claims, const std::string& lock, bool with_age) {
  std::vector<std::string> found;
  for (const ClaimsPart& part : claims.parts)
    for (const ProcessPart& process : part.processes)
      for (const ClaimPart& claim : process.claims)
        if (claim.holds && claim.lock == lock)
          found.push_back(holder_text(part, process, claim, with_age));
  return found;
}

std::string joined(std::vector<std::string> holders) {
  std::size_t more = holders.size() > named_max ? holders.size() - named_max : 0;
  holders.resize(holders.size() - more);
  return with_commas(holders) + (more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace

std::string holders_text(const Claims& claims, const std::string& lock) {
  return joined(holders_in(claims, lock, true));
}

std::string why_not_free(const Claims& claims, const std::string& lock) {
  std::string holders = holders_text(claims, lock);
  if (!holders.empty()) return "it is held by " + holders;
  if (claims.silent.empty()) return std::string(not_free) + "; nobody holds it now";
  return fmt::format("{}; its holder is unknown: {} of the members did not answer", not_free,
                     claims.silent.size());
}

std::string why_not_free(PeerLine& line, const std::string& lock) try {
  if (!line.knows_claims()) return std::string(not_free);
  line.send(AskClaims{lock, holders_patience});
  auto reply = line.receive(net::steady_now() + holders_patience + peer_answer_delay_max);
  if (const auto* claims = reply ? std::get_if<Claims>(&*reply) : nullptr)
    return why_not_free(*claims, lock);
  return std::string(not_free) + "; its holder is unknown: the peer does not answer";
} catch (const Error& error) {
  return fmt::format("{}; its holder is unknown: {}", not_free, error.what());
}

std::string user_text(std::uint32_t user, const std::string& host) {
  std::array<char, HOST_NAME_MAX + 1> here{};
  bool is_here = ::gethostname(here.data(), here.size() - 1) == 0 && host == here.data();
  std::array<char, 4096> bytes{};
  passwd entry{};
  passwd* found = nullptr;
  if (is_here) ::getpwuid_r(user, &entry, bytes.data(), bytes.size(), &found);
  return found ? found->pw_name : std::to_string(user);
}

std::string age_text(Duration age) {
  double seconds = seconds_of(age);
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  if (seconds < 600) return fmt::format("{:.0f} s", seconds);
  if (seconds < 36000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.0f} h", seconds / 3600);
}

HolderWatch::HolderWatch(std::string lock, std::function<std::optional<PeerLine>()> connect,
                         std::function<void(std::string_view line)> log)
    : lock_(std::move(lock)), connect_(std::move(connect)), log_(std::move(log)) {
  if (log_) due_ = Clock::now() + first_look_after;
}

/// After an error it does not ask again.
void HolderWatch::look() try {
  if (asked_) hear();
  if (!asked_ && due_ && *due_ <= Clock::now()) ask();
} catch (const Error& error) {
  log_(fmt::format("the holder of {} is unknown: {}", lock_, error.what()));
  asked_ = false;
  due_.reset();
}

void HolderWatch::hear() {
  std::optional<ClientReply> reply = line_->receive(net::steady_now());
  if (!reply) return;
  asked_ = false;
  const auto* claims = std::get_if<Claims>(&*reply);
  if (!claims) return;
  std::string now = joined(holders_in(*claims, lock_, false));
  if (now != named_ && !now.empty())
    log_(fmt::format("waiting for {}, held by {}", lock_, holders_text(*claims, lock_)));
  named_ = std::move(now);
}

void HolderWatch::ask() {
  due_.reset();
  if (!line_) line_ = connect_();
  if (!line_ || !line_->knows_claims()) return;
  line_->send(AskClaims{lock_, holders_patience});
  asked_ = true;
  due_ = Clock::now() + look_period;
}

}  // namespace conch::cli
