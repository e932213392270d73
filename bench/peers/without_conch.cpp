// Stands in for conch.cpp where there are no peers to link to.
#include "contender.hpp"
#include "extras.hpp"

namespace conch::bench {

namespace {
constexpr const char* reason = "this was built without peers";
}

std::unique_ptr<Contender> conch_peers(const std::string& algorithm, Transport transport) {
  class Absent : public Contender {
   public:
    using Contender::Contender;
    void start() override { throw std::runtime_error(reason); }
    void prepare(int) override {}
    std::unique_ptr<Entrant> enter(int) override { throw std::runtime_error(reason); }
  };
  return std::make_unique<Absent>("conch " + algorithm +
                                  (transport == Transport::tcp ? ", TCP" : ", Unix"));
}

double reacquire_ns(double) { throw std::runtime_error(reason); }
double idle_lock_bytes() { throw std::runtime_error(reason); }

}  // namespace conch::bench
