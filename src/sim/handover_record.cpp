#include "sim/handover_record.hpp"

#include "sim/distribution.hpp"

namespace conch::sim::handover {

namespace {

constexpr std::uint64_t first_steady_cycle = 3;

class Mean {
 public:
  void add(Duration duration) {
    sum_s_ += seconds_of(duration);
    ++count_;
  }
  double value_s() const { return count_ == 0 ? 0 : sum_s_ / static_cast<double>(count_); }
  std::uint64_t count() const { return count_; }

 private:
  double sum_s_ = 0;
  std::uint64_t count_ = 0;
};

class Means {
 public:
  void add(const Cycle& cycle) {
    dho_.add(cycle.released - cycle.began);
    wait_.add(cycle.locked - cycle.requested);
    blocking_.add(cycle.locked - cycle.acquired);
    if (cycle.fetched) fetch_.add(*cycle.fetched);
    if (cycle.handed_over) handover_.add(*cycle.handed_over);
  }
  Times times() const {
    return {dho_.count(),        dho_.value_s(),   wait_.value_s(),
            blocking_.value_s(), fetch_.value_s(), handover_.value_s()};
  }

 private:
  Mean dho_, wait_, blocking_, fetch_, handover_;
};

}  // namespace

bool Record::is_steady(const Cycle& cycle) const {
  return cycle.number >= first_steady_cycle && winding_down_ && cycle.released <= *winding_down_;
}

Measured Record::measured() const {
  Means steady;
  Means all;
  for (const Cycle& cycle : cycles_) {
    all.add(cycle);
    if (is_steady(cycle)) steady.add(cycle);
  }
  Measured measured = counts;
  measured.steady = steady.times();
  measured.all = all.times();
  return measured;
}

}  // namespace conch::sim::handover
