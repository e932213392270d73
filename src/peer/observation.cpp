#include <conch/observer.hpp>
#include <conch/peer.hpp>
#include <utility>

#include "peer/engine.hpp"

namespace conch {

/// Forwards what the node tells its observers to the program's observer.
struct Observation::State final : node::Observer {
  State(std::shared_ptr<peer::Engine> observed, conch::Observer& observer)
      : engine(std::move(observed)), observer(observer) {
    engine->watch(*this);
  }
  ~State() override {
    if (engine->is_inherited()) {
      peer::abandon(std::move(engine));
    } else {
      engine->unwatch(*this);
    }
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void admitted() override { observer.readmitted(); }
  void installed(Epoch epoch, const recovery::View& view) override {
    observer.recovered(epoch.value, view.roster.size());
  }
  void gone() override { observer.gone(); }
  void asked(std::string_view lock, Mode) override { observer.asked(lock); }
  void entered(std::string_view lock, const Entry& entry) override {
    observer.entered(lock,
                     {entry.mode == Mode::read, entry.fence.number(), entry.waited, entry.came});
  }
  void withdrew(std::string_view lock, Mode) override { observer.withdrew(lock); }
  void left(std::string_view lock, Mode, Duration held) override { observer.left(lock, held); }
  void lost(std::string_view lock, Mode, Duration held) override { observer.lost(lock, held); }

  std::shared_ptr<peer::Engine> engine;
  conch::Observer& observer;
};

Observation::Observation(std::unique_ptr<State> state) : state_(std::move(state)) {}
Observation::~Observation() = default;
Observation::Observation(Observation&&) noexcept = default;
Observation& Observation::operator=(Observation&&) noexcept = default;

Observation Peer::observe(Observer& observer) {
  engine();  // Throws in a forked child.
  return Observation(std::make_unique<Observation::State>(engine_, observer));
}

}  // namespace conch
