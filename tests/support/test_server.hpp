// A server of the studio in this process, whose site counts what reaches it.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "shoal/error.hpp"
#include "studio/http.hpp"

namespace shoal::testing {

using studio::Limits;
using studio::Request;
using studio::Response;

class TestServer {
 public:
  explicit TestServer(Limits limits = patient())
      : server_(0,
                {.answer = [this](const Request& request) { return answer(request); },
                 .upload = [this](const Request&) { return std::make_unique<Kept>(*this); }},
                limits),
        thread_([this] { server_.run(); }) {
    const std::string address = server_.address();
    port_ = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  }
  ~TestServer() {
    server_.stop();
    thread_.join();
  }

  static Limits patient() {
    Limits limits;
    limits.upload_bytes = 1 << 20;
    return limits;
  }
  static Limits quick() {
    Limits limits = patient();
    limits.request_time = limits.stall_time = std::chrono::milliseconds(500);
    return limits;
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string host() const { return fmt::format("127.0.0.1:{}", port_); }
  [[nodiscard]] std::string cookie() const { return server_.cookie(); }
  [[nodiscard]] std::string link() const { return server_.first_link(); }
  [[nodiscard]] std::string token() const { return link().substr(link().find('=') + 1); }
  [[nodiscard]] int reached() const { return reached_; }
  [[nodiscard]] int begun() const { return begun_; }  // uploads
  [[nodiscard]] int kept() const { return kept_; }
  [[nodiscard]] int dropped() const { return dropped_; }

  [[nodiscard]] std::string get(const std::string& target) const {
    return fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n\r\n", target, host(), cookie());
  }
  [[nodiscard]] std::string post(const std::string& body, const std::string& type = "application/json") const {
    return fmt::format(
        "POST /x HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nCookie: {1}\r\nContent-Type: {2}\r\nContent-Length: "
        "{3}\r\n\r\n{4}",
        host(), cookie(), type, body.size(), body);
  }

 private:
  struct Kept : studio::Upload {
    explicit Kept(TestServer& of) : server(of) { ++server.begun_; }
    ~Kept() override { server.dropped_ += done ? 0 : 1; }
    void take(std::string_view more) override { bytes += more.size(); }
    Response finish() override {
      done = true;
      ++server.kept_;
      return {.body = fmt::format("{} bytes", bytes)};
    }
    TestServer& server;
    std::size_t bytes = 0;
    bool done = false;
  };

  Response answer(const Request& request) {
    ++reached_;
    if (request.path == "/refuse") throw InputError("it is \xff refused");
    if (request.path == "/fail") throw std::runtime_error("what nobody should read");
    return {.body = fmt::format("behind the gate: {} {} {}", request.method, request.path, request.body)};
  }

  std::atomic<int> begun_ = 0, reached_ = 0, kept_ = 0, dropped_ = 0;
  studio::Server server_;
  std::thread thread_;
  std::uint16_t port_ = 0;
};

}  // namespace shoal::testing
