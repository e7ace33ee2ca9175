package newt.fold;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** What a caller sees, whichever border the JVM took. */
public class FoldTest {
    private static final byte[] JSON = Golden.TRANSCRIPT;

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static FoldException refused(byte[] json, Config config, Mint mint) {
        return assertThrows(FoldException.class, () -> NewtFold.fold(json, config, mint));
    }

    @Test
    public void theGoldenTranscriptGivesTheGoldenCards() throws IOException {
        Outcome outcome = NewtFold.fold(JSON, Golden.config(), Golden::handle);
        assertEquals(Verdict.FOLDED, outcome.verdict());
        assertEquals(Golden.CARDS, Golden.cards(outcome.json()));
        assertTrue(Golden.CARDS.contains("compaction:" + outcome.handle() + "\""));
        assertEquals(30, outcome.messagesBefore());
        assertEquals(19, outcome.messagesAfter());
        assertEquals(6, outcome.roundsFolded());
        assertEquals(6, outcome.roundsEligible());
        assertEquals(2, outcome.cards());
        assertTrue(outcome.tokensAfter() < outcome.tokensBefore());
        assertTrue(outcome.prefixLength() > 0 && outcome.prefixLength() < outcome.json().length);
        assertNull(outcome.receipt());
    }

    @Test
    public void spansAreTheBytesThatWent() throws IOException {
        List<String> spans = new ArrayList<>();
        NewtFold.fold(JSON, Golden.config(), span -> {
            spans.add(new String(span, StandardCharsets.UTF_8));
            return Golden.handle(span);
        });
        assertEquals(2, spans.size());
        String document = new String(JSON, StandardCharsets.UTF_8);
        for (String span : spans) {
            for (String message : span.strip().split("\n")) {
                assertTrue(message, document.contains(message));
            }
        }
    }

    @Test
    public void textBeyondTheBasicPlaneIsUtf8BothWays() throws IOException {
        // Modified UTF-8 would make six bytes of the picture's four.
        String picture = "\uD83E\uDD8E";
        String document = new String(JSON, StandardCharsets.UTF_8)
            .replace("pondctl firmware", "pondctl " + picture)
            .replace("You look after", picture + " look after");
        List<byte[]> spans = new ArrayList<>();
        Outcome outcome = NewtFold.fold(utf8(document), Golden.config(), span -> {
            spans.add(span);
            return Golden.handle(span);
        });
        assertTrue(new String(spans.get(0), StandardCharsets.UTF_8).contains("pondctl " + picture));
        String folded = new String(outcome.json(), StandardCharsets.UTF_8);
        assertTrue(folded.contains(picture + " look after"));
        assertTrue(Golden.cards(outcome.json()).contains("pondctl " + picture));
        assertFalse(folded.contains("\uFFFD"));
    }

    @Test
    public void directBuffersGiveTheSameBytes() throws IOException {
        Outcome arrays = NewtFold.fold(JSON, Golden.config(), Golden::handle);
        ByteBuffer from = ByteBuffer.allocateDirect(JSON.length + 7);
        from.position(3).mark().put(JSON).limit(from.position()).reset();
        ByteBuffer into = ByteBuffer.allocateDirect(JSON.length + 5);
        into.position(5);
        Outcome outcome = NewtFold.fold(from, into, Golden.config(), Golden::handle);
        assertNull(outcome.json());
        assertEquals(arrays.handle(), outcome.handle());
        assertEquals(3, from.position());
        byte[] written = new byte[into.position() - 5];
        into.flip().position(5).get(written);
        assertArrayEquals(arrays.json(), written);
    }

    @Test
    public void buffersThatWouldNotDoAreRefused() {
        ByteBuffer direct = ByteBuffer.allocateDirect(JSON.length);
        ByteBuffer[][] pairs = {
            {ByteBuffer.wrap(JSON), direct},
            {direct, ByteBuffer.wrap(JSON)},
            {direct, direct.asReadOnlyBuffer()},
            {direct, ByteBuffer.allocateDirect(JSON.length - 1)},
        };
        for (ByteBuffer[] pair : pairs) {
            assertThrows(
                IllegalArgumentException.class,
                () -> NewtFold.fold(pair[0], pair[1], null, Golden::handle));
        }
    }

    @Test
    public void aDocumentThatIsNoJsonIsRefusedWithItsByte() {
        FoldException thrown = refused(utf8("[{\"role\":\"user\",]"), null, Golden::handle);
        assertEquals(FoldException.Status.JSON, thrown.status());
        assertEquals(16, thrown.offset());
        assertTrue(thrown.getMessage(), thrown.getMessage().length() > 20);
        assertEquals(FoldException.Status.JSON, refused(new byte[0], null, null).status());
        assertEquals(
            FoldException.Status.UTF8, refused(new byte[] {'[', '"', -1}, null, null).status());
        assertEquals(FoldException.Status.TRANSCRIPT, refused(utf8("true"), null, null).status());
    }

