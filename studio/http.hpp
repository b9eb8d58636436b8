// An HTTP/1.1 server for the browser of one person on this machine: 127.0.0.1 only, one request per connection. Every
// request passes the gate (gate.hpp) before its body is read.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shoal::studio {

struct Request {
  std::string method;  // GET or POST
  std::string path;    // decoded; begins with /, without empty parts, "." and ".."
  std::map<std::string, std::string> query;
  std::string body;  // JSON of a POST
};

// The policy that forbids everything.
inline constexpr const char* nothing_allowed =
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

struct Response {
  unsigned status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body{};
  std::string policy = nothing_allowed;  // Content-Security-Policy
  std::vector<std::pair<std::string, std::string>> fields{};
};

// Receives a body of any size in pieces. If it is destroyed without finish(), nothing is kept.
class Upload {
 public:
  Upload() = default;
  virtual ~Upload() = default;
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;
  virtual void take(std::string_view bytes) = 0;
  virtual Response finish() = 0;
};

// The content of a server. The functions are called from several threads. Exceptions become responses: an Error with
// its message, others without one.
struct Site {
  std::function<Response(const Request&)> answer;
  // Receives every POST of type application/octet-stream. If not set, such requests are refused.
  std::function<std::unique_ptr<Upload>(const Request&)> upload{};
  // Called once when the server ends, before it waits for pending answers.
  std::function<void()> stopping{};
};

struct Limits {
  std::size_t head_bytes = std::size_t{1} << 14;
  std::uint64_t body_bytes = std::uint64_t{1} << 16;
  std::uint64_t upload_bytes = std::uint64_t{1} << 32;
  std::size_t connections = 64;
  std::chrono::milliseconds request_time{10'000};  // for the head and for the body
  std::chrono::milliseconds stall_time{60'000};    // for each piece of an upload, and for sending an answer
};

class Server {
 public:
  // Port 0 means any free port. Throws if the port is in use.
  Server(std::uint16_t port, Site site, Limits limits = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] std::string address() const;     // http://127.0.0.1:PORT/
  [[nodiscard]] std::string first_link() const;  // with the token
  [[nodiscard]] std::string cookie() const;      // the cookie that a browser sends after the first link

  // Serves until stop() is called, from any thread, or until one of these signals arrives.
  void run(const std::vector<int>& signals = {});
  void stop();

 private:
  struct Running;
  std::unique_ptr<Running> running_;
};

// Returns the response to an error: {"error": message}.
Response refusal(unsigned status, const std::string& message);
Response json_response(std::string json);

}  // namespace shoal::studio
