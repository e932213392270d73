// A peer of register_chaos_test that only changes the roster. It prints what it is about to do and
// what it was told, one line each, so that the test knows this even if the peer is killed. Exit
// status: 0 if it left, 3 if it was evicted, 42 if the register broke a promise.
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <set>
#include <string>
#include <utility>

#include "core/print.hpp"
#include "core/testing/dice.hpp"
#include "register/clock.hpp"
#include "register/file_register.hpp"

namespace {

using namespace conch;
using recovery::Member;
using recovery::RegisterSnapshot;
using recovery::View;

volatile std::sig_atomic_t asked_to_leave = 0;

void say(const std::string& line) {
  std::string text = line + "\n";
  // The line is shorter than PIPE_BUF, so the pipe takes it whole.
  if (::write(STDOUT_FILENO, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    std::_Exit(1);
}

std::string text(std::uint64_t number) { return std::to_string(number); }

void expect(bool condition, const std::string& what) {
  if (condition) return;
  say("broken " + what);
  std::_Exit(42);
}

class Peer {
 public:
  /// `memory` is the least number of views that the register remembers.
  Peer(const std::string& directory, PeerInstance self, std::uint64_t seed, std::uint64_t memory,
       const FileRegisterOptions& options)
      : self_(self), dice_(seed), memory_(memory), register_(directory, options) {
    register_.attach(self_);
  }

  int live() {
    say("ready");
    while (!asked_to_leave) {
      look();
      if (was_in_ && !is_in()) return out();
      if (is_in() && !keep_lease()) return out();
      if (!is_in() || dice_.percent(30)) propose(changed(true));
      pause();
    }
    return leave();
  }

 private:
  bool is_in() const { return last_.view.roster.contains(self_); }

  /// Checks that no older view comes after a newer one.
  void learn(RegisterSnapshot snapshot) {
    const View& view = snapshot.view;
    expect(view.number >= last_.view.number,
           "view " + text(view.number) + " came after view " + text(last_.view.number));
    expect(view.number > last_.view.number || view == last_.view,
           "view " + text(view.number) + " has changed");
    expect(view.epoch >= last_.view.epoch, "the epoch went back");
    last_ = std::move(snapshot);
    was_in_ = was_in_ || is_in();
  }
  void look() {
    learn(register_.read());
    auto now = file::since_boot();
    for (const PeerInstance& life : last_.ended)
      if (told_.insert(life).second)
        say("ended " + text(life.id.value) + " " + text(to_number(life.incarnation)) + " " +
            text(to_number(now)));
  }
  bool keep_lease() {
    auto before = file::since_boot();
    if (before < renewed_ + register_.lease() / 5) return true;
    if (!register_.renew(self_)) return false;
    expect(!told_.contains(self_), "a lease that had ended was renewed");
    say("held " + text(to_number(before + register_.lease())));
    renewed_ = before;
    return true;
  }
  int out() {
    say("out " + text(to_number(file::since_boot())));
    return 3;
  }

  /// The newest view without its dead members, with or without this peer, and now and then without
  /// a living member.
  View changed(bool with_me) {
    const View& view = last_.view;
    View next{view.number + 1, view.epoch, mark(), self_, view.roster, {}};
    for (const PeerInstance& life : view.evicted)
      if (!last_.has_ended(life)) next.evicted.push_back(life);
    for (const Member& member : view.roster) {
      bool is_me = member.life() == self_;
      bool of_use =
          !last_.has_ended(member.life()) && dice_.below(400) > 0 && member.id != self_.id;
      if (is_me || of_use) continue;
      next.roster = next.roster.without(member.id);
      next.evicted.push_back(member.life());
    }
    next.roster = with_me ? next.roster.with({self_.id, self_.incarnation, next.algorithm, false})
                          : next.roster.without(self_.id);
    if (next.evicted != view.evicted || dice_.percent(30) || view.number == 0) ++next.epoch.value;
    return next;
  }
  std::string mark() {
    return text(self_.id.value) + "." + text(to_number(self_.incarnation)) + "." +
           text(++proposals_);
  }
  bool propose(const View& next) {
    say("try " + text(next.number) + " " + next.algorithm);
    ProposalResult verdict = register_.propose(next);
    say((verdict.accepted ? "yes " : "no ") + text(next.number) + " " + next.algorithm + " " +
        text(verdict.snapshot.view.number));
    if (verdict.accepted) {
      expect(verdict.snapshot.view.number >= next.number, "an accepted view was not there");
      if (dice_.percent(10)) expect_accepted_again(next);
    }
    learn(std::move(verdict.snapshot));
    was_in_ = was_in_ || (verdict.accepted && next.roster.contains(self_));
    return verdict.accepted;
  }
  /// Proposes the same view again, as if the answer had been lost.
  void expect_accepted_again(const View& view) {
    ProposalResult verdict = register_.propose(view);
    bool forgotten = verdict.snapshot.view.number >= view.number + memory_;
    expect(verdict.accepted || forgotten, "an accepted view was refused the second time");
  }
  int leave() {
    do {
      look();
    } while (is_in() && !propose(changed(false)));
    say("leaving " + text(to_number(file::since_boot())));
    register_.end(self_);
    return 0;
  }
  void pause() {
    pollfd one{register_.descriptor(), POLLIN, 0};
    ::poll(&one, 1, static_cast<int>(dice_.below(20)));
  }

  PeerInstance self_;
  Dice dice_;
  std::uint64_t memory_;
  FileRegister register_;
  RegisterSnapshot last_;
  bool was_in_ = false;
  Duration renewed_{};
  std::uint64_t proposals_ = 0;
  std::set<PeerInstance> told_;
};

std::uint64_t number(const char* text) { return std::strtoull(text, nullptr, 10); }

}  // namespace

int main(int count, char** words) {
  if (count != 7) {
    std::cerr << "usage: register_peer DIRECTORY ID INCARNATION SEED DURABLE MEMORY\n";
    return 2;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // the test may be killed
  std::signal(SIGTERM, [](int) { asked_to_leave = 1; });
  try {
    FileRegisterOptions options;
    options.durable = number(words[5]) != 0;
    PeerInstance self{NodeId{number(words[2])}, Incarnation{number(words[3])}};
    return Peer(words[1], self, number(words[4]), number(words[6]), options).live();
  } catch (const std::exception& error) {
    expect(false, error.what());
  }
}
