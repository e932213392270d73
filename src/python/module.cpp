// The extension module conch._conch: it exposes the library's public classes one to one. The
// package python/conch wraps them for Python programmers.
#include <pybind11/chrono.h>
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <conch/data.hpp>
#include <conch/version.hpp>

#include "python/block.hpp"
#include "python/gil.hpp"
#include "python/notices.hpp"
#include "python/ticket.hpp"

namespace py = pybind11;

namespace conch::python {
namespace {

// Errors.

const char* name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::unavailable: return "unavailable";
    case ErrorCode::bad_argument: return "bad_argument";
    case ErrorCode::misconfigured: return "misconfigured";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::misuse: return "misuse";
    case ErrorCode::deadlock: return "deadlock";
    case ErrorCode::left: return "left";
    case ErrorCode::forked: return "forked";
    case ErrorCode::exhausted: return "exhausted";
  }
  return "unavailable";
}

/// Translates to conch.Error, a class of the Python package.
void raise_as_python_error(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const Error& error) {
    py::object type = py::module_::import("conch._errors").attr("Error");
    PyErr_SetObject(type.ptr(), type(error.what(), name_of(error.code())).ptr());
  }
}

// Peers.

void bind_options(py::module_& module) {
  py::class_<TlsOptions>(module, "TlsOptions")
      .def(py::init())
      .def_readwrite("certificate", &TlsOptions::certificate)
      .def_readwrite("key", &TlsOptions::key)
      .def_readwrite("authority", &TlsOptions::authority);
  py::class_<EtcdOptions>(module, "EtcdOptions")
      .def(py::init())
      .def_readwrite("endpoints", &EtcdOptions::endpoints)
      .def_readwrite("authority", &EtcdOptions::authority)
      .def_readwrite("certificate", &EtcdOptions::certificate)
      .def_readwrite("key", &EtcdOptions::key)
      .def_readwrite("user", &EtcdOptions::user)
      .def_readwrite("password_file", &EtcdOptions::password_file);
  py::class_<PeerOptions>(module, "PeerOptions")
      .def(py::init())
      .def_readwrite("group", &PeerOptions::group)
      .def_readwrite("algorithm", &PeerOptions::algorithm)
      .def_readwrite("listen", &PeerOptions::listen)
      .def_readwrite("advertise", &PeerOptions::advertise)
      .def_readwrite("join", &PeerOptions::join)
      .def_readwrite("state_directory", &PeerOptions::state_directory)
      .def_readwrite("etcd", &PeerOptions::etcd)
      .def_readwrite("lease", &PeerOptions::lease)
      .def_readwrite("lock_delay", &PeerOptions::lock_delay)
      .def_readwrite("try_patience", &PeerOptions::try_patience)
      .def_readwrite("admission_patience", &PeerOptions::admission_patience)
      .def_readwrite("tls", &PeerOptions::tls)
      .def_readwrite("insecure", &PeerOptions::insecure)
      .def_readwrite("tcp_only", &PeerOptions::tcp_only)
      .def_readwrite("cluster", &PeerOptions::cluster)
      .def_readwrite("eps", &PeerOptions::eps)
      .def_readwrite("dht", &PeerOptions::dht)
      .def_readwrite("replicas", &PeerOptions::replicas)
      .def_readwrite("persist", &PeerOptions::persist)
      .def_readwrite("serves_clients", &PeerOptions::serves_clients)
      .def_readwrite("trace", &PeerOptions::trace)
      .def("name_by_environment",
           [](PeerOptions& options) { options.option_names = OptionNames::environment; })
      .def("log_to", [](PeerOptions& options, const std::shared_ptr<Notices>& notices) {
        options.log = [notices](std::string_view line) { notices->log(line); };
      });
}

/// Ends a join for which another thread waits.
class Stop {
 public:
  void request() { source_.request_stop(); }
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
};

std::unique_ptr<Peer> join(PeerOptions options, const Stop& stop) {
  options.give_up = stop.token();
  return without_gil([&] { return std::make_unique<Peer>(std::move(options)); });
}

void bind_peer(py::module_& module) {
  py::class_<Stop>(module, "Stop").def(py::init()).def("request", &Stop::request);
  py::class_<Peer>(module, "Peer")
      .def(py::init(&join), py::arg("options"), py::arg("stop"))
      .def("leave", [](Peer& peer) { without_gil([&] { peer.leave(); }); })
      .def_property_readonly("id",
                             [](Peer& peer) { return without_gil([&] { return peer.id(); }); })
      .def_property_readonly("group", [](const Peer& peer) { return std::string(peer.group()); })
      .def_property_readonly("algorithm",
                             [](const Peer& peer) { return std::string(peer.algorithm()); })
      .def_property_readonly(
          "listens", [](const Peer& peer) { return without_gil([&] { return peer.listens(); }); });
}

void bind_notices(py::module_& module) {
  py::class_<Notices, std::shared_ptr<Notices>>(module, "Notices")
      .def(py::init())
      .def("close", [](Notices& notices) { without_gil([&] { notices.close(); }); })
      .def("take", [](Notices& notices) { return without_gil([&] { return notices.take(); }); });
}

// Locks.

std::unique_ptr<SharedTicket> take_ticket(Peer& peer, const std::string& lock, bool shared) {
  return without_gil([&] { return std::make_unique<SharedTicket>(peer, lock, shared); });
}

