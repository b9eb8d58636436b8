// An HTTP/1.1 server for the browser of one person on this machine: 127.0.0.1 alone, one request a connection, and
// every request passes the gate (gate.hpp) before its body is read.
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
  std::string path;    // decoded: begins with /, no part of it is empty, "." or ".."
  std::map<std::string, std::string> query;
  std::string body;  // of POST; JSON
};

// Forbids everything.
inline constexpr const char* nothing_allowed =
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

struct Response {
  unsigned status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body{};
  std::string policy = nothing_allowed;  // Content-Security-Policy
  std::vector<std::pair<std::string, std::string>> fields{};
};

// A body of any size, taken as it comes. Destroyed without finish(): nothing of it stays.
class Upload {
 public:
  Upload() = default;
  virtual ~Upload() = default;
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;
  virtual void take(std::string_view bytes) = 0;
  virtual Response finish() = 0;
};

// What a server shows. Called from several threads at a time. What they throw becomes a response: an Error its message,
// all else a refusal without one.
struct Site {
  std::function<Response(const Request&)> answer;
  // Takes every POST of type application/octet-stream; none: such requests are refused.
  std::function<std::unique_ptr<Upload>(const Request&)> upload{};
  // Called once when the server ends, before it waits for answers that are under way.
  std::function<void()> stopping{};
};

struct Limits {
  std::size_t head_bytes = std::size_t{1} << 14;
  std::uint64_t body_bytes = std::uint64_t{1} << 16;
  std::uint64_t upload_bytes = std::uint64_t{1} << 32;
  std::size_t connections = 64;
  std::chrono::milliseconds request_time{10'000};  // for the head, and for a body
  std::chrono::milliseconds stall_time{60'000};    // for each piece of an upload, and for an answer to be taken
};

class Server {
 public:
  // Port 0: a free one. Refuses a port that is taken.
  Server(std::uint16_t port, Site site, Limits limits = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] std::string address() const;     // http://127.0.0.1:PORT/
  [[nodiscard]] std::string first_link() const;  // with the token
  [[nodiscard]] std::string cookie() const;      // what a browser sends after the first link

  // Serves until stop(), from any thread, or until one of these signals comes.
  void run(const std::vector<int>& signals = {});
  void stop();

 private:
  struct Running;
  std::unique_ptr<Running> running_;
};

// Of an error: {"error": message}.
Response refusal(unsigned status, const std::string& message);
Response json_response(std::string json);

}  // namespace shoal::studio
