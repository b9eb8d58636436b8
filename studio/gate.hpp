// Who may ask for what. Pure: a head of a request in, a refusal or nothing out.
//
// A page of another site can make a browser send requests here, and a name that it owns can be made to resolve to
// 127.0.0.1. So every request must name 127.0.0.1 as its host, must not come from another origin, and must hold the
// session's cookie, which the browser got by the link with the token and sends along from our own pages only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "studio/http.hpp"

namespace shoal::studio {

// The head of a request as it came.
struct Head {
  std::string method, target;
  unsigned version = 11;
  std::vector<std::pair<std::string, std::string>> fields;  // names in lower case; in their order
};

struct Passed {
  Request request;           // without its body
  std::uint64_t length = 0;  // of the body
  bool is_upload = false;
};

class Gate {
 public:
  // Token and session: 256 bits each, from the operating system's generator.
  explicit Gate(std::uint16_t port);

  // Either what may pass, or the answer that ends it. No answer repeats anything of the request.
  [[nodiscard]] std::pair<std::optional<Passed>, Response> check(const Head& head) const;

  [[nodiscard]] const std::string& host() const noexcept { return host_; }  // 127.0.0.1:PORT
  [[nodiscard]] const std::string& token() const noexcept { return token_; }
  [[nodiscard]] std::string cookie() const { return cookie_name_ + "=" + session_; }

 private:
  [[nodiscard]] Response enter() const;

  std::string host_, token_, session_, cookie_name_;
};

// Of a request's target; nothing: malformed.
std::optional<Request> parse_target(std::string_view target);

}  // namespace shoal::studio
