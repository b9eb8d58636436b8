// What the server answers, to whom, and how it stands slow clients and load. Attacks: attacks_test.cpp.
#include <dirent.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <set>
#include <thread>

#include "raw_http.hpp"
#include "shoal/error.hpp"
#include "studio/gate.hpp"
#include "test_server.hpp"

namespace shoal::studio {
namespace {

using namespace testing;

TEST(Server, ItsOwnPagesGetAnswers) {
  TestServer server;
  const std::string page = ask(server.port(), server.get("/a%20b/c?d=%26"));
  EXPECT_EQ(status_of(page), 200);
  EXPECT_NE(page.find("behind the gate: GET /a b/c"), std::string::npos) << page;
  const std::string posted = ask(server.port(), server.post("{}"));
  EXPECT_NE(posted.find("behind the gate: POST /x {}"), std::string::npos) << posted;
  for (const char* field : {"Content-Security-Policy: default-src 'none'", "X-Content-Type-Options: nosniff",
                            "Referrer-Policy: no-referrer", "Cache-Control: no-store", "Connection: close"}) {
    EXPECT_NE(page.find(field), std::string::npos) << field;
  }
}

TEST(Server, TheLinkGivesACookieThatScriptsAndOtherSitesCannotUse) {
  TestServer server;
  const std::string entered =
      ask(server.port(), fmt::format("GET /?token={} HTTP/1.1\r\nHost: {}\r\nSec-Fetch-Site: cross-site\r\n\r\n",
                                     server.token(), server.host()));
  EXPECT_EQ(status_of(entered), 200);
  EXPECT_NE(entered.find(fmt::format("Set-Cookie: {}; Path=/; HttpOnly; SameSite=Strict\r\n", server.cookie())),
            std::string::npos)
      << entered;
  EXPECT_EQ(entered.find(server.token()), std::string::npos);
  EXPECT_EQ(server.reached(), 0);
}

TEST(Server, TwoServersShareNoSecret) {
  std::set<std::string> secrets;
  for (int i = 0; i < 50; ++i) {
    const Gate gate(4000);
    EXPECT_EQ(gate.token().size(), 64u);
    secrets.insert(gate.token());
    secrets.insert(gate.cookie());
  }
  EXPECT_EQ(secrets.size(), 100u);
}

TEST(Server, FailuresAreToldWithoutWhatIsInside) {
  TestServer server;
  const std::string refused = ask(server.port(), server.get("/refuse"));
  EXPECT_EQ(status_of(refused), 400);
  EXPECT_NE(refused.find("{\"error\":\"it is \xef\xbf\xbd refused\"}"), std::string::npos) << refused;
  const std::string failed = ask(server.port(), server.get("/fail"));
  EXPECT_EQ(status_of(failed), 500);
  EXPECT_EQ(failed.find("nobody"), std::string::npos);
}

TEST(Server, SlowClientsAreDropped) {
  TestServer server(TestServer::quick());
  const std::string whole = server.post("{}"), file = server.post("abcdef", "application/octet-stream");
  std::vector<std::string> starts = {"", "G", "GET / HTTP/1.1\r\n", whole.substr(0, whole.size() - 1),
                                     file.substr(0, file.size() - 3)};
  std::vector<std::unique_ptr<RawConnection>> connections;
  for (const std::string& start : starts) {
    connections.push_back(std::make_unique<RawConnection>(server.port()));
    connections.back()->send(start);
  }
  while (status_of(ask(server.port(), server.get("/"))) != 200) continue;  // others are served meanwhile
  const int reached = server.reached();
  for (const auto& connection : connections) EXPECT_EQ(connection->receive(), "");
  EXPECT_EQ(server.reached(), reached);
  while (server.dropped() != 1) std::this_thread::yield();  // soon after the connection is closed
}

TEST(Server, AClientThatDripsIsDroppedAllTheSame) {
  TestServer server(TestServer::quick());
  RawConnection connection(server.port());
  const auto start = std::chrono::steady_clock::now();
  connection.send("GET / HTTP/1.1\r\nX: ");
  while (connection.send("a")) {
    std::this_thread::yield();
    ASSERT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
  }
  EXPECT_EQ(server.reached(), 0);
}

TEST(Server, MoreConnectionsThanAllowedAreClosedAndOthersServedAgain) {
  Limits limits = TestServer::quick();
  limits.connections = 4;
  TestServer server(limits);
  std::vector<std::unique_ptr<RawConnection>> idle;
  for (int i = 0; i < 12; ++i) idle.push_back(std::make_unique<RawConnection>(server.port()));
  for (const auto& connection : idle) EXPECT_EQ(connection->receive(), "");  // at once, or when their time is over
  while (status_of(ask(server.port(), server.get("/"))) != 200) continue;
}

// Whoever has no token cannot keep the owner out, however many connections they hold.
TEST(Server, ConnectionsThatOnlyWaitGiveWayToARequest) {
  Limits limits = TestServer::patient();
  limits.connections = 4;
  TestServer server(limits);
  std::vector<std::unique_ptr<RawConnection>> idle;
  for (int i = 0; i < 12; ++i) {
    idle.push_back(std::make_unique<RawConnection>(server.port()));
    if (i % 3 == 1) idle.back()->send("GET / HTTP/1.1\r\n");
    if (i % 3 == 2) idle.back()->send("GET / HTTP/1.1\r\nHost: nowhere\r\n\r\n");  // refused, and not yet closed
  }
  for (int i = 0; i < 20; ++i) EXPECT_EQ(status_of(ask(server.port(), server.get("/"))), 200) << i;
}

TEST(Server, ARequestWithTheTokenKeepsItsPlace) {
  Limits limits = TestServer::patient();
  limits.connections = 4;
  TestServer server(limits);
  const std::string whole = server.post(std::string(100'000, 'a'), "application/octet-stream");
  std::vector<std::unique_ptr<RawConnection>> uploads;
  for (int i = 0; i < 4; ++i) {
    uploads.push_back(std::make_unique<RawConnection>(server.port()));
    uploads.back()->send(whole.substr(0, 70'000));
  }
  while (server.begun() < 4) std::this_thread::yield();
  for (int i = 0; i < 8; ++i) EXPECT_EQ(ask(server.port(), server.get("/")), "") << "there is no place left";
  for (const auto& upload : uploads) {
    upload->send(whole.substr(70'000));
    EXPECT_NE(upload->receive().find("100000 bytes"), std::string::npos);
  }
}

TEST(Server, AnUploadComesInPiecesAndIsDroppedWhenItBreaksOff) {
  TestServer server;
  const std::string whole = server.post(std::string(300'000, 'a'), "application/octet-stream");
  EXPECT_NE(ask(server.port(), whole).find("300000 bytes"), std::string::npos);
  EXPECT_NE(ask(server.port(), server.post("", "application/octet-stream")).find("0 bytes"), std::string::npos);
  EXPECT_EQ(server.kept(), 2);
  RawConnection connection(server.port());
  connection.send(whole.substr(0, 200'000));
  connection.no_more();
  EXPECT_EQ(connection.receive(), "");
  EXPECT_EQ(server.kept(), 2);
  EXPECT_EQ(server.dropped(), 1);
}

std::size_t descriptors() {
  std::size_t count = 0;
  DIR* folder = ::opendir("/proc/self/fd");
  while (::readdir(folder) != nullptr) ++count;
  ::closedir(folder);
  return count;
}

std::size_t resident_pages() {
  std::ifstream file("/proc/self/statm");
  std::size_t size = 0, resident = 0;
  file >> size >> resident;
  return resident;
}

TEST(Server, TenThousandRequestsLeaveNothingBehind) {
  TestServer server(Limits{});
  constexpr int requests = 10'000;
  const auto load = [&](int count) {
    const std::vector<std::string> kinds = {server.get("/"),
                                            server.post("{}"),
                                            server.get("/refuse"),
                                            "nonsense\r\n\r\n",
                                            server.post(std::string(5000, 'a'), "application/octet-stream"),
                                            "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"};
    std::vector<std::thread> clients;
    std::atomic<int> answered = 0;
    for (int client = 0; client < 4; ++client) {
      clients.emplace_back([&, client] {
        for (int i = client; i < count; i += 4) {
          answered += status_of(ask(server.port(), kinds[static_cast<std::size_t>(i) % kinds.size()])) > 0 ? 1 : 0;
        }
      });
    }
    for (std::thread& client : clients) client.join();
    EXPECT_EQ(answered, count);
  };
  load(requests / 5);
  const std::size_t files = descriptors(), pages = resident_pages();
  load(requests);
  EXPECT_LE(descriptors(), files + 4);  // connections that are just being closed
#ifndef __SANITIZE_ADDRESS__
#if !defined(__has_feature)
  EXPECT_LE(resident_pages(), pages + 2048);  // 8 MB
#endif
#endif
  static_cast<void>(pages);
}

TEST(Server, APortThatIsTakenIsRefused) {
  TestServer server;
  try {
    const Server second(server.port(), {.answer = [](const Request&) { return Response{}; }});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("choose another --port"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace shoal::studio
