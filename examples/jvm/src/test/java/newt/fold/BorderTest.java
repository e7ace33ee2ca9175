package newt.fold;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.Test;

/** The border itself: references, memory, threads. */
public class BorderTest {
    private static final int MANY = 100_000;

    @Test
    public void theBorderIsTheOneOfThisJvm() {
        boolean jni = Arrays.stream(Native.class.getDeclaredMethods())
            .anyMatch(method -> Modifier.isNative(method.getModifiers()));
        System.out.println(
            "border: " + (jni ? "JNI" : "foreign functions") + ", Java " + Runtime.version());
        assertEquals(Runtime.version().feature() < 22, jni);
    }

    /** Two native calls, 100,000 callbacks in each: -Xcheck:jni counts the references. */
    @Test
    public void callbacksLeaveNoLocalReferences() throws IOException {
        StringBuilder json = new StringBuilder("[");
        String result = "x".repeat(300);
        for (int i = 0; i < MANY + 6; i++) {
            json.append("{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"1\",\"function\":"
                + "{\"name\":\"t\",\"arguments\":\"{}\"}}]},{\"role\":\"tool\",\"tool_call_id\":"
                + "\"1\",\"content\":\"").append(result)
                .append("\"},{\"role\":\"user\",\"content\":\"on\"},");
        }
        json.setCharAt(json.length() - 1, ']');
        byte[] document = json.toString().getBytes(StandardCharsets.UTF_8);
        List<byte[]> spans = new ArrayList<>();
        Outcome folded = NewtFold.fold(document, Golden.config(), span -> {
            spans.add(span);
            return Integer.toString(spans.size() - 1);
        });
        assertTrue(spans.size() + " spans", spans.size() >= MANY);
        assertEquals(spans.size(), folded.cards());
        Outcome expanded = NewtFold.expand(
            folded.json(), null, handle -> spans.get(Integer.parseInt(handle)));
        assertArrayEquals(document, expanded.json());
    }

    @Test
    public void foldsLeaveNoNativeMemory() throws IOException {
        Path status = Path.of("/proc/self/status");
        if (!Files.exists(status)) {
            System.out.println("skipped: without /proc/self/status nobody says how much memory is");
        }
        assumeTrue(Files.exists(status));
        // What the JVM itself takes for a hot path, first.
        folds(MANY / 5);
        long before = resident(status);
        folds(MANY);
        long grown = resident(status) - before;
        // 100,000 outcomes, or documents, would be 800 MiB; the JVM itself takes some.
        assertTrue("native memory grew by " + grown + " KiB", grown < 32 * 1024);
    }

    private static void folds(int many) throws IOException {
        Config config = Golden.config();
        for (int i = 0; i < many; i++) {
            boolean full = i % 2 == 0;
            try {
                NewtFold.fold(Golden.TRANSCRIPT, config, span -> {
                    if (full) {
                        throw new IOException("the disk is full");
                    }
                    return "h";
                });
            } catch (IOException thrown) {
                assertTrue(full);
            }
        }
    }

    /** KiB of memory, in this process. */
    private static long resident(Path status) throws IOException {
        for (String line : Files.readAllLines(status)) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        throw new IOException(status + " has no VmRSS");
    }

    @Test
    public void threadsDoNotMeet() throws Exception {
        byte[] alone = NewtFold.fold(Golden.TRANSCRIPT, Golden.config(), Golden::handle).json();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<Future<byte[]>> folded = new ArrayList<>();
        for (int i = 0; i < 800; i++) {
            folded.add(threads.submit(() ->
                NewtFold.fold(Golden.TRANSCRIPT, Golden.config(), Golden::handle).json()));
        }
        threads.shutdown();
        for (Future<byte[]> one : folded) {
            assertArrayEquals(alone, one.get());
        }
    }
}
