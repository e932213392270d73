#include "register/etcd_restored.hpp"

#include <algorithm>
#include <sstream>
#include <thread>

#include "register/epoch_floor.hpp"

namespace conch::etcd {

using recovery::View;

namespace {

constexpr Duration patience = std::chrono::seconds(5);

View view_of(const std::vector<Item>& found) {
  return found.empty() ? View{} : file::view_file(found.front().value, found.front().key).view;
}

/// An empty view above both the stored view and the lost ones.
View fresh_view(const View& stored, const SeenBeforeRestore& lost) {
  View next;
  next.number = std::max(stored.number, lost.number) + 1;
  next.epoch =
      std::max({Epoch{stored.epoch.value + 1}, Epoch{lost.epoch.value + 1}, epoch_floor()});
  next.algorithm = stored.algorithm;
  next.eps = stored.eps;
  return next;
}

/// False if something has changed meanwhile.
bool try_to_accept(Client& client, const KeyNames& names, const TransactionResult& now) {
  const Item& mark = now.found[0].front();
  View stored = view_of(now.found[1]);
  View next = fresh_view(stored, lost_in(mark));
  Transaction acceptance{{{Condition::Of::value, {names.restored()}, 0, mark.value},
                          {Condition::Of::creation, names.views_from(stored.number + 1), 0}},
                         {Put{names.view(next.number), file::to_bytes(file::ViewFile{next, ""})},
                          Remove{names.restored()}},
                         {}};
  return client.transact(acceptance).succeeded;
}

}  // namespace

std::string to_text(const SeenBeforeRestore& lost) {
  return std::to_string(lost.number) + " " + std::to_string(lost.epoch.value);
}

SeenBeforeRestore lost_in(const Item& mark) {
  std::istringstream words(mark.value);
  SeenBeforeRestore lost;
  std::string rest;
  if (!(words >> lost.number >> lost.epoch.value) || words >> rest)
    throw RegisterError(mark.key + " is malformed: expected a number and an epoch");
  return lost;
}

bool accept_restored(const EtcdRegisterOptions& options,
                     const std::function<void(Duration)>& waits) {
  ClientOptions client_options{{}, options.tls, options.user, options.password};
  for (const std::string& endpoint : options.endpoints)
    client_options.endpoints.push_back(parse_endpoint(endpoint));
  Client client(client_options);
  client.set_patience(patience);
  KeyNames names(options.group);
  Transaction look{
      {}, {Get{{names.restored()}}, Get{names.views(), true}, Get{{names.terms()}}}, {}};
  TransactionResult now = client.transact(look);
  if (now.found[0].empty()) return false;
  Duration lease = now.found[2].empty()
                       ? options.lease
                       : file::chain_file(now.found[2].front().value, names.terms()).lease;
  waits(lease);
  std::this_thread::sleep_for(lease);
  do {
    now = client.transact(look);
  } while (!now.found[0].empty() && !try_to_accept(client, names, now));
  return true;
}

}  // namespace conch::etcd
