// A UCI program that answers at once: a legal move drawn from the position, its ply and a seed. It does not search.
//
//   g++ -std=c++17 -O2 -o instant benchmarks/instant_uci.cpp && ./instant 1
//   ./instant 1 waits               uses its clock, without a processor: all but the last thirty milliseconds if need be
//
// For measuring match runners: what a game with it costs is the runner's doing, and two runners that play the same
// openings get the same games. The benchmark is benchmarks/match.py.
#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

const std::string START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
constexpr int NONE = -1;

struct Move {
    int from, to;
    char promoted;  // 'q', 'r', 'b', 'n', or 0
};

struct Step {
    int files, ranks;
};

const std::vector<Step> KNIGHT = {{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}};
const std::vector<Step> ROOK = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
const std::vector<Step> BISHOP = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
const std::vector<Step> QUEEN = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}};

int moved(int square, Step step) {  // squares: 0 = a1, 63 = h8
    const int file = square % 8 + step.files, rank = square / 8 + step.ranks;
    return file < 0 || file > 7 || rank < 0 || rank > 7 ? NONE : rank * 8 + file;
}

int square_of(const std::string& text) { return (text[1] - '1') * 8 + (text[0] - 'a'); }

std::string name_of(int square) {
    return {static_cast<char>('a' + square % 8), static_cast<char>('1' + square / 8)};
}

struct Position {
    std::array<char, 64> board{};  // 'P' white, 'p' black, 0 empty
    bool white = true;
    std::string castling;
    int passed_over = NONE, ply = 0;  // the square that a pawn has passed over in its double step

    explicit Position(const std::string& fen) {
        std::istringstream words(fen);
        std::string men, side, passed;
        int clock = 0, number = 1, square = 56;
        words >> men >> side >> castling >> passed >> clock >> number;
        for (const char c : men) {
            if (c == '/') square -= 16;
            else if (std::isdigit(c)) square += c - '0';
            else board[square++] = c;
        }
        white = side == "w";
        if (passed != "-") passed_over = square_of(passed);
        ply = 2 * number + (white ? 0 : 1);
    }

    bool own(int square) const { return board[square] && static_cast<bool>(std::isupper(board[square])) == white; }

    bool attacked(int target, bool by_white) const {
        const auto is = [&](int square, char man) {
            return square != NONE && board[square] == (by_white ? man : static_cast<char>(std::tolower(man)));
        };
        for (const int side : {-1, 1})
            if (is(moved(target, {side, by_white ? -1 : 1}), 'P')) return true;
        for (const Step step : KNIGHT)
            if (is(moved(target, step), 'N')) return true;
        for (const Step step : QUEEN) {
            int square = moved(target, step);
            if (is(square, 'K')) return true;
            while (square != NONE && !board[square]) square = moved(square, step);
            if (is(square, 'Q') || is(square, step.files && step.ranks ? 'B' : 'R')) return true;
        }
        return false;
    }

    Position after(Move move) const {
        Position next = *this;
        const char man = board[move.from], kind = static_cast<char>(std::toupper(man));
        const int up = white ? 8 : -8;
        const char promoted = white ? static_cast<char>(std::toupper(move.promoted)) : move.promoted;
        next.board[move.to] = promoted ? promoted : man;
        next.board[move.from] = 0;
        if (kind == 'P' && move.to == passed_over) next.board[move.to - up] = 0;
        next.passed_over = kind == 'P' && move.to - move.from == 2 * up ? move.from + up : NONE;
        if (kind == 'K' && std::abs(move.to - move.from) == 2) {
            const bool short_side = move.to > move.from;
            next.board[short_side ? move.to + 1 : move.to - 2] = 0;
            next.board[(move.from + move.to) / 2] = white ? 'R' : 'r';
        }
        for (const int square : {move.from, move.to}) next.give_up_castling(square);
        next.white = !white;
        ++next.ply;
        return next;
    }

    std::vector<Move> legal() const {
        std::vector<Move> found;
        for (int from = 0; from < 64; ++from)
            if (own(from)) add_from(from, found);
        return found;
    }

  private:
    void give_up_castling(int square) {  // something left this square or came to it
        const std::string rights = square == 4 ? "KQ" : square == 60 ? "kq" : square == 7 ? "K" : square == 0 ? "Q"
                                 : square == 63 ? "k" : square == 56 ? "q" : "";
        for (const char right : rights)
            if (const auto at = castling.find(right); at != std::string::npos) castling.erase(at, 1);
    }