    @Test
    public void whatTheMintThrowsReachesTheCaller() {
        IOException checked = new IOException("the disk is full");
        assertSame(checked, assertThrows(IOException.class,
            () -> NewtFold.fold(JSON, Golden.config(), span -> {
                throw checked;
            })));
        Error error = new StackOverflowError();
        assertSame(error, assertThrows(StackOverflowError.class,
            () -> NewtFold.fold(JSON, Golden.config(), span -> {
                throw error;
            })));
        int[] calls = {0};
        assertThrows(IllegalStateException.class,
            () -> NewtFold.fold(JSON, Golden.config(), span -> {
                if (++calls[0] == 2) {
                    throw new IllegalStateException("the second span");
                }
                return Golden.handle(span);
            }));
        assertEquals(2, calls[0]);
    }

    @Test
    public void aMintMayDecline() throws IOException {
        Outcome outcome = NewtFold.fold(JSON, Golden.config(), span -> null);
        assertEquals(Verdict.DECLINED, outcome.verdict());
        assertArrayEquals(JSON, outcome.json());
        assertNull(outcome.handle());
    }

    @Test
    public void withoutAMintTheFoldIsPlanned() throws IOException {
        Outcome outcome = NewtFold.fold(JSON, Golden.config(), null);
        assertEquals(Verdict.PLANNED, outcome.verdict());
        assertArrayEquals(JSON, outcome.json());
        assertEquals(19, outcome.messagesAfter());
    }

    @Test
    public void unusableHandlesAreRefused() {
        String[] handles = {"", "with space", "l\u00f6we", "a\0b", "x".repeat(257)};
        for (String handle : handles) {
            FoldException thrown = refused(JSON, Golden.config(), span -> handle);
            assertEquals(FoldException.Status.HANDLE, thrown.status());
        }
    }

    @Test
    public void theLongestHandleIsTaken() throws IOException {
        // Longer handles make a card that is not smaller than its rounds; so few cards.
        Config config = Golden.config();
        config.grouping = Config.Grouping.ALL;
        String handle = "x".repeat(256);
        assertEquals(handle, NewtFold.fold(JSON, config, span -> handle).handle());
    }

    @Test
    public void configurationsReachTheLibrary() throws IOException {
        assertEquals(12, new Config().keepLast);
        assertEquals(Verdict.NOTHING, NewtFold.fold(JSON, null, Golden::handle).verdict());

        Config config = Golden.config();
        config.keepTools = new String[] {"read_file", "write_file"};
        config.fetchTool = "look_up";
        Outcome outcome = NewtFold.fold(JSON, config, Golden::handle);
        assertEquals(4, outcome.roundsEligible());
        assertTrue(Golden.cards(outcome.json()).contains("[exact text: look_up(\"compaction:"));

        config = Golden.config();
        config.fetchTool = "";
        String cards = Golden.cards(NewtFold.fold(JSON, config, Golden::handle).json());
        assertTrue(cards, cards.contains("[exact text: compaction:"));
    }

    @Test
    public void configurationsOutOfRangeAreRefused() {
        Config config = new Config();
        config.bytesPerToken = 0;
        FoldException thrown = refused(JSON, config, null);
        assertEquals(FoldException.Status.ARGUMENT, thrown.status());
        assertEquals(-1, thrown.offset());
        config.keepTools = new String[] {"a\0b"};
        assertThrows(IllegalArgumentException.class, () -> NewtFold.fold(JSON, config, null));
    }

    @Test
    public void aReceiptIsGivenOnDemand() throws IOException {
        Config config = Golden.config();
        config.receipt = true;
        assertNotNull(NewtFold.fold(JSON, config, Golden::handle).receipt());
    }

    @Test
    public void whatFoldedComesBack() throws IOException {
        Map<String, byte[]> spans = new HashMap<>();
        byte[] folded = NewtFold.fold(JSON, Golden.config(), span -> {
            spans.put(Golden.handle(span), span);
            return Golden.handle(span);
        }).json();
        assertArrayEquals(JSON, NewtFold.expand(folded, null, spans::get).json());

        Outcome without = NewtFold.expand(folded, null, handle -> null);
        assertEquals(Verdict.NOTHING, without.verdict());
        assertEquals(2, without.cards());
        assertArrayEquals(folded, without.json());

        IOException checked = new IOException("the disk is gone");
        assertSame(checked, assertThrows(IOException.class,
            () -> NewtFold.expand(folded, null, handle -> {
                throw checked;
            })));
    }

    @Test
    public void aMintMayFold() throws IOException {
        Outcome outcome = NewtFold.fold(JSON, Golden.config(), span ->
            NewtFold.fold(JSON, Golden.config(), Golden::handle).handle());
        assertEquals(Verdict.FOLDED, outcome.verdict());
    }
}
