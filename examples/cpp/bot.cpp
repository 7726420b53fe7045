// A whole bot for Tabiya with Boost.Beast and nlohmann/json: it plays every game, and comes back when it is cut off.
// To make it yours, change choose.
//
//     bot [ADDRESS [NAME [GAME ...]]]        a name may also be in $TABIYA_NAME, a token is in $TABIYA_TOKEN

#include <algorithm>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <thread>

using boost::asio::ip::tcp;
using json = nlohmann::json;
namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;

// Close codes after which there is no coming back.
const std::set<int> FINAL{1009, 4000, 4001, 4003, 4004, 4005, 4010, 4011, 4012};
const double SHORTEST_WAIT_S = 0.25, LONGEST_WAIT_S = 15;

std::mt19937 chance{std::random_device{}()};

// One of turn["legal_moves"]; turn["position"] is the board, turn["move_limit_ms"] the time there is.
json choose(const json& turn) {
    const json& moves = turn["legal_moves"];
    return moves[std::uniform_int_distribution<std::size_t>{0, moves.size() - 1}(chance)];
}

struct Bot {
    json name = std::getenv("TABIYA_NAME") ? std::getenv("TABIYA_NAME") : "cpp";
    json games = json::array();       // none: every game of the server
    json turn;                        // the one answered last
    double wait_s = SHORTEST_WAIT_S;  // before the next attempt to connect, up to twice as long

    // Connects and answers every message until the connection ends; returns how it was closed. Throws system_error.
    websocket::close_reason play(const std::string& host, const std::string& port) {
        boost::asio::io_context io;
        websocket::stream<tcp::socket> server{io};
        boost::asio::connect(server.next_layer(), tcp::resolver{io}.resolve(host, port));
        server.handshake(host + ":" + port, "/");  // a client that names no subprotocol speaks JSON
        boost::system::error_code error;
        const auto send = [&](const json& message) { server.write(boost::asio::buffer(message.dump()), error); };
        const char* token = std::getenv("TABIYA_TOKEN");
        send({{"type", "hello"}, {"name", name}, {"token", token ? token : ""}});
        for (;;) {
            beast::flat_buffer frame;
            server.read(frame, error);
            if (error == websocket::error::closed) return server.reason();
            if (error) throw beast::system_error{error};
            receive(json::parse(beast::buffers_to_string(frame.data())), send);
        }
    }

    // Does what a message asks for; one that we do not know asks for nothing.
    template <typename Send>
    void receive(const json& message, Send send) {
        const auto move = [&] {
            send({{"type", "move"}, {"match", turn["match"]}, {"ply", turn["ply"]}, {"move", choose(turn)}});
        };
        const auto text = [&](const char* field) { return message[field].get<std::string>(); };
        if (const json& type = message["type"]; type == "welcome") {
            wait_s = SHORTEST_WAIT_S;
            for (const json& game : games.empty() ? message["games"] : games) send({{"type", "seek"}, {"game", game}});
        } else if (type == "turn") {
            turn = message;
            move();
        } else if (type == "refused") {
            std::cout << "refused: " << text("message") << std::endl;
            if (const json& code = message["code"]; code == "illegal_move" || code == "unreadable_move") move();
        } else if (type == "match_ended") {
            std::cout << text("game") << ", match " << message["match"] << ": " << text("result") << std::endl;
        } else if (type == "busy") {
            wait_s += message["retry_ms"].get<double>() / 1000;
        }
    }
};

int main(int count, char* arguments[]) {
    const std::string address = count > 1 ? arguments[1] : "ws://127.0.0.1:8765";
    std::smatch parts;
    if (!std::regex_match(address, parts, std::regex("ws://([^:/]+):([0-9]+)/?"))) {
        std::cerr << "the address must be ws://HOST:PORT, not " << address << std::endl;
        return 2;
    }
    Bot bot;
    if (count > 2) bot.name = arguments[2];
    for (int i = 3; i < count; ++i) bot.games.push_back(arguments[i]);
    for (;;) {
        try {
            const auto end = bot.play(parts[1], parts[2]);
            std::cout << "the connection has ended: " << end.code << " " << end.reason << std::endl;
            if (FINAL.count(end.code)) return 1;
        } catch (const beast::system_error& error) {
            std::cout << address << ": " << error.what() << std::endl;
        }
        std::uniform_real_distribution<> part{1, 2};  // so as not to come in a herd
        std::this_thread::sleep_for(std::chrono::duration<double>(bot.wait_s * part(chance)));
        bot.wait_s = std::min(2 * bot.wait_s, LONGEST_WAIT_S);
    }
}
