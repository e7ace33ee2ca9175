package newt.fold;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The fixture that every host folds: examples/golden. */
final class Golden {
    private Golden() {}

    static final byte[] TRANSCRIPT = read("transcript.json");
    static final String CARDS = new String(read("cards.txt"), StandardCharsets.UTF_8);

    static Config config() {
        Config config = new Config();
        config.results = Config.Results.ANY;
        return config;
    }

    /** FNV-1a, 64 bits. */
    static String handle(byte[] span) {
        long hash = 0xcbf29ce484222325L;
        for (byte b : span) {
            hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
        }
        return String.format("%016x", hash);
    }

    /** The cards of a document, a line break behind each. */
    static String cards(byte[] json) {
        StringBuilder cards = new StringBuilder();
        String text = new String(json, StandardCharsets.UTF_8);
        for (JsonElement message : JsonParser.parseString(text).getAsJsonArray()) {
            JsonElement content = message.getAsJsonObject().get("content");
            if (content.isJsonPrimitive()
                    && content.getAsString().startsWith("[NEWT FOLDED TOOL ROUNDS]")) {
                cards.append(content.getAsString()).append('\n');
            }
        }
        return cards.toString();
    }

    private static byte[] read(String name) {
        try {
            return Files.readAllBytes(Path.of("..", "golden", name));
        } catch (IOException thrown) {
            throw new java.io.UncheckedIOException(thrown);
        }
    }
}
