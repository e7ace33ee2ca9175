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
     * @param json the document, or null if it is {@code from}, a direct buffer, as a whole
     * @param into with {@code from}: a direct buffer with room for the folded document
     * @param config as {@link #defaults} writes it; null is the defaults
     * @param names C strings: those of the {@code keepTools} tools to keep, then, if anything is
     *     left, the fetch tool's
     * @param numbers written: status, verdict, the numbers of newt_outcome in their order, json_len
     * @param texts written: json (null with {@code into}), handle, error, receipt
     */
    static native void fold(
        byte[] json, ByteBuffer from, ByteBuffer into, int[] config, byte[] names, int keepTools,
        Mint mint, long[] numbers, byte[][] texts) throws IOException;
}
