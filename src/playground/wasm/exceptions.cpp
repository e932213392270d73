// The runtime support for C++ exceptions, which Debian's C++ library for WebAssembly was built
// without. The machine unwinds by itself (-fwasm-exceptions). What remains is to keep the thrown
// objects, and to find the handler of a function that catches them. There is one thread.
//
// The format: the Itanium C++ ABI, exception handling; the language-specific data of a function as
// GCC lays them out, with the number of a landing pad instead of an address (WebAssembly tool
// conventions, "Exception handling scheme").
#include <cstdint>
#include <cstdlib>
#include <typeinfo>

// The type objects of the C++ library know which type catches which. Its own headers declare this
// class; only the first virtual functions matter here.
namespace __cxxabiv1 {
class __shim_type_info : public std::type_info {
 public:
  virtual ~__shim_type_info();
  virtual void noop1() const;
  virtual void noop2() const;
  virtual bool can_catch(const __shim_type_info* thrown, void*& object) const = 0;
};
}  // namespace __cxxabiv1

namespace {

using Type = __cxxabiv1::__shim_type_info;

/// The header in front of a thrown object.
struct alignas(16) Thrown {
  const Type* type;
  /// A destructor returns its object here.
  void* (*destroy)(void*);
  /// The object as the handler sees it.
  void* caught_as;
  unsigned handlers;
  /// The handler has rethrown it, so it outlives the handler.
  bool again;
  /// The exception that was caught before and is still being handled.
  Thrown* outer;

  void* object() { return this + 1; }
  static Thrown* of(void* object) { return static_cast<Thrown*>(object) - 1; }
};

Thrown* caught = nullptr;

class Reader {
 public:
  explicit Reader(const std::uint8_t* at) : at_(at) {}
  const std::uint8_t* at() const { return at_; }
  std::uint8_t byte() { return *at_++; }
  /// LEB128, as in DWARF.
  std::uint32_t number() { return decode(false); }
  std::int32_t signed_number() { return static_cast<std::int32_t>(decode(true)); }

 private:
  std::uint32_t decode(bool is_signed) {
    std::uint32_t value = 0;
    unsigned shift = 0;
    std::uint8_t part = 0;
    do {
      part = byte();
      value |= std::uint32_t{part & 0x7fu} << shift;
      shift += 7;
    } while ((part & 0x80) != 0);
    if (is_signed && (part & 0x40) != 0 && shift < 32) value |= ~std::uint32_t{0} << shift;
    return value;
  }

  const std::uint8_t* at_;
};

/// The exception data of a function: its landing pads, what each catches, and the types.
struct Handlers {
  explicit Handlers(const std::uint8_t* data) {
    Reader reader(data);
    reader.byte();  // encoding of the landing pads' base: none
    reader.byte();  // encoding of types: as addresses
    std::uint32_t types_after = reader.number();
    types = reinterpret_cast<const Type* const*>(reader.at() + types_after);
    reader.byte();  // encoding of landing pads: as numbers
    std::uint32_t size = reader.number();
    pads = reader.at();
    actions = pads + size;
  }
  /// Null if this landing pad catches nothing.
  const std::uint8_t* first_action(std::uint32_t pad) const {
    for (Reader reader(pads); reader.at() < actions;) {
      std::uint32_t index = reader.number();
      std::uint32_t action = reader.number();
      if (index == pad) return action == 0 ? nullptr : actions + action - 1;
    }
    return nullptr;
  }

  const Type* const* types;
  const std::uint8_t* pads;
  const std::uint8_t* actions;
};

/// The number of the type that catches it; 0 if none does.
std::uint32_t handler_of(Thrown& thrown, const Handlers& handlers, std::uint32_t pad) {
  for (const std::uint8_t* action = handlers.first_action(pad); action != nullptr;) {
    Reader reader(action);
    std::int32_t number = reader.signed_number();
    const std::uint8_t* here = reader.at();
    std::int32_t next = reader.signed_number();
    if (number > 0) {
      const Type* type = handlers.types[-number];
      thrown.caught_as = thrown.object();
      if (type == nullptr || type->can_catch(thrown.type, thrown.caught_as))
        return static_cast<std::uint32_t>(number);
    }
    action = next == 0 ? nullptr : here + next;
  }
  return 0;
}

}  // namespace

extern "C" {

/// A landing pad writes its index and data here, and reads the selector that was found for it.
struct LandingPad {
  std::uint32_t index;
  const std::uint8_t* data;
  std::uint32_t selector;
};
thread_local LandingPad __wasm_lpad_context;

int _Unwind_CallPersonality(void* exception) {
  LandingPad& pad = __wasm_lpad_context;
  pad.selector = handler_of(*static_cast<Thrown*>(exception), Handlers(pad.data), pad.index);
  return 0;
}
void __gxx_wasm_personality_v0() {}

void* __cxa_allocate_exception(std::size_t bytes) noexcept {
  void* place = std::calloc(1, sizeof(Thrown) + bytes);
  if (place == nullptr) std::abort();
  return static_cast<Thrown*>(place)->object();
}
void __cxa_free_exception(void* object) noexcept { std::free(Thrown::of(object)); }

[[noreturn]] void __cxa_throw(void* object, std::type_info* type, void* (*destroy)(void*)) {
  Thrown* thrown = Thrown::of(object);
  thrown->type = static_cast<const Type*>(type);
  thrown->destroy = destroy;
  thrown->caught_as = object;
  __builtin_wasm_throw(0, thrown);
}

void* __cxa_begin_catch(void* exception) noexcept {
  Thrown* thrown = static_cast<Thrown*>(exception);
  thrown->again = false;
  if (thrown->handlers++ == 0) {
    thrown->outer = caught;
    caught = thrown;
  }
  return thrown->caught_as;
}
void __cxa_end_catch() {
  Thrown* thrown = caught;
  if (--thrown->handlers > 0) return;
  caught = thrown->outer;
  if (thrown->again) return;
  if (thrown->destroy != nullptr) thrown->destroy(thrown->object());
  __cxa_free_exception(thrown->object());
}

[[noreturn]] void __cxa_rethrow() {
  caught->again = true;
  __builtin_wasm_throw(0, caught);
}

/// The only thread never ends, so its destructors never run.
int __cxa_thread_atexit(void (*)(void*), void*, void*) { return 0; }

}  // extern "C"
