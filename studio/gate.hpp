// Decides which requests are served. Pure: takes the head of a request and returns a refusal or nothing.
//
// A page of another site can make a browser send requests here, and a name that it owns can be made to resolve to
// 127.0.0.1. So every request must name 127.0.0.1 as its host, must not come from another origin, and must hold the
// session's cookie, which the browser received with the first link and sends from our own pages only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "studio/http.hpp"

namespace shoal::studio {

// The head of a request as received.
struct Head {
  std::string method, target;
  unsigned version = 11;
  std::vector<std::pair<std::string, std::string>> fields;  // names in lower case, in the order received
};

struct Passed {
  Request request;           // without its body
  std::uint64_t length = 0;  // of the body
  bool is_upload = false;
};

class Gate {
 public:
  // Draws token and session, 256 bits each, from the operating system's generator.
  explicit Gate(std::uint16_t port);

  // Returns the request if it may pass, otherwise the answer that ends it. No answer repeats a part of the request.
  [[nodiscard]] std::pair<std::optional<Passed>, Response> check(const Head& head) const;

  [[nodiscard]] const std::string& host() const noexcept { return host_; }  // 127.0.0.1:PORT
  [[nodiscard]] const std::string& token() const noexcept { return token_; }
  [[nodiscard]] std::string cookie() const { return cookie_name_ + "=" + session_; }

 private:
  [[nodiscard]] Response enter() const;

  std::string host_, token_, session_, cookie_name_;
};

// Parses the target of a request. Returns nothing if it is malformed.
std::optional<Request> parse_target(std::string_view target);

}  // namespace shoal::studio
