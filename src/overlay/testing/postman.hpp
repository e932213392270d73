// The smallest routed protocol: it routes letters, and notes each one where it arrives.
#pragma once

#include "overlay/routing.hpp"

namespace conch::overlay::testing {

class Postman {
 public:
  struct Letter {
    std::uint64_t number = 0;
    /// Nodes between the sender and the root.
    unsigned seen = 0;
    CONCH_FIELDS(Letter, number, seen)
  };
  /// Sent straight to the postman that is to route the letter.
  struct Order {
    Key key;
    std::uint64_t number = 0;
    CONCH_FIELDS(Order, key, number)
  };
  using Message = std::variant<Letter, Order>;
  using Out = RoutedOutbox<Message>;

  static constexpr About about{
      .name = "postman",
      .family = "test",
      .source = "",
      .messages = "",
      .client_delay = "",
      .sync_delay = "",
  };

  struct Delivery {
    std::uint64_t number = 0;
    unsigned seen = 0;
    CONCH_FIELDS(Delivery, number, seen)
  };

  explicit Postman(NodeId self) : self_(self) {}
  Postman(NodeId self, const Assignment&) : self_(self) {}

  /// Routes a letter. Its key is the number of requests so far, spread over the ring.
  void request(Out& out) {
    ++sent_;
    out.route(Key{sent_ * 0x9e3779b97f4a7c15}, Letter{sent_});
  }
  void release(const DataRef&, Out&) {}
  void cancel(Out&) {}
  Passage forward(Key, Message& m, NodeId, Out&) {
    ++std::get<Letter>(m).seen;
    return Passage::go_on;
  }
  void deliver(Key, const Message& m, Out&) {
    const auto& letter = std::get<Letter>(m);
    deliveries_.push_back({letter.number, letter.seen});
  }
  void receive(NodeId, const Message& m, Out& out) {
    const auto& order = std::get<Order>(m);
    out.route(order.key, Letter{order.number});
  }
  void unreachable(NodeId, const Message&, Out&) {}
  void suspect(NodeId, Out&) {}
  void timer(TimerId, Out&) {}
  void moved(const std::optional<Arc>&, const std::optional<Arc>& after, Out&) {
    domain_ = after;
    ++moves_;
  }
  void lapsed(Out&) { domain_.reset(); }
  void tell_time(Fence) {}

  const std::vector<Delivery>& deliveries() const { return deliveries_; }
  const std::optional<Arc>& domain() const { return domain_; }
  std::uint64_t moves() const { return moves_; }

 private:
  NodeId self_;
  std::uint64_t sent_ = 0;
  std::uint64_t moves_ = 0;
  std::optional<Arc> domain_;
  std::vector<Delivery> deliveries_;

 public:
  CONCH_FIELDS(Postman, self_, sent_, moves_, domain_, deliveries_)
};

}  // namespace conch::overlay::testing