void bind_ticket(py::module_& module) {
  using Told = std::shared_ptr<Notices>;
  py::class_<SharedTicket>(module, "Ticket")
      .def(py::init(&take_ticket), py::arg("peer"), py::arg("lock"), py::arg("shared"))
      .def("tell_ready",
           [](SharedTicket& ticket, const Told& notices, std::uint64_t number) {
             without_gil([&] { ticket.tell_ready(notices, number); });
           })
      .def("tell_lost",
           [](SharedTicket& ticket, const Told& notices, std::uint64_t number) {
             without_gil([&] { ticket.tell_lost(notices, number); });
           })
      .def("request", [](SharedTicket& ticket) { without_gil([&] { ticket.request(); }); })
      .def("acquire",
           [](SharedTicket& ticket, std::optional<double> seconds) {
             return without_gil([&] { return ticket.acquire(seconds); });
           })
      .def("release", [](SharedTicket& ticket) { without_gil([&] { ticket.release(); }); })
      .def("ready",
           [](SharedTicket& ticket) { return without_gil([&] { return ticket.ready(); }); })
      .def("holds",
           [](SharedTicket& ticket) { return without_gil([&] { return ticket.holds(); }); })
      .def("fence",
           [](SharedTicket& ticket) { return without_gil([&] { return ticket.fence(); }); });
}

// Data.

const char* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok: return "ok";
    case Outcome::ignored: return "ignored";
    case Outcome::invalid: return "invalid";
    case Outcome::busy: return "busy";
    case Outcome::not_requested: return "not_requested";
    case Outcome::not_held: return "not_held";
    case Outcome::timed_out: return "timed_out";
    case Outcome::cancelled: return "cancelled";
    case Outcome::peer_lost: return "peer_lost";
    case Outcome::torn: return "torn";
    case Outcome::no_memory: return "no_memory";
    case Outcome::not_free: return "not_free";
  }
  return "invalid";
}

const char* name_of(HandleState state) {
  switch (state) {
    case HandleState::invalid: return "invalid";
    case HandleState::valid: return "valid";
    case HandleState::req: return "req";
    case HandleState::grant: return "grant";
    case HandleState::blocked: return "blocked";
    case HandleState::fetch: return "fetch";
    case HandleState::locked: return "locked";
    case HandleState::unlock: return "unlock";
    case HandleState::lost: return "lost";
  }
  return "invalid";
}

std::unique_ptr<Data> make_data(Peer& peer, const std::string& name, unsigned copies) {
  DataOptions options;
  options.copies = copies;
  return without_gil([&] { return std::make_unique<Data>(peer, name, options); });
}

Outcome acquire(Data& data, std::optional<double> seconds) {
  if (!seconds) return data.acquire();
  auto wait = bounded_wait(std::chrono::duration<double>(*seconds));
  return data.acquire_until(std::chrono::steady_clock::now() + wait);
}

std::unique_ptr<Block> map(Data& data, bool is_readonly) {
  return without_gil([&] { return std::make_unique<Block>(data.bytes(), is_readonly); });
}

void bind_data(py::module_& module) {
  py::class_<Data>(module, "Data")
      .def(py::init(&make_data), py::arg("peer"), py::arg("name"), py::arg("copies"))
      .def("request",
           [](Data& data, bool shared) {
             Access access = shared ? Access::shared : Access::exclusive;
             return name_of(without_gil([&] { return data.request(access); }));
           })
      .def("acquire",
           [](Data& data, std::optional<double> seconds) {
             return name_of(without_gil([&] { return acquire(data, seconds); }));
           })
      .def("release",
           [](Data& data) { return name_of(without_gil([&] { return data.release(); })); })
      .def("cancel", [](Data& data) { return name_of(without_gil([&] { return data.cancel(); })); })
      .def("resize",
           [](Data& data, std::size_t size) {
             return name_of(without_gil([&] { return data.resize(size); }));
           })
      .def("state", [](Data& data) { return name_of(without_gil([&] { return data.state(); })); })
      .def("fence", [](Data& data) { return without_gil([&] { return data.fence(); }); })
      .def("size", [](Data& data) { return without_gil([&] { return data.bytes().size(); }); })
      .def("map", &map);
}

// The buffer protocol of a block is written by hand, because pybind11 does not report when a buffer
// is released.

int give_buffer(PyObject* object, Py_buffer* view, int flags) {
  auto& block = py::cast<Block&>(py::handle(object));
  // A view of an empty block must not have a null pointer.
  static std::byte nothing{};
  void* bytes = block.size() > 0 ? block.data() : &nothing;
  auto size = static_cast<Py_ssize_t>(block.size());
  int status = PyBuffer_FillInfo(view, object, bytes, size, block.is_readonly() ? 1 : 0, flags);
  if (status == 0) ++block.exports;
  return status;
}

void take_buffer_back(PyObject* object, Py_buffer*) {
  --py::cast<Block&>(py::handle(object)).exports;
}

void bind_block(py::module_& module) {
  py::custom_type_setup with_buffer([](PyHeapTypeObject* type) {
    type->as_buffer.bf_getbuffer = give_buffer;
    type->as_buffer.bf_releasebuffer = take_buffer_back;
    type->ht_type.tp_as_buffer = &type->as_buffer;
  });
  py::class_<Block>(module, "Block", with_buffer)
      .def("view", [](const py::object& block) { return py::memoryview(block); })
      .def("detach", &Block::detach)
      .def_property_readonly("exports", [](const Block& block) { return block.exports; });
}

}  // namespace
}  // namespace conch::python

PYBIND11_MODULE(_conch, module) {
  using namespace conch::python;
  py::register_exception_translator(raise_as_python_error);
  bind_options(module);
  bind_peer(module);
  bind_notices(module);
  bind_ticket(module);
  bind_block(module);
  bind_data(module);
  module.def("version", [] { return std::string(conch::version()); });
}
