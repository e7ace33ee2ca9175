package newt.fold;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The border to native code, over JNI: {@code newt_fold_jni.c}. From Java 22 on, the jar holds
 * another class of this name, over the foreign-function API.
 */
final class Native {
    private Native() {}

    static {
        System.loadLibrary("newt_fold_jni");
    }

    /** Writes the library's defaults: the fields of newt_config from keep_last to flags. */
    static native void defaults(int[] config);

    /**
     * One call of newt_fold.
     *
     * @param config as {@link #defaults} writes it; null is the defaults
     * @param names C strings: those of the {@code keepTools} tools to keep, then, if anything is
     *     left, the fetch tool's
     * @param numbers written: status, verdict, the numbers of newt_outcome in their order, json_len
     * @param texts written: json, handle, error, receipt
     */
    static native void fold(
        byte[] json, int[] config, byte[] names, int keepTools, Mint mint, long[] numbers,
        byte[][] texts) throws IOException;

    /** The same from one direct buffer into another, both as a whole; {@code texts[0]} stays. */
    static native void foldDirect(
        ByteBuffer json, ByteBuffer into, int[] config, byte[] names, int keepTools, Mint mint,
        long[] numbers, byte[][] texts) throws IOException;

    /** One call of newt_expand. */
    static native void expand(
        byte[] json, int[] config, byte[] names, int keepTools, Fetch fetch, long[] numbers,
        byte[][] texts) throws IOException;

    // A store is a newt_store *; null arrays are NULL. Each int is a newt_status; `texts` takes
    // what the call gives: the text and the error.

    static native long storeOpen(byte[] path, byte[] session);

    static native int storeState(long store, byte[][] texts);

    /** Gives a handle, and no error: {@link #storeState} has it. */
    static native int storeMint(long store, byte[] span, byte[][] texts);

    static native int storeFetch(long store, byte[] address, byte[][] texts);

    static native int storeAnswer(long store, byte[] arguments, byte[][] texts);

    static native int storeForget(long store);

    static native void storeClose(long store);
}
