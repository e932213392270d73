#include <conch/stop.hpp>

namespace conch {

struct StopSource::State {
  std::stop_source source;
};

StopSource::StopSource() : state_(std::make_shared<State>()) {}
StopToken StopSource::get_token() const { return state_->source.get_token(); }
void StopSource::request_stop() { state_->source.request_stop(); }

bool StopToken::stop_requested() const { return std::stop_token(*this).stop_requested(); }

}  // namespace conch
