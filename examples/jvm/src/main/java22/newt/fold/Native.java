package newt.fold;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;

/**
 * The border to native code, over the foreign-function API: what the class of this name does over
 * JNI, without a shim. For 64-bit machines, the only ones that API is on.
 */
final class Native {
    private Native() {}

    /** Offsets in newt_config, and its size. */
    private static final long KEEP_LAST = 4, FETCH_TOOL = 56, KEEP_TOOLS = 64, KEEP_TOOLS_LEN = 72;
    private static final long CONFIG_SIZE = 80;

    /** Offsets in newt_outcome, and its size. */
    private static final long STATUS = 0, VERDICT = 4, JSON = 8, HANDLE = 24, ERROR = 40;
    private static final long ERROR_OFFSET = 48, RECEIPT = 120;
    private static final long OUTCOME_SIZE = 136;
    /** error_offset to prefix_len stand side by side. */
    private static final int OUTCOME_NUMBERS = 9;

    private static final MethodHandle CONFIG_INIT;
    private static final MethodHandle FOLD;
    private static final MethodHandle OUTCOME_FREE;
    private static final MethodHandle MINT;
    private static final FunctionDescriptor MINT_TYPE = FunctionDescriptor.of(
        JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS);

    static {
        System.loadLibrary("newt_fold");
        CONFIG_INIT = function("newt_config_init", FunctionDescriptor.ofVoid(ADDRESS, JAVA_LONG));
        FOLD = function("newt_fold", FunctionDescriptor.of(
            ADDRESS.withTargetLayout(MemoryLayout.sequenceLayout(OUTCOME_SIZE, JAVA_BYTE)),
            ADDRESS, JAVA_LONG, ADDRESS, ADDRESS, ADDRESS));
        OUTCOME_FREE = function("newt_outcome_free", FunctionDescriptor.ofVoid(ADDRESS));
        try {
            MINT = MethodHandles.lookup().findVirtual(Host.class, "mint", MethodType.methodType(
                int.class, MemorySegment.class, MemorySegment.class, long.class,
                MemorySegment.class, long.class, MemorySegment.class));
            int abi = (int) function("newt_abi_version", FunctionDescriptor.of(JAVA_INT))
                .invokeExact();
            if (abi != 1) {
                throw new UnsatisfiedLinkError(
                    "the library newt_fold speaks ABI " + abi + "; this class speaks ABI 1");
            }
        } catch (Throwable thrown) {
            throw Native.<RuntimeException>same(thrown);
        }
    }

    private static MethodHandle function(String name, FunctionDescriptor type) {
        return Linker.nativeLinker()
            .downcallHandle(SymbolLookup.loaderLookup().find(name).orElseThrow(), type);
    }

