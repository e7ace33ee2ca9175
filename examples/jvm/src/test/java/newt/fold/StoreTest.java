package newt.fold;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The built-in store. */
public class StoreTest {
    @Rule public final TemporaryFolder folder = new TemporaryFolder();

    @Test
    public void aStoreKeepsWhatWasFolded() throws IOException {
        String path = folder.getRoot() + "/sp\u00e4ne \uD83E\uDD8E.db";
        Outcome folded;
        try (Store store = new Store(path, "one")) {
            folded = NewtFold.fold(Golden.TRANSCRIPT, Golden.config(), store);
        }
        assertEquals(Verdict.FOLDED, folded.verdict());
        try (Store store = new Store(path, "one"); Store other = new Store(path, "two")) {
            assertArrayEquals(
                Golden.TRANSCRIPT, NewtFold.expand(folded.json(), null, store).json());
            assertNotNull(store.fetch("compaction:" + folded.handle()));
            String arguments = "{\"address\":\"compaction:" + folded.handle() + "\"}";
            assertTrue(store.answer(arguments).contains("make test"));
            assertEquals(2, NewtFold.expand(folded.json(), null, other).cards());
            store.forget();
            assertNull(store.fetch(folded.handle()));
        }
    }

    @Test
    public void aStoreThatCannotBeOpenedSaysWhy() {
        FoldException thrown =
            assertThrows(FoldException.class, () -> new Store("/nowhere/spans.db", null));
        assertEquals(FoldException.Status.STORE, thrown.status());
        assertTrue(thrown.getMessage(), thrown.getMessage().contains("/nowhere"));
    }

    @Test
    public void aClosedStoreIsNotTheProcessesOwn() {
        Store store = new Store(null, null);
        store.close();
        store.close();
        assertThrows(IllegalStateException.class, () -> store.mint(new byte[] {'{', '}'}));
        assertThrows(IllegalStateException.class, () -> store.fetch("a"));
        assertThrows(IllegalStateException.class, store::forget);
    }
}
