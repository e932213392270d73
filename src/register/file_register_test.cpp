#include "register/file_register.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "register/testing/contract.hpp"
#include "register/testing/scratch.hpp"

namespace conch {
namespace {

class FileWorld : public RegisterWorld {
 public:
  explicit FileWorld(Duration lease) { options_.lease = lease; }
  std::unique_ptr<Register> client() override {
    return std::make_unique<FileRegister>(scratch_.path(), options_);
  }
  void pass(Duration time) override { std::this_thread::sleep_for(time); }

 private:
  ScratchDirectory scratch_;
  FileRegisterOptions options_;
};

std::unique_ptr<RegisterWorld> make_file_world(Duration lease) {
  return std::make_unique<FileWorld>(lease);
}

INSTANTIATE_TEST_SUITE_P(All, RegisterContract,
                         testing::Values(RegisterKind{"File", make_file_world}), name_of_register);

}  // namespace
}  // namespace conch
