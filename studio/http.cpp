#include "studio/http.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <functional>
#include <limits>
#include <list>
#include <nlohmann/json.hpp>

#include "shoal/error.hpp"
#include "studio/gate.hpp"

namespace shoal::studio {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using Failed = boost::system::error_code;

Response refusal(unsigned status, const std::string& message) {
  const auto replace = nlohmann::json::error_handler_t::replace;
  Response response = json_response(nlohmann::json{{"error", message}}.dump(-1, ' ', false, replace));
  response.status = status;
  return response;
}

Response json_response(std::string json) {
  return {.type = "application/json; charset=utf-8", .body = std::move(json) + "\n"};
}

struct Server::Running {
  Site site;
  Limits limits;
  std::size_t connections = 0;                // of the context's thread, as all that follows
  std::list<std::function<void()>> unproven;  // each closes a connection that has not passed the gate; oldest first
  asio::io_context io{1};
  tcp::acceptor acceptor{io};
  std::optional<Gate> gate;
  asio::thread_pool pool{8};
  asio::steady_timer again{io};
  bool stopped = false;

  void accept();
  void end();
  template <class Answer>
  static Response guarded(const Answer& answer);
};

namespace {

unsigned status_of(const Error& error) { return error.kind() == ErrorKind::internal ? 500 : 400; }

}  // namespace

template <class Answer>
Response Server::Running::guarded(const Answer& answer) {
  try {
    return answer();
  } catch (const Error& error) {
    return refusal(status_of(error), error.what());
  } catch (const std::exception&) {
    return refusal(500, "internal error");
  }
}

namespace {

// One connection: head, gate, body, answer, end. Its handlers run on the one thread of the context; answers are made
// elsewhere.
template <class State>
class Session : public std::enable_shared_from_this<Session<State>> {
 public:
  Session(tcp::socket socket, State& server)
      : stream_(std::move(socket)), server_(server), place_(server.unproven.insert(server.unproven.end(), [this] {
          leave();
          stream_.close();
        })) {
    ++server_.connections;
  }
  ~Session() { leave(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start() {
    head_.emplace();
    head_->header_limit(static_cast<std::uint32_t>(server_.limits.head_bytes));
    head_->body_limit(std::numeric_limits<std::uint64_t>::max());  // the gate sees the length first
    stream_.expires_after(server_.limits.request_time);
    http::async_read_header(stream_, buffer_, *head_, next([this](const Failed& error, std::size_t) {
                              if (error == http::error::header_limit) return send(refusal(431, "the head is too long"));
                              if (error &&
                                  error.category() == http::make_error_code(http::error::bad_method).category() &&
                                  error != http::error::end_of_stream && error != http::error::partial_message) {
                                return send(refusal(400, "this is not HTTP"));
                              }
                              if (!error) on_head();
                            }));
  }

 private:
  // Keeps the session alive until the handler has run.
  template <class Handler>
  auto next(Handler handler) {
    return
        [self = this->shared_from_this(), handler = std::move(handler)](auto... arguments) { handler(arguments...); };
  }

  // Does not count any more.
  void leave() {
    prove();
    if (std::exchange(counted_, false)) --server_.connections;
  }
  // From here on no other connection takes the place of this one.
  void prove() {
    if (place_) server_.unproven.erase(*std::exchange(place_, std::nullopt));
  }

  void on_head() {
    const auto& message = head_->get();
    Head head{.method = std::string(message.method_string()),
              .target = std::string(message.target()),
              .version = message.version(),
              .fields = {}};
    for (const auto& field : message) {
      std::string name(field.name_string());
      for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      head.fields.emplace_back(std::move(name), std::string(field.value()));
    }
    auto [passed, response] = server_.gate->check(head);
    if (!passed) return send(std::move(response));
    prove();
    request_ = std::move(passed->request);
    if (passed->is_upload) return start_upload(passed->length);
    if (passed->length > server_.limits.body_bytes) return send(refusal(413, "the body is too large"));
    if (passed->length == 0) return answer();
    body_.emplace(std::move(*head_));
    body_->body_limit(server_.limits.body_bytes);
    stream_.expires_after(server_.limits.request_time);
    http::async_read(stream_, buffer_, *body_, next([this](const Failed& error, std::size_t) {
                       if (error) return;
                       request_.body = std::move(body_->get().body());
                       answer();
                     }));
  }

  void answer() {
    stream_.expires_never();
    asio::post(server_.pool, [self = this->shared_from_this()]() mutable {
      Response response = State::guarded([&] { return self->server_.site.answer(self->request_); });
      const auto context = self->stream_.get_executor();
      asio::post(context, [self = std::move(self), response = std::move(response)]() mutable {
        self->send(std::move(response));
      });
    });
  }

  void start_upload(std::uint64_t length) {
    if (!server_.site.upload) return send(refusal(405, "nothing is taken here"));
    if (length > server_.limits.upload_bytes) {
      return send(refusal(413, "the file is too large to be sent; copy it into the folder instead"));
    }
    const Response failure = State::guarded([this] {
      upload_ = server_.site.upload(request_);
      return Response{};
    });
    if (!upload_) return send(failure);
    if (length == 0) return finish_upload();
    file_.emplace(std::move(*head_));
    file_->body_limit(server_.limits.upload_bytes);
    take_piece();
  }

  void take_piece() {
    file_->get().body().data = piece_.data();
    file_->get().body().size = piece_.size();
    stream_.expires_after(server_.limits.stall_time);
    http::async_read(stream_, buffer_, *file_, next([this](const Failed& error, std::size_t) {
                       if (error && error != http::error::need_buffer) return upload_.reset();
                       const std::size_t taken = piece_.size() - file_->get().body().size;
                       const Response failure = State::guarded([&] {
                         upload_->take({piece_.data(), taken});
                         return Response{};
                       });
                       if (failure.status != 200) {
                         upload_.reset();
                         return send(failure);
                       }
                       return file_->is_done() ? finish_upload() : take_piece();
                     }));
  }

  void finish_upload() {
    const Response response = State::guarded([this] { return upload_->finish(); });
    upload_.reset();
    send(response);
  }

  void send(Response response) {
    out_.version(11);
    out_.result(response.status);
    out_.set(http::field::content_type, response.type);
    out_.set("Content-Security-Policy", response.policy);
    out_.set("X-Content-Type-Options", "nosniff");
    out_.set("Referrer-Policy", "no-referrer");
    out_.set("Cross-Origin-Resource-Policy", "same-origin");
    out_.set(http::field::cache_control, "no-store");
    for (const auto& [name, value] : response.fields) out_.set(name, value);
    out_.body() = std::move(response.body);
    out_.keep_alive(false);
    out_.prepare_payload();
    stream_.expires_after(server_.limits.stall_time);
    http::async_write(stream_, out_, next([this](const Failed& error, std::size_t) {
                        if (error) return;
                        Failed ignored;
                        stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
                        stream_.expires_after(std::chrono::seconds(1));
                        drain(0);
                      }));
  }

  // What still comes is read for a moment: closing with bytes unread would take the answer away from the client.
  void drain(std::size_t so_far) {
    if (so_far > std::size_t{1} << 22) return;
    stream_.async_read_some(asio::buffer(piece_), next([this, so_far](const Failed& error, std::size_t bytes) {
                              if (!error) drain(so_far + bytes);
                            }));
  }

  beast::tcp_stream stream_;
  State& server_;
  std::optional<std::list<std::function<void()>>::iterator> place_;  // in server_.unproven
  bool counted_ = true;
  beast::flat_buffer buffer_{std::size_t{1} << 17};
  std::optional<http::request_parser<http::empty_body>> head_;
  std::optional<http::request_parser<http::string_body>> body_;
  std::optional<http::request_parser<http::buffer_body>> file_;
  http::response<http::string_body> out_;
  std::array<char, 1 << 16> piece_{};
  Request request_;
  std::unique_ptr<Upload> upload_;
};

}  // namespace

void Server::Running::accept() {
  acceptor.async_accept([this](const Failed& error, tcp::socket socket) {
    if (!acceptor.is_open()) return;
    if (error) {  // no descriptor is left: others end first
      again.expires_after(std::chrono::milliseconds(50));
      again.async_wait([this](const Failed& cancelled) {
        if (!cancelled) accept();
      });
      return;
    }
    // Connections that only wait, and those without the token, give way to a new one.
    if (connections >= limits.connections && !unproven.empty()) std::function(unproven.front())();
    if (connections < limits.connections) std::make_shared<Session<Running>>(std::move(socket), *this)->start();
    accept();
  });
}

void Server::Running::end() {
  if (std::exchange(stopped, true)) return;
  Failed ignored;
  acceptor.close(ignored);
  again.cancel();
  if (site.stopping) site.stopping();
  io.stop();
}

Server::Server(std::uint16_t port, Site site, Limits limits) : running_(std::make_unique<Running>()) {
  running_->site = std::move(site);
  running_->limits = limits;
  const tcp::endpoint place(asio::ip::address_v4::loopback(), port);
  Failed error;
  running_->acceptor.open(place.protocol(), error);
  if (!error) running_->acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) running_->acceptor.bind(place, error);
  if (!error) running_->acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    throw InputError(fmt::format("cannot listen on 127.0.0.1:{}: {}; choose another --port, or leave it out", port,
                                 error.message()));
  }
  running_->gate.emplace(running_->acceptor.local_endpoint().port());
  running_->accept();
}

Server::~Server() {
  try {
    running_->end();
    running_->pool.join();
  } catch (const std::exception&) {  // the pool stops its threads itself when it goes
  }
}

std::string Server::address() const { return fmt::format("http://{}/", running_->gate->host()); }
std::string Server::first_link() const { return fmt::format("{}?token={}", address(), running_->gate->token()); }
std::string Server::cookie() const { return running_->gate->cookie(); }

void Server::run(const std::vector<int>& signals) {
  asio::signal_set waiting(running_->io);
  for (const int signal : signals) waiting.add(signal);
  if (!signals.empty()) {
    waiting.async_wait([this](const Failed& error, int) {
      if (!error) running_->end();
    });
  }
  running_->io.run();
  running_->pool.join();
}

void Server::stop() {
  asio::post(running_->io, [this] { running_->end(); });
}

}  // namespace shoal::studio
