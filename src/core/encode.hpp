// MessagePack by field list. A struct is an array of its fields, a choice is [index, value], a
// missing optional is nil, a text is a str of its bytes, whatever they are. Decoding
// bounds every length by the input and validates values; a struct with an invariant checks it in
// `bool valid() const`.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/kinds.hpp"

namespace conch {

namespace detail {

inline void put_tagged(std::string& out, int tag, std::uint64_t number, int bytes) {
  std::array<char, 9> form{static_cast<char>(tag)};
  for (int i = 1; i <= bytes; ++i)
    form[static_cast<std::size_t>(i)] = static_cast<char>((number >> 8 * (bytes - i)) & 0xff);
  out.append(form.data(), static_cast<std::size_t>(bytes) + 1);
}

inline void put_number(std::string& out, std::uint64_t number) {
  if (number < 0x80) return void(out += static_cast<char>(number));
  if (number <= 0xff) return put_tagged(out, 0xcc, number, 1);
  if (number <= 0xffff) return put_tagged(out, 0xcd, number, 2);
  if (number <= 0xffff'ffff) return put_tagged(out, 0xce, number, 4);
  put_tagged(out, 0xcf, number, 8);
}

inline void put_array(std::string& out, std::size_t elements) {
  if (elements < 16) return void(out += static_cast<char>(0x90 | elements));
  if (elements <= 0xffff) return put_tagged(out, 0xdc, elements, 2);
  put_tagged(out, 0xdd, elements, 4);
}

inline void put_text(std::string& out, std::string_view text) {
  if (text.size() < 32) {
    out += static_cast<char>(0xa0 | text.size());
  } else if (text.size() <= 0xff) {
    put_tagged(out, 0xd9, text.size(), 1);
  } else if (text.size() <= 0xffff) {
    put_tagged(out, 0xda, text.size(), 2);
  } else {
    CONCH_EXPECT(text.size() <= 0xffff'ffff, "a text is shorter than 4 GiB");
    put_tagged(out, 0xdb, text.size(), 4);
  }
  out += text;
}

inline constexpr char nil = static_cast<char>(0xc0);

template <class T>
concept HasInvariant = requires(const T& value) {
  { value.valid() } -> std::same_as<bool>;
};

}  // namespace detail

/// Bytes that another layer encodes and decodes. Nothing follows them: decoding takes all that is
/// left.
struct Encoded {
  std::string bytes;
  CONCH_FIELDS(Encoded, bytes)
};

template <class T>
void encode(std::string& out, const T& value) {
  if constexpr (std::derived_from<T, Encoded>) {
    out += value.bytes;
  } else if constexpr (Number<T>) {
    detail::put_number(out, to_number(value));
  } else if constexpr (Text<T>) {
    detail::put_text(out, value);
  } else if constexpr (Maybe<T>) {
    value ? encode(out, *value) : void(out += detail::nil);
  } else if constexpr (Choice<T>) {
    detail::put_array(out, 2);
    detail::put_number(out, value.index());
    std::visit([&](const auto& chosen) { encode(out, chosen); }, value);
  } else if constexpr (Pair<T>) {
    detail::put_array(out, 2);
    encode(out, value.first);
    encode(out, value.second);
  } else if constexpr (HasFields<T>) {
    detail::put_array(out, T::field_count);
    visit_fields(value, [&](std::string_view, const auto& field) { encode(out, field); });
  } else {
    detail::put_array(out, std::ranges::size(value));
    for (const auto& element : value) encode(out, element);
  }
}

/// Reads what `encode` wrote. After the first mistake every further read fails, and `error` says
/// what was wrong and where.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  /// Whether everything was read; trailing bytes are a mistake too.
  bool finish() {
    if (ok() && at_ != bytes_.size()) fail("bytes are left over");
    return ok();
  }

  template <class T>
  bool decode(T& value) {
    if constexpr (std::derived_from<T, Encoded>) {
      return decode_rest(value.bytes);
    } else if constexpr (Number<T>) {
      return decode_number(value);
    } else if constexpr (Text<T>) {
      return decode_text(value);
    } else if constexpr (Maybe<T>) {
      return decode_maybe(value);
    } else if constexpr (Choice<T>) {
      return decode_choice(value, std::make_index_sequence<std::variant_size_v<T>>{});
    } else if constexpr (Pair<T>) {
      return expect_array(2) && decode(value.first) && decode(value.second);
    } else if constexpr (HasFields<T>) {
      if (!expect_array(T::field_count)) return false;
      visit_fields(value, [&](std::string_view, auto& field) { ok() && decode(field); });
      return ok() && validate(value);
    } else {
      return decode_sequence(value);
    }
  }

 private:
  bool fail(std::string_view what) {
    if (ok()) error_ = std::string(what) + " at byte " + std::to_string(at_);
    return false;
  }
  bool take_big_endian(std::size_t bytes, std::uint64_t& number) {
    if (bytes_.size() - at_ < bytes) return fail("the input ends inside a number");
    number = 0;
    for (std::size_t i = 0; i < bytes; ++i)
      number = (number << 8) | static_cast<unsigned char>(bytes_[at_++]);
    return true;
  }
  bool take_number(std::uint64_t& number) {
    std::uint64_t tag = 0;
    if (!ok() || !take_big_endian(1, tag)) return false;
    if (tag < 0x80) return number = tag, true;
    switch (tag) {
      case 0xcc: return take_big_endian(1, number);
      case 0xcd: return take_big_endian(2, number);
      case 0xce: return take_big_endian(4, number);
      case 0xcf: return take_big_endian(8, number);
      default: return fail("expected an unsigned number");
    }
  }
  bool take_array(std::size_t& elements) {
    std::uint64_t tag = 0;
    std::uint64_t number = 0;
    if (!ok() || !take_big_endian(1, tag)) return false;
    if ((tag & 0xf0) == 0x90) {
      number = tag & 0x0f;
    } else if (tag != 0xdc && tag != 0xdd) {
      return fail("expected an array");
    } else if (!take_big_endian(tag == 0xdc ? 2 : 4, number)) {
      return false;
    }
    // Every element takes at least a byte.
    if (number > bytes_.size() - at_) return fail("an array is longer than its input");
    elements = number;
    return true;
  }
  bool expect_array(std::size_t elements) {
    std::size_t found = 0;
    if (!take_array(found)) return false;
    return found == elements || fail("an array has the wrong number of elements");
  }

  template <class T>
  bool validate([[maybe_unused]] const T& value) {
    if constexpr (detail::HasInvariant<T>)
      if (!value.valid()) return fail("a malformed " + std::string(T::type_name) + " ends");
    return true;
  }
  template <Number T>
  bool decode_number(T& value) {
    std::uint64_t number = 0;
    if (!take_number(number)) return false;
    std::optional<T> found = from_number<T>(number);
    if (!found) return fail("a number is out of range");
    value = *found;
    return true;
  }
  bool decode_text(std::string& value) {
    std::uint64_t tag = 0;
    std::uint64_t length = 0;
    if (!ok() || !take_big_endian(1, tag)) return false;
    if ((tag & 0xe0) == 0xa0) {
      length = tag & 0x1f;
    } else if (tag < 0xd9 || tag > 0xdb) {
      return fail("expected a text");
    } else if (!take_big_endian(std::size_t{1} << (tag - 0xd9), length)) {
      return false;
    }
    if (length > bytes_.size() - at_) return fail("a text is longer than its input");
    value.assign(bytes_, at_, length);
    at_ += length;
    return true;
  }
  bool decode_rest(std::string& value) {
    if (!ok() || at_ == bytes_.size()) return fail("the input ends before a message");
    value.assign(bytes_, at_);
    at_ = bytes_.size();
    return true;
  }
  template <class T>
  bool decode_maybe(T& value) {
    value.reset();
    if (!ok()) return false;
    if (at_ < bytes_.size() && bytes_[at_] == detail::nil) return ++at_, true;
    return decode(value.emplace());
  }
  template <class T, std::size_t... indices>
  bool decode_choice(T& value, std::index_sequence<indices...>) {
    std::uint64_t index = 0;
    if (!expect_array(2) || !take_number(index)) return false;
    bool known = ((index == indices && (decode(value.template emplace<indices>()), true)) || ...);
    return known ? ok() : fail("an unknown kind of message");
  }
  template <class T>
  bool decode_sequence(T& values) {
    std::size_t elements = 0;
    if (!take_array(elements)) return false;
    std::vector<Element<T>> read;
    read.reserve(std::min(elements, trusted_elements));
    for (std::size_t i = 0; i < elements; ++i)
      if (!decode(read.emplace_back())) return false;
    if constexpr (std::constructible_from<T, std::vector<Element<T>>>) {
      values = T(std::move(read));
    } else {
      values = T(read.begin(), read.end());
    }
    return true;
  }
  /// Room is reserved in advance for at most this many elements: a false length costs little.
  static constexpr std::size_t trusted_elements = 64;
  // A map's element has a constant key; read it as a pair that can be assigned.
  template <class T>
  struct ElementOf {
    using type = std::ranges::range_value_t<T>;
  };
  template <class T>
  requires requires { typename T::mapped_type; }
  struct ElementOf<T> {
    using type = std::pair<typename T::key_type, typename T::mapped_type>;
  };
  template <class T>
  using Element = typename ElementOf<T>::type;

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::string error_;
};

}  // namespace conch
