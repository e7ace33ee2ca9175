package newt.fold;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * The built-in store: SQLite, addressed by content, seen by its session only.
 *
 * <p>May be used from any threads at once, except that {@link #close} is the last call. What goes
 * wrong is a {@link FoldException} that says why.
 */
public final class Store implements Mint, Fetch, AutoCloseable {
    private static final int OK = 0;
    private static final int NOT_FOUND = 8;

    /** 0 once it is closed: to the library that would be the process's own store. */
    private long store;

    /**
     * Opens a session.
     *
     * @param path the file, created where there is none; null is a store in memory
     * @param session who opens the same file with the same name sees the same spans; null is a new
     *     session that nobody else can open
     */
    public Store(String path, String session) {
        store = Native.storeOpen(utf8(path), utf8(session));
        try {
            checkState();
        } catch (FoldException failure) {
            close();
            throw failure;
        }
    }

    @Override
    public String mint(byte[] span) {
        byte[][] texts = new byte[2][];
        if (Native.storeMint(open(), Objects.requireNonNull(span), texts) != OK) {
            checkState();
        }
        return string(texts[0]);
    }

    @Override
    public byte[] fetch(String address) {
        byte[][] texts = new byte[2][];
        int status = Native.storeFetch(open(), utf8(Objects.requireNonNull(address)), texts);
        if (status != NOT_FOUND) {
            check(status, texts);
        }
        return texts[0];
    }

    /**
     * The result of a model's call of the fetch tool.
     *
     * @param arguments of the call, as the model wrote them
     */
    public String answer(String arguments) {
        byte[][] texts = new byte[2][];
        check(
            Native.storeAnswer(open(), utf8(Objects.requireNonNull(arguments)), texts), texts);
        return string(texts[0]);
    }

    /** Removes this session's spans. */
    public void forget() {
        if (Native.storeForget(open()) != OK) {
            checkState();
        }
    }

    @Override
    public void close() {
        if (store != 0) {
            Native.storeClose(store);
            store = 0;
        }
    }

    private long open() {
        if (store == 0) {
            throw new IllegalStateException("the store is closed");
        }
        return store;
    }

    /** Throws the latest failure, if there was one. */
    private void checkState() {
        byte[][] texts = new byte[2][];
        check(Native.storeState(open(), texts), texts);
    }

    private static void check(int status, byte[][] texts) {
        if (status != OK) {
            throw new FoldException(FoldException.Status.of(status), -1, string(texts[1]));
        }
    }

    private static byte[] utf8(String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    private static String string(byte[] text) {
        return text == null ? null : new String(text, StandardCharsets.UTF_8);
    }
}
