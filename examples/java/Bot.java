// A whole bot for Tabiya with nothing but Java 17 and Gson: it plays every game, and comes back when it is cut off.
// To make it yours, change choose.
//
//     java -cp gson.jar Bot.java [ADDRESS [NAME [GAME ...]]]        or $TABIYA_NAME; a token is in $TABIYA_TOKEN

import com.google.gson.*;
import java.net.URI;
import java.net.http.*;
import java.nio.ByteBuffer;
import java.util.*;
import java.util.concurrent.*;

public class Bot implements WebSocket.Listener {
    // Close codes after which there is no coming back.
    static final Set<Integer> FINAL = Set.of(1009, 4000, 4001, 4003, 4004, 4005, 4010, 4011, 4012);
    static final long SHORTEST_WAIT_MS = 250, LONGEST_WAIT_MS = 15_000;
    static final Gson GSON = new Gson();

    static List<String> games; // none: every game of the server
    static String name = System.getenv().getOrDefault("TABIYA_NAME", "java");
    static long waitMs = SHORTEST_WAIT_MS; // before the next attempt to connect, up to twice as long

    final CompletableFuture<Integer> closed = new CompletableFuture<>(); // the close code
    private final StringBuilder text = new StringBuilder(); // of a message that comes in parts
    private JsonObject turn; // the one answered last

    /** One of legal_moves; position is the board, move_limit_ms the time there is. */
    static String choose(JsonObject turn) {
        JsonArray moves = turn.getAsJsonArray("legal_moves");
        return moves.get(ThreadLocalRandom.current().nextInt(moves.size())).getAsString();
    }

    /** Does what a message asks for; one that we do not know asks for nothing. */
    void receive(WebSocket server, JsonObject message) {
        switch (message.get("type").getAsString()) {
            case "welcome" -> {
                waitMs = SHORTEST_WAIT_MS;
                List<?> sought = games.isEmpty() ? message.getAsJsonArray("games").asList() : games;
                sought.forEach(game -> send(server, Map.of("type", "seek", "game", game)));
            }
            case "turn" -> {
                turn = message;
                move(server);
            }
            case "refused" -> {
                System.out.println("refused: " + message.get("message").getAsString());
                if (Set.of("illegal_move", "unreadable_move").contains(message.get("code").getAsString())) {
                    move(server); // the turn waits for another move
                }
            }
            case "match_ended" -> System.out.println((message.get("game") + ", match " + message.get("match") + ": "
                + message.get("result") + " (" + message.get("ending") + ")").replace("\"", ""));
            case "busy" -> waitMs += message.get("retry_ms").getAsLong();
        }
    }

    void move(WebSocket server) {
        send(server, Map.of("type", "move", "match", turn.get("match"), "ply", turn.get("ply"), "move", choose(turn)));
    }

    static void send(WebSocket server, Map<String, Object> message) {
        server.sendText(GSON.toJson(message), true).exceptionally(error -> server).join(); // then reading fails next
    }

    @Override public void onOpen(WebSocket server) {
        String token = System.getenv().getOrDefault("TABIYA_TOKEN", "");
        send(server, Map.of("type", "hello", "name", name, "token", token));
        server.request(1);
    }

    @Override public CompletionStage<?> onText(WebSocket server, CharSequence part, boolean last) {
        text.append(part);
        if (last) {
            receive(server, JsonParser.parseString(text.toString()).getAsJsonObject());
            text.setLength(0);
        }
        server.request(1);
        return null;
    }

    @Override public CompletionStage<?> onClose(WebSocket server, int code, String reason) {
        System.out.println("the connection has ended: " + code + " " + reason);
        closed.complete(code);
        return null;
    }

    @Override public void onError(WebSocket server, Throwable error) {
        if (error != null) closed.completeExceptionally(error);
    }

    public static void main(String[] arguments) throws InterruptedException {
        URI address = URI.create(arguments.length > 0 ? arguments[0] : "ws://127.0.0.1:8765");
        if (arguments.length > 1) name = arguments[1];
        games = List.of(arguments).subList(Math.min(2, arguments.length), arguments.length);
        HttpClient client = HttpClient.newHttpClient();
        while (true) {
            try {
                Bot bot = new Bot(); // a client that names no subprotocol speaks JSON
                WebSocket server = client.newWebSocketBuilder().buildAsync(address, bot).join();
                while (!bot.closed.isDone()) { // Java may miss that a line was cut, but a ping fails then
                    Thread.sleep(250);
                    server.sendPing(ByteBuffer.allocate(0)).whenComplete((sent, error) -> bot.onError(server, error));
                }
                if (FINAL.contains(bot.closed.join())) System.exit(1);
            } catch (CompletionException error) {
                System.out.println(address + ": " + error.getCause());
            }
            Thread.sleep(ThreadLocalRandom.current().nextLong(waitMs, 2 * waitMs)); // a herd would come together
            waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS);
        }
    }
}