    void add_from(int from, std::vector<Move>& found) const {
        switch (std::toupper(board[from])) {
            case 'P': return add_pawn(from, found);
            case 'N': return add_steps(from, KNIGHT, false, found);
            case 'B': return add_steps(from, BISHOP, true, found);
            case 'R': return add_steps(from, ROOK, true, found);
            case 'Q': return add_steps(from, QUEEN, true, found);
            default: add_steps(from, QUEEN, false, found); add_castling(from, found);
        }
    }

    void add_steps(int from, const std::vector<Step>& steps, bool slides, std::vector<Move>& found) const {
        for (const Step step : steps)
            for (int to = moved(from, step); to != NONE && !own(to); to = moved(to, step)) {
                add({from, to, 0}, found);
                if (!slides || board[to]) break;
            }
    }

    void add_pawn(int from, std::vector<Move>& found) const {
        const int up = white ? 1 : -1, one = moved(from, {0, up});
        if (one == NONE) return;
        if (!board[one]) {
            add_pawn_move(from, one, found);
            const int two = moved(one, {0, up});
            if (from / 8 == (white ? 1 : 6) && two != NONE && !board[two]) add({from, two, 0}, found);
        }
        for (const int side : {-1, 1})
            if (const int to = moved(from, {side, up}); to != NONE && !own(to) && (board[to] || to == passed_over))
                add_pawn_move(from, to, found);
    }

    void add_pawn_move(int from, int to, std::vector<Move>& found) const {
        if (to / 8 != 0 && to / 8 != 7) return add({from, to, 0}, found);
        for (const char man : {'q', 'r', 'b', 'n'}) add({from, to, man}, found);
    }

    void add_castling(int from, std::vector<Move>& found) const {
        if (attacked(from, !white)) return;
        const bool short_side = castling.find(white ? 'K' : 'k') != std::string::npos;
        const bool long_side = castling.find(white ? 'Q' : 'q') != std::string::npos;
        if (short_side && !board[from + 1] && !board[from + 2] && !attacked(from + 1, !white))
            add({from, from + 2, 0}, found);
        if (long_side && !board[from - 1] && !board[from - 2] && !board[from - 3] && !attacked(from - 1, !white))
            add({from, from - 2, 0}, found);
    }

    void add(Move move, std::vector<Move>& found) const {  // if it leaves the king safe
        const Position next = after(move);
        for (int square = 0; square < 64; ++square)
            if (next.board[square] == (white ? 'K' : 'k') && next.attacked(square, !white)) return;
        found.push_back(move);
    }
};

std::string text_of(Move move) {
    std::string text = name_of(move.from) + name_of(move.to);
    if (move.promoted) text += move.promoted;
    return text;
}

Position read_position(std::istringstream& words) {
    std::string word, fen;
    words >> word;
    if (word == "startpos") {
        fen = START;
        words >> word;
    } else {
        while (words >> word && word != "moves") fen += word + ' ';
    }
    Position position(fen);
    while (words >> word)
        position = position.after({square_of(word), square_of(word.substr(2)), word.size() > 4 ? word[4] : char{0}});
    return position;
}

std::string draw(const Position& position, std::uint64_t seed) {
    const std::vector<Move> moves = position.legal();
    if (moves.empty()) return "0000";
    std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
    const auto take = [&](std::uint64_t value) { hash = (hash ^ value) * 1099511628211ULL; };
    for (const char man : position.board) take(static_cast<unsigned char>(man));
    take(static_cast<std::uint64_t>(position.ply));
    take(seed);
    return text_of(moves[(hash >> 17) % moves.size()]);
}

// How long an engine would think: a twentieth of its clock and most of the increment, with thirty milliseconds to spare.
void wait_for_a_share(std::istringstream& words, bool white) {
    std::string word;
    long clock = 0, increment = 0;
    while (words >> word) {
        if (word == (white ? "wtime" : "btime")) words >> clock;
        else if (word == (white ? "winc" : "binc")) words >> increment;
    }
    const long share = std::min(clock / 20 + increment * 4 / 5, clock - 30);
    std::this_thread::sleep_for(std::chrono::milliseconds(std::max(0L, share)));
}

}  // namespace

int main(int count, char** arguments) {
    const std::uint64_t seed = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1;
    const bool waits = count > 2;
    Position position(START);
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (word == "uci") std::cout << "id name instant " << seed << "\nid author Tabiya\nuciok" << std::endl;
        else if (word == "isready") std::cout << "readyok" << std::endl;
        else if (word == "position") position = read_position(words);
        else if (word == "go") {
            if (waits) wait_for_a_share(words, position.white);
            std::cout << "info depth 1 score cp 0\nbestmove " << draw(position, seed) << std::endl;
        }
        else if (word == "quit") return 0;
    }
}