    static void defaults(int[] config) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment cfg = newConfig(arena);
            MemorySegment.copy(cfg, JAVA_INT, KEEP_LAST, config, 0, config.length);
        }
    }

    static void fold(
            byte[] json, ByteBuffer from, ByteBuffer into, int[] config, byte[] names,
            int keepTools, Mint mint, long[] numbers, byte[][] texts) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment document = json == null
                ? MemorySegment.ofBuffer(from)
                : arena.allocateFrom(JAVA_BYTE, json);
            MemorySegment cfg = newConfig(arena);
            if (config != null) {
                MemorySegment.copy(config, 0, cfg, JAVA_INT, KEEP_LAST, config.length);
                setNames(arena, cfg, names, keepTools);
            }
            Host host = new Host(mint);
            MemorySegment stub = mint == null
                ? MemorySegment.NULL
                : Linker.nativeLinker().upcallStub(MINT.bindTo(host), MINT_TYPE, arena);
            MemorySegment outcome = (MemorySegment) FOLD.invokeExact(
                document, document.byteSize(), cfg, stub, MemorySegment.NULL);
            try {
                if (host.thrown != null) {
                    throw host.thrown;
                }
                put(outcome, into, numbers, texts);
            } finally {
                OUTCOME_FREE.invokeExact(outcome);
            }
        } catch (Throwable thrown) {
            throw Native.<RuntimeException>same(thrown);
        }
    }

    private static MemorySegment newConfig(Arena arena) {
        MemorySegment cfg = arena.allocate(CONFIG_SIZE, Long.BYTES);
        try {
            CONFIG_INIT.invokeExact(cfg, CONFIG_SIZE);
        } catch (Throwable thrown) {
            throw Native.<RuntimeException>same(thrown);
        }
        return cfg;
    }

    private static void setNames(Arena arena, MemorySegment cfg, byte[] names, int keepTools) {
        MemorySegment strings = arena.allocateFrom(JAVA_BYTE, names);
        MemorySegment entries = arena.allocate(ADDRESS, keepTools);
        long at = 0;
        for (int i = 0; i < keepTools; i++) {
            entries.setAtIndex(ADDRESS, i, strings.asSlice(at));
            while (strings.get(JAVA_BYTE, at++) != 0) {}
        }
        cfg.set(ADDRESS, KEEP_TOOLS, entries);
        cfg.set(JAVA_LONG, KEEP_TOOLS_LEN, keepTools);
        if (at < names.length) {
            cfg.set(ADDRESS, FETCH_TOOL, strings.asSlice(at));
        }
    }

    private static void put(
            MemorySegment outcome, ByteBuffer into, long[] numbers, byte[][] texts) {
        numbers[0] = outcome.get(JAVA_INT, STATUS);
        numbers[1] = outcome.get(JAVA_INT, VERDICT);
        MemorySegment.copy(outcome, JAVA_LONG, ERROR_OFFSET, numbers, 2, OUTCOME_NUMBERS);
        numbers[2 + OUTCOME_NUMBERS] = outcome.get(JAVA_LONG, JSON + 8);
        MemorySegment json = text(outcome, JSON);
        if (into != null && json != null) {
            MemorySegment.ofBuffer(into).copyFrom(json);
            json = null;
        }
        MemorySegment error = outcome.get(ADDRESS, ERROR);
        texts[0] = bytes(json);
        texts[1] = bytes(text(outcome, HANDLE));
        texts[2] = error.address() == 0 ? null : utf8(error);
        texts[3] = bytes(text(outcome, RECEIPT));
    }

    /** A pointer with its length behind it. */
    private static MemorySegment text(MemorySegment outcome, long at) {
        MemorySegment text = outcome.get(ADDRESS, at);
        return text.address() == 0 ? null : text.reinterpret(outcome.get(JAVA_LONG, at + 8));
    }

    private static byte[] bytes(MemorySegment text) {
        return text == null ? null : text.toArray(JAVA_BYTE);
    }

    private static byte[] utf8(MemorySegment string) {
        return string.reinterpret(Long.MAX_VALUE).getString(0)
            .getBytes(java.nio.charset.StandardCharsets.UTF_8);
    }

    /** One call's mint. An exception that left an upcall would end the JVM: it waits here. */
    private static final class Host {
        private final Mint mint;
        private Throwable thrown;

        Host(Mint mint) {
            this.mint = mint;
        }

        int mint(
                MemorySegment userData, MemorySegment span, long spanLen, MemorySegment handle,
                long handleCap, MemorySegment handleLen) {
            try {
                byte[] answer = NewtFold.mint(mint, span.reinterpret(spanLen).toArray(JAVA_BYTE));
                if (answer == null) {
                    return -1;
                }
                handleLen.reinterpret(JAVA_LONG.byteSize()).set(JAVA_LONG, 0, answer.length);
                // One that is too long is refused by its length, with a sentence.
                if (answer.length <= handleCap) {
                    MemorySegment.copy(
                        answer, 0, handle.reinterpret(handleCap), JAVA_BYTE, 0, answer.length);
                }
                return 0;
            } catch (Throwable thrown) {
                this.thrown = thrown;
                return -1;
            }
        }
    }

    /** Throws what it is given, checked or not: callers say what that may be. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> T same(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
