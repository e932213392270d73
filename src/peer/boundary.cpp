#include "peer/boundary.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <new>
#include <system_error>

#include "catalog/catalog.hpp"
#include "register/register.hpp"

namespace conch::peer {

namespace {

/// An option by its three names. The variable is empty for options that the environment cannot set.
struct Option {
  std::string_view flag;
  std::string_view member;
  std::string_view variable;
};

constexpr std::array<Option, 22> all_options{{
    {"--advertise", "PeerOptions::advertise", "CONCH_ADVERTISE"},
    {"--algorithm", "PeerOptions::algorithm", "CONCH_ALGORITHM"},
    {"--cluster", "PeerOptions::cluster", ""},
    {"--dht", "PeerOptions::dht", ""},
    {"--eps", "PeerOptions::eps", ""},
    {"--group", "PeerOptions::group", "CONCH_GROUP"},
    {"--insecure", "PeerOptions::insecure", "CONCH_INSECURE"},
    {"--join", "PeerOptions::join", "CONCH_JOIN"},
    {"--lease", "PeerOptions::lease", "CONCH_LEASE_MS"},
    {"--listen", "PeerOptions::listen", "CONCH_LISTEN"},
    {"--persist", "PeerOptions::persist", "CONCH_PERSIST"},
    {"--register", "PeerOptions::etcd", "CONCH_REGISTER"},
    {"--register-ca", "EtcdOptions::authority", "CONCH_REGISTER_CA"},
    {"--register-cert", "EtcdOptions::certificate", "CONCH_REGISTER_CERT"},
    {"--register-key", "EtcdOptions::key", "CONCH_REGISTER_KEY"},
    {"--register-password-file", "EtcdOptions::password_file", "CONCH_REGISTER_PASSWORD_FILE"},
    {"--register-user", "EtcdOptions::user", "CONCH_REGISTER_USER"},
    {"--replicas", "PeerOptions::replicas", ""},
    {"--tls-ca", "TlsOptions::authority", "CONCH_TLS_CA"},
    {"--tls-cert", "TlsOptions::certificate", "CONCH_TLS_CERT"},
    {"--tls-key", "TlsOptions::key", "CONCH_TLS_KEY"},
    {"--trace", "PeerOptions::trace", "CONCH_TRACE"},
}};

std::string_view name_for(OptionNames names, std::string_view flag) {
  auto found = std::find_if(all_options.begin(), all_options.end(),
                            [&](const Option& option) { return option.flag == flag; });
  if (found == all_options.end() || names == OptionNames::command_line) return flag;
  std::string_view name = names == OptionNames::members ? found->member : found->variable;
  return name.empty() ? flag : name;
}

std::size_t end_of_flag(std::string_view text) {
  auto is_of_flag = [](char c) { return c == '-' || (c >= 'a' && c <= 'z'); };
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_of_flag) -
                                  text.begin());
}

}  // namespace

std::string in_words_of(OptionNames names, std::string_view text) {
  std::string words;
  bool is_quoted = false;
  while (!text.empty()) {
    if (text.front() == '`') is_quoted = !is_quoted;
    std::size_t size = 1;
    if (!is_quoted && text.starts_with("--")) size = end_of_flag(text);
    std::string_view part = text.substr(0, size);
    words += size > 1 ? name_for(names, part) : part;
    text.remove_prefix(size);
  }
  return words;
}

void rethrow_as_error(OptionNames names) {
  auto fail = [&](ErrorCode code, const std::exception& error) {
    throw Error(code, in_words_of(names, error.what()));
  };
  try {
    throw;
  } catch (const Error& error) {
    fail(error.code(), error);
  } catch (const RegisterError& error) {
    fail(ErrorCode::unavailable, error);
  } catch (const std::invalid_argument& error) {  // Also catches UnknownName.
    fail(ErrorCode::bad_argument, error);
  } catch (const std::filesystem::filesystem_error& error) {
    fail(ErrorCode::misconfigured, error);
  } catch (const std::system_error& error) {
    fail(ErrorCode::exhausted, error);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    fail(ErrorCode::unavailable, error);
  }
  throw Error("unknown exception");
}

}  // namespace conch::peer
