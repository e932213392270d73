#include "register/testing/contract.hpp"

#include <algorithm>
#include <thread>

#include "register/etcd_register.hpp"
#include "register/file_register.hpp"
#include "register/testing/etcd_cluster.hpp"

namespace conch::contract_test {

class FileWorld : public RegisterWorld {
 public:
  explicit FileWorld(Duration lease) { options_.lease = lease; }
  std::unique_ptr<Register> client() override {
    return std::make_unique<FileRegister>(scratch_.path(), options_);
  }
  void pass(Duration time) override { std::this_thread::sleep_for(time); }

 private:
  ScratchFolder scratch_;
  FileRegisterOptions options_;
};

class EtcdWorld : public RegisterWorld {
 public:
  EtcdWorld(std::size_t members, Duration lease) : cluster_(members) {
    options_.endpoints = cluster_.endpoints();
    options_.group = "test";
    options_.lease = lease;
    options_.patience = std::chrono::seconds(20);  // Allows for slow machines.
  }
  std::unique_ptr<Register> client() override {
    // Clients begin with different members.
    std::rotate(options_.endpoints.begin(), options_.endpoints.begin() + 1,
                options_.endpoints.end());
    return std::make_unique<EtcdRegister>(options_);
  }
  void pass(Duration time) override { std::this_thread::sleep_for(time); }

 private:
  EtcdCluster cluster_;
  EtcdRegisterOptions options_;
};

std::unique_ptr<RegisterWorld> make_file_world(Duration lease) {
  return std::make_unique<FileWorld>(lease);
}
std::unique_ptr<RegisterWorld> make_etcd_world(Duration lease) {
  return std::make_unique<EtcdWorld>(1, lease);
}
std::unique_ptr<RegisterWorld> make_three_etcds_world(Duration lease) {
  return std::make_unique<EtcdWorld>(3, lease);
}

constexpr Duration etcd_short_lease = std::chrono::milliseconds(300);

INSTANTIATE_TEST_SUITE_P(All, RegisterContract,
                         testing::Values(RegisterKind{"File", make_file_world},
                                         RegisterKind{"Etcd", make_etcd_world, why_no_etcd(),
                                                      etcd_short_lease},
                                         RegisterKind{"ThreeEtcds", make_three_etcds_world,
                                                      why_no_etcd(), etcd_short_lease}),
                         name_of_register);

}  // namespace conch::contract_test
