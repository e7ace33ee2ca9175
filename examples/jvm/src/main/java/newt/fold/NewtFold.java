package newt.fold;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Folds the aged tool rounds of a transcript. Every method may be called from any threads. */
public final class NewtFold {
    private NewtFold() {}

    /**
     * Folds a transcript.
     *
     * @param json UTF-8, an array of messages or a request body
     * @param config null is the defaults
     * @param mint null plans: nothing folds, and {@link Verdict#PLANNED} says that it would
     * @throws FoldException when the call is refused
     * @throws IOException when the mint does; any other exception of the mint passes as well
     */
    public static Outcome fold(byte[] json, Config config, Mint mint) throws IOException {
        Border border = new Border(config);
        Native.fold(
            Objects.requireNonNull(json), border.config, border.names, border.keepTools, mint,
            border.numbers, border.texts);
        return border.outcome();
    }

    /**
     * Folds a transcript from one direct buffer into another, without a copy on the Java heap.
     *
     * <p>Reads {@code json} from its position to its limit; moves the position of {@code into}
     * behind what it wrote. A document never grows, so as much room as {@code json} has is enough.
     *
     * @return an outcome whose {@link Outcome#json} is null
     * @throws IllegalArgumentException when a buffer is not direct, or {@code into} is read-only or
     *     has less room than {@code json} has bytes
     */
    public static Outcome fold(ByteBuffer json, ByteBuffer into, Config config, Mint mint)
            throws IOException {
        if (!json.isDirect() || !into.isDirect() || into.isReadOnly()) {
            throw new IllegalArgumentException(
                "expected two direct buffers, the second one writable; make them with"
                    + " ByteBuffer.allocateDirect");
        }
        if (into.remaining() < json.remaining()) {
            throw new IllegalArgumentException(
                "into has room for " + into.remaining() + " bytes; expected room for the "
                    + json.remaining() + " of json");
        }
        Border border = new Border(config);
        Native.foldDirect(
            json.slice(), into.slice(), border.config, border.names, border.keepTools, mint,
            border.numbers, border.texts);
        Outcome outcome = border.outcome();
        into.position(into.position() + (int) border.numbers[Border.JSON_LENGTH]);
        return outcome;
    }

    /**
     * Puts back what was folded.
     *
     * @param config null is the defaults
     * @throws FoldException when the call is refused
     * @throws IOException when the fetch does; any other exception of the fetch passes as well
     */
    public static Outcome expand(byte[] json, Config config, Fetch fetch) throws IOException {
        Border border = new Border(config);
        Native.expand(
            Objects.requireNonNull(json), border.config, border.names, border.keepTools, fetch,
            border.numbers, border.texts);
        return border.outcome();
    }

    /** What native code calls for each span; null declines. */
    static byte[] mint(Mint mint, byte[] span) throws IOException {
        String handle = mint.mint(span);
        return handle == null ? null : handle.getBytes(StandardCharsets.UTF_8);
    }

    /** What native code calls for each handle; null was not found. */
    static byte[] fetch(Fetch fetch, byte[] handle) throws IOException {
        return fetch.fetch(new String(handle, StandardCharsets.UTF_8));
    }

    /** What crosses the border in one call, there and back: plain arrays. */
    private static final class Border {
        static final int JSON_LENGTH = 11;

        /** Null is the defaults. */
        final int[] config;
        final byte[] names;
        final int keepTools;
        /** Status and verdict, then the numbers of newt_outcome in their order, then json_len. */
        final long[] numbers = new long[12];
        /** json, handle, error, receipt. */
        final byte[][] texts = new byte[4][];

        Border(Config config) {
            this.config = config == null ? null : config.numbers();
            this.names = config == null ? null : config.names();
            this.keepTools = config == null ? 0 : config.keepTools.length;
        }

        Outcome outcome() {
            if (numbers[0] != 0) {
                throw new FoldException(
                    FoldException.Status.of((int) numbers[0]), numbers[2], text(2));
            }
            return new Outcome(
                Verdict.of(numbers[1]), texts[0], text(1), text(3), numbers[3],
                numbers[4], numbers[5], numbers[6], numbers[7], numbers[8], numbers[9],
                numbers[10]);
        }

        private String text(int at) {
            return texts[at] == null ? null : new String(texts[at], StandardCharsets.UTF_8);
        }
    }
}
