#include "studio/gate.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "shoal/error.hpp"

namespace shoal::studio {

namespace {

constexpr std::size_t longest_target = 2048;

std::string random_words() {
  std::array<unsigned char, 32> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
    throw Error(ErrorKind::internal, "the system has no random bytes for the studio's address");
  }
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  OPENSSL_cleanse(bytes.data(), bytes.size());
  return text;
}

bool same_secret(std::string_view given, const std::string& secret) {
  return given.size() == secret.size() && CRYPTO_memcmp(given.data(), secret.data(), secret.size()) == 0;
}

// Its only value; nothing: it is not there. `twice` is set where it is there more than once.
std::optional<std::string> only(const Head& head, std::string_view name, bool& twice) {
  std::optional<std::string> found;
  for (const auto& [field, value] : head.fields) {
    if (field != name) continue;
    twice = twice || found.has_value();
    found = value;
  }
  return found;
}

bool has(const Head& head, std::string_view name) {
  return std::any_of(head.fields.begin(), head.fields.end(), [&](const auto& field) { return field.first == name; });
}

// Percent-decoded. Nothing: malformed, or it holds a control character or a backslash.
std::optional<std::string> decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      unsigned value = 0;
      const std::string_view digits = text.substr(i + 1, 2);
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
      if (digits.size() != 2 || error != std::errc{} || end != digits.data() + 2) return std::nullopt;
      c = static_cast<char>(value);
      i += 2;
    }
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\') return std::nullopt;
    result += c;
  }
  return result;
}

bool is_plain_path(std::string_view path) {
  if (path == "/") return true;
  while (!path.empty()) {
    if (!path.starts_with('/')) return false;
    path.remove_prefix(1);
    const std::string_view part = path.substr(0, path.find('/'));
    if (part.empty() || part == "." || part == "..") return false;
    path.remove_prefix(part.size());
  }
  return true;
}

// The session's value; nothing: not exactly one.
std::optional<std::string> cookie_value(std::string_view cookies, const std::string& name) {
  std::optional<std::string> found;
  while (!cookies.empty()) {
    std::string_view pair = cookies.substr(0, cookies.find(';'));
    cookies.remove_prefix(std::min(cookies.size(), pair.size() + 1));
    pair.remove_prefix(std::min(pair.size(), pair.find_first_not_of(' ')));
    if (!pair.starts_with(name + "=")) continue;
    if (found) return std::nullopt;
    found = pair.substr(name.size() + 1);
  }
  return found;
}

}  // namespace

std::optional<Request> parse_target(std::string_view target) {
  if (!target.starts_with('/') || target.size() > longest_target) return std::nullopt;
  const std::size_t question = target.find('?');
  const auto path = decoded(target.substr(0, question));
  if (!path || !is_plain_path(*path) || target.find('#') != std::string_view::npos) return std::nullopt;
  Request request{.method = {}, .path = *path, .query = {}, .body = {}};
  std::string_view rest = question == std::string_view::npos ? "" : target.substr(question + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const auto name = decoded(pair.substr(0, equals)), value = decoded(pair.substr(equals + 1));
    if (!name || !value || !request.query.emplace(*name, *value).second) return std::nullopt;
  }
  return request;
}

Gate::Gate(std::uint16_t port)
    : host_(fmt::format("127.0.0.1:{}", port)),
      token_(random_words()),
      session_(random_words()),
      cookie_name_(fmt::format("shoal-{}", port)) {}  // browsers keep cookies per host, not per port

// The next page is requested by this page, not by the site that held the link. So the browser sends the cookie.
Response Gate::enter() const {
  return {.type = "text/html; charset=utf-8",
          .body =
              "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Shoal</title>"
              "<meta http-equiv=\"refresh\" content=\"0;url=/\"><p><a href=\"/\">Continue</a></p></html>\n",
          .fields = {{"Set-Cookie", fmt::format("{}; Path=/; HttpOnly; SameSite=Strict", cookie())}}};
}

std::pair<std::optional<Passed>, Response> Gate::check(const Head& head) const {
  const auto refuse = [](unsigned status, const char* message) {
    return std::pair<std::optional<Passed>, Response>{std::nullopt, refusal(status, message)};
  };
  if (head.version != 11) return refuse(505, "this server speaks HTTP/1.1");
  if (head.method != "GET" && head.method != "POST") return refuse(405, "this server knows GET and POST");
  const bool posts = head.method == "POST";
  bool twice = false;
  const auto host = only(head, "host", twice), origin = only(head, "origin", twice),
             cookies = only(head, "cookie", twice), site = only(head, "sec-fetch-site", twice),
             length_text = only(head, "content-length", twice), type = only(head, "content-type", twice);
  if (twice) return refuse(400, "a header field is given twice");
  if (host != host_)
    return refuse(403, "this server answers to the address that its terminal shows, and no other name");
  if ((origin && *origin != "http://" + host_) || (posts && !origin))
    return refuse(403, "requests come from its own pages");

  if (has(head, "transfer-encoding")) return refuse(501, "a body has a Content-Length");
  if (has(head, "expect")) return refuse(417, "no expectation is met");
  if (has(head, "upgrade")) return refuse(400, "nothing is upgraded");
  if (has(head, "range")) return refuse(400, "no part of an answer is sent");
  std::uint64_t length = 0;
  if (length_text) {
    const char* end_of_text = length_text->data() + length_text->size();
    const auto [end, error] = std::from_chars(length_text->data(), end_of_text, length);
    if (error != std::errc{} || end != end_of_text) return refuse(400, "Content-Length is not a number");
  }
  if (posts && !length_text) return refuse(411, "a body has a Content-Length");
  if (!posts && length > 0) return refuse(400, "GET has no body");

  auto request = parse_target(head.target);
  if (!request) return refuse(400, "the address is malformed");
  request->method = head.method;
  if (const auto token = request->query.find("token"); token != request->query.end()) {
    if (posts || request->path != "/" || request->query.size() != 1 || !same_secret(token->second, token_)) {
      return refuse(403, "the token is wrong; open the link that the terminal shows");
    }
    return {std::nullopt, enter()};
  }
  if (site && *site != "same-origin" && *site != "none") return refuse(403, "requests come from its own pages");
  const auto session = cookies ? cookie_value(*cookies, cookie_name_) : std::nullopt;
  if (!session || !same_secret(*session, session_)) return refuse(403, "open the link that the terminal shows");

  const bool is_upload = posts && type == "application/octet-stream";
  if (posts && !is_upload && type != "application/json") return refuse(415, "a body is JSON, or a file");
  return {Passed{.request = std::move(*request), .length = length, .is_upload = is_upload}, {}};
}

}  // namespace shoal::studio
