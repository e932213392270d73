#include "chaos/checker.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>

namespace chaos {

namespace {

using Number = std::uint64_t;

double seconds(Number ns) { return static_cast<double>(ns) / 1e9; }
Number ns(double seconds) { return static_cast<Number>(seconds * 1e9); }

/// The seat in the name of a life: 3 in 3.2.
std::string seat_of(const std::string& who) { return who.substr(0, who.find('.')); }

/// A stay inside a lock; it may have ended.
struct Section {
  std::string who;
  Number line = 0;
  Number at = 0;
  Number fence = 0;
  bool accepted = false;
  // The data that the holder found and wrote, and when it was promised that they stay.
  bool has_data = false;
  Number found_fence = 0;
  Number found_count = 0;
  std::optional<Number> wrote_count = {};
  std::optional<Number> promised_at = {};
  /// The line where the holder was asked whether it still had the lock.
  Number still_line = 0;
  bool is_over = false;
};

struct Want {
  Number at = 0;
  /// The largest fence that had been accepted when this peer asked.
  Number fence_before = 0;
};

struct Lock {
  std::vector<Section> sections;
  std::map<std::string, Want> wants;
  std::map<std::string, std::size_t> last_section_of;
  /// The largest accepted fence, and the section that entered with it.
  Number fence = 0;
  std::optional<std::size_t> last_accepted;
  std::optional<Number> value;
  /// When a fault hit the holder, and which life that was.
  std::optional<Number> hit_at;
  std::string hit;
};

/// A time during which a seat could not keep its data.
struct Absence {
  std::string seat;
  Number from = 0;
  Number until = 0;
  bool is_over = true;
};

class Reader {
 public:
  explicit Reader(const Terms& terms) : terms_(terms) {}

  void read(const std::string& text) {
    ++line_;
    std::istringstream words(text);
    words >> at_ >> who_ >> verb_;
    if (verb_ == "fault") return take_fault(words);
    if (verb_ == "heal") return take_heal(words);
    if (verb_ == "died") return take_death();
    if (verb_ == "out") return take_out();
    if (verb_ == "clock") return void(++verdict_.clock_steps);
    if (verb_ == "end") is_over_ = true;
    if (verb_ == "came" || verb_ == "in" || verb_ == "calm" || verb_ == "end") return;
    words >> lock_name_;
    Lock& lock = locks_[lock_name_];
    if (verb_ == "want") return take_want(lock);
    if (verb_ == "quit") return take_quit(lock);
    if (verb_ == "told") return take_told(words);
    Number fence = 0;
    words >> fence;
    if (verb_ == "enter") return take_enter(lock, fence, words);
    Section* section = section_of(lock, fence);
    if (!section) return complain("speaks of a section that it is not in");
    if (verb_ == "write") return take_write(lock, *section, words);
    if (verb_ == "still") return void(section->still_line = line_);
    if (verb_ == "leave") return take_leave(lock, *section, words);
    if (verb_ == "left") return take_left(*section, words);
    complain("makes no sense");
  }

  Verdict finish() {
    for (auto& [name, lock] : locks_) {
      lock_name_ = name;
      if (is_over_) check_waiters(lock);
      check_data(lock);
    }
    return std::move(verdict_);
  }

 private:
  void complain(const std::string& what) {
    std::ostringstream text;
    text << "line " << line_ << ", " << who_ << " at " << lock_name_ << ": " << what;
    verdict_.complaints.push_back(text.str());
  }
  static std::string told(Number fence) {
    return "fence " + std::to_string(fence >> 32) + "." + std::to_string(fence & 0xffff'ffff);
  }

  // Faults.

  void take_fault(std::istream& words) {
    std::string kind;
    words >> kind;
    ++verdict_.faults[kind];
    for (std::string seat; words >> seat;) {
      absences_.push_back({seat, at_, ~Number{0}, false});
      for (auto& [name, lock] : locks_)
        for (auto& section : lock.sections)
          if (!section.is_over && seat_of(section.who) == seat && !lock.hit_at) {
            lock.hit_at = at_;
            lock.hit = section.who;
          }
    }
  }
  /// The seat is back, but may have lost what it had. It takes the seat a lease to learn that.
  void take_heal(std::istream& words) {
    std::string kind;
    words >> kind;
    for (std::string seat; words >> seat;)
      for (Absence& absence : absences_)
        if (absence.seat == seat && !absence.is_over) {
          absence.is_over = true;
          absence.until = at_ + ns(terms_.lease_seconds);
        }
  }
  bool is_hit(const std::string& seat) const {
    return std::any_of(absences_.begin(), absences_.end(), [&](const Absence& absence) {
      return absence.seat == seat && !absence.is_over;
    });
  }
  void take_death() {
    if (!dead_.insert(who_).second) return;
    absences_.push_back({seat_of(who_), at_, at_});
    for (auto& [name, lock] : locks_) {
      lock.wants.erase(who_);
      for (Section& section : lock.sections)
        if (section.who == who_) section.is_over = true;
    }
  }
  /// A peer that was evicted without a fault hears of it late, by up to two leases.
  void take_out() {
    ++verdict_.put_out;
    Number before = ns(2 * terms_.lease_seconds);
    absences_.push_back({seat_of(who_), at_ - std::min(at_, before), at_});
  }

  // Sections.

  Section* section_of(Lock& lock, Number fence) {
    auto found = lock.last_section_of.find(who_);
    if (found == lock.last_section_of.end()) return nullptr;
    Section& section = lock.sections[found->second];
    return section.fence == fence ? &section : nullptr;
  }

  void take_want(Lock& lock) {
    if (!lock.wants.emplace(who_, Want{at_, lock.fence}).second) complain("wants twice");
  }
  void take_quit(Lock& lock) {
    ++verdict_.gave_up;
    lock.wants.erase(who_);
  }
  void take_told(std::istream& words) {
    std::string what;
    words >> what;
    if (what == "torn") complain("was told that data are torn which have copies");
  }

  void take_enter(Lock& lock, Number fence, std::istream& words) {
    Section section{who_, line_, at_, fence};
    read_data(section, words);
    std::string judged;
    words >> judged;
    section.accepted = judged == "yes";
    auto want = lock.wants.find(who_);
    if (want == lock.wants.end()) return complain("entered and had not asked");
    if (fence <= want->second.fence_before)
      complain("entered with " + told(fence) + ", and had asked when " +
               told(want->second.fence_before) + " was inside");
    lock.wants.erase(want);
    lock.last_section_of[who_] = lock.sections.size();
    if (section.accepted) accept(lock, section);
    lock.sections.push_back(section);
    if (!section.accepted) ++verdict_.refused;
  }
  void accept(Lock& lock, const Section& section) {
    if (section.fence < lock.fence) complain("was accepted with an older fence");
    if (section.fence == lock.fence)
      complain("entered with " + told(section.fence) + ", which was another's");
    bool is_other = !lock.last_accepted || lock.sections[*lock.last_accepted].who != who_;
    if (is_other) ++verdict_.handovers;
    if (lock.hit_at && lock.hit != who_) {
      verdict_.recoveries_seconds.push_back(seconds(at_ - *lock.hit_at));
      lock.hit_at.reset();
    }
    ++verdict_.entries;
    if (is_hit(seat_of(who_))) ++verdict_.entries_while_hit;
    lock.fence = std::max(lock.fence, section.fence);
    lock.last_accepted = lock.sections.size();
  }
  void read_data(Section& section, std::istream& words) {
    std::streampos begin = words.tellg();
    std::string state;
    section.has_data = bool(words >> section.found_fence >> section.found_count >> state);
    if (section.has_data && state != "whole") complain("found data that are torn");
    if (section.has_data) return;
    words.clear();
    words.seekg(begin);
  }

  void take_write(Lock& lock, Section& section, std::istream& words) {
    Number value = 0;
    std::string judged;
    words >> value >> judged;
    if (judged != "yes") return void(++verdict_.refused);
    if (section.has_data) section.wrote_count = value;
    bool is_next = !lock.value || *lock.value + 1 == value;
    if (!section.has_data && !is_next) complain("wrote over what another had written");
    lock.value = value;
    if (is_overtaken(lock, section)) complain("wrote while another was inside");
  }
  /// Whether another life has rightfully entered since this section began.
  static bool is_overtaken(const Lock& lock, const Section& section, Number until = ~Number{0}) {
    for (auto other = lock.sections.rbegin(); other != lock.sections.rend(); ++other) {
      if (other->line <= section.line) break;
      if (other->accepted && other->line < until) return true;
    }
    return false;
  }
  /// The worker has asked the library after the line `still` whether it still has the lock.
  void take_leave(Lock& lock, Section& section, std::istream& words) {
    std::string held, judged;
    words >> held >> judged;
    if (judged != "yes") ++verdict_.refused;
    section.is_over = true;
    if (lock.hit_at && lock.hit == who_) lock.hit_at.reset();
    if (held != "held") return;
    if (!section.accepted)
      complain("was refused with " + told(section.fence) + " and has the lock");
    if (is_overtaken(lock, section, section.still_line))
      complain("has the lock, and so has another");
  }
  void take_left(Section& section, std::istream& words) {
    std::string how;
    words >> how;
    section.is_over = true;
    if (how == "ok" && section.wrote_count) section.promised_at = at_;
  }

  // At the end.

  void check_waiters(const Lock& lock) {
    for (const auto& [who, want] : lock.wants) {
      who_ = who;
      std::ostringstream text;
      text << "has waited for " << seconds(at_ - want.at) << " s and waits still";
      complain(text.str());
    }
  }

  /// Checks the data in the order of the fences. Every holder must find the data of the last writer
  /// whose data were promised to stay, or those of a later writer.
  void check_data(Lock& lock) {
    std::erase_if(lock.sections, [](const Section& section) { return !section.has_data; });
    std::stable_sort(lock.sections.begin(), lock.sections.end(),
                     [](const Section& a, const Section& b) { return a.fence < b.fence; });
    std::map<Number, Number> written{{0, 0}};
    const Section* promised = nullptr;
    for (const Section& section : lock.sections) {
      who_ = section.who;
      line_ = section.line;
      auto source = written.find(section.found_fence);
      if (source == written.end() || source->second != section.found_count)
        complain("found data that nobody had written");
      bool is_lost = promised && section.found_fence < promised->fence;
      if (is_lost) judge_loss(*promised, section);
      if (!is_lost && promised) ++verdict_.data_found;
      if (is_lost) promised = nullptr;
      if (section.wrote_count) written[section.fence] = *section.wrote_count;
      if (section.promised_at) promised = &section;
    }
  }
  void judge_loss(const Section& promised, const Section& found) {
    if (absent_between(promised.at, found.at) > terms_.copies) return void(++verdict_.data_excused);
    complain("found data of " + told(found.found_fence) + ", and " + promised.who +
             " had been promised that those of " + told(promised.fence) + " would stay");
  }
  std::size_t absent_between(Number from, Number until) const {
    std::set<std::string> seats;
    for (const Absence& absence : absences_)
      if (absence.from <= until && absence.until >= from) seats.insert(absence.seat);
    return seats.size();
  }

  Terms terms_;
  Verdict verdict_;
  std::map<std::string, Lock> locks_;
  std::vector<Absence> absences_;
  std::set<std::string> dead_;
  bool is_over_ = false;
  // The current line.
  Number line_ = 0;
  Number at_ = 0;
  std::string who_;
  std::string verb_;
  std::string lock_name_;
};

}  // namespace

Verdict check(std::istream& history, const Terms& terms) {
  Reader reader(terms);
  for (std::string line; std::getline(history, line);) reader.read(line);
  return reader.finish();
}

}  // namespace chaos
