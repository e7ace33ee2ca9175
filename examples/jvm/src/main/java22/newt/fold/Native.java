package newt.fold;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

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

    /** Offsets in newt_text, and its size. */
    private static final long TEXT_STATUS = 0, TEXT = 8, TEXT_ERROR = 24;
    private static final long TEXT_SIZE = 32;

    private static final int NEWT_OK = 0, NEWT_ERR_STORE = 7, NEWT_ERR_NOT_FOUND = 8;
    private static final int HANDLE_MAX = 256;

    private static final MethodHandle CONFIG_INIT, FOLD, EXPAND, OUTCOME_FREE, SINK_WRITE;
    private static final MethodHandle STORE_OPEN, STORE_STATE, STORE_MINT, STORE_FETCH;
    private static final MethodHandle STORE_ANSWER, STORE_FORGET, STORE_CLOSE, TEXT_FREE;
    private static final FunctionDescriptor MINT_TYPE = FunctionDescriptor.of(
        JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS);
    private static final FunctionDescriptor FETCH_TYPE = FunctionDescriptor.of(
        JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS);
    /** {@link Host#mint} and {@link Host#fetch}. */
    private static final MethodHandle MINT, FETCH;

    static {
        System.loadLibrary("newt_fold");
        AddressLayout outcome =
            ADDRESS.withTargetLayout(MemoryLayout.sequenceLayout(OUTCOME_SIZE, JAVA_BYTE));
        AddressLayout text =
            ADDRESS.withTargetLayout(MemoryLayout.sequenceLayout(TEXT_SIZE, JAVA_BYTE));
        CONFIG_INIT = function("newt_config_init", FunctionDescriptor.ofVoid(ADDRESS, JAVA_LONG));
        FunctionDescriptor operation = FunctionDescriptor.of(
            outcome, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS, ADDRESS);
        FOLD = function("newt_fold", operation);
        EXPAND = function("newt_expand", operation);
        OUTCOME_FREE = function("newt_outcome_free", FunctionDescriptor.ofVoid(ADDRESS));
        SINK_WRITE = function(
            "newt_sink_write", FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, JAVA_LONG));
        STORE_OPEN = function("newt_store_open", FunctionDescriptor.of(
            JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG));
        STORE_STATE = function("newt_store_state", FunctionDescriptor.of(text, JAVA_LONG));
        STORE_MINT = function("newt_store_mint", FunctionDescriptor.of(
            JAVA_INT, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS));
        FunctionDescriptor question =
            FunctionDescriptor.of(text, JAVA_LONG, ADDRESS, JAVA_LONG);
        STORE_FETCH = function("newt_store_fetch", question);
        STORE_ANSWER = function("newt_store_answer", question);
        STORE_FORGET = function("newt_store_forget", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
        STORE_CLOSE = function("newt_store_close", FunctionDescriptor.ofVoid(JAVA_LONG));
        TEXT_FREE = function("newt_text_free", FunctionDescriptor.ofVoid(ADDRESS));
        try {
            MINT = MethodHandles.lookup().findVirtual(Host.class, "mint", MINT_TYPE.toMethodType());
            FETCH =
                MethodHandles.lookup().findVirtual(Host.class, "fetch", FETCH_TYPE.toMethodType());
            int abi = (int) function("newt_abi_version", FunctionDescriptor.of(JAVA_INT))
                .invokeExact();
            if (abi != 1) {
                throw new UnsatisfiedLinkError(
                    "the library newt_fold speaks ABI " + abi + "; this class speaks ABI 1");
            }
        } catch (Throwable thrown) {
            throw same(thrown);
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
            byte[] json, int[] config, byte[] names, int keepTools, Mint mint, long[] numbers,
            byte[][] texts) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment document = arena.allocateFrom(JAVA_BYTE, json);
            fold(arena, document, null, config, names, keepTools, mint, numbers, texts);
        }
    }

    static void foldDirect(
            ByteBuffer json, ByteBuffer into, int[] config, byte[] names, int keepTools, Mint mint,
            long[] numbers, byte[][] texts) {
        try (Arena arena = Arena.ofConfined()) {
            fold(
                arena, MemorySegment.ofBuffer(json), MemorySegment.ofBuffer(into), config, names,
                keepTools, mint, numbers, texts);
        }
    }

    private static void fold(
            Arena arena, MemorySegment json, MemorySegment into, int[] config, byte[] names,
            int keepTools, Mint mint, long[] numbers, byte[][] texts) {
        Host host = new Host(mint, null);
        MemorySegment stub = mint == null
            ? MemorySegment.NULL
            : Linker.nativeLinker().upcallStub(MINT.bindTo(host), MINT_TYPE, arena);
        MemorySegment cfg = config(arena, config, names, keepTools);
        call(FOLD, json, cfg, stub, host, into, numbers, texts);
    }

    static void expand(
            byte[] json, int[] config, byte[] names, int keepTools, Fetch fetch, long[] numbers,
            byte[][] texts) {
        try (Arena arena = Arena.ofConfined()) {
            Host host = new Host(null, fetch);
            MemorySegment stub =
                Linker.nativeLinker().upcallStub(FETCH.bindTo(host), FETCH_TYPE, arena);
            MemorySegment cfg = config(arena, config, names, keepTools);
            MemorySegment document = arena.allocateFrom(JAVA_BYTE, json);
            call(EXPAND, document, cfg, stub, host, null, numbers, texts);
        }
    }

    private static void call(
            MethodHandle operation, MemorySegment json, MemorySegment cfg, MemorySegment stub,
            Host host, MemorySegment into, long[] numbers, byte[][] texts) {
        try {
            MemorySegment outcome = (MemorySegment) operation.invokeExact(
                json, json.byteSize(), cfg, stub, MemorySegment.NULL);
            try {
                if (host.thrown != null) {
                    throw host.thrown;
                }
                put(outcome, into, numbers, texts);
            } finally {
                OUTCOME_FREE.invokeExact(outcome);
            }
        } catch (Throwable thrown) {
            throw same(thrown);
        }
    }

    static long storeOpen(byte[] path, byte[] session) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment file = lend(arena, path);
            MemorySegment name = lend(arena, session);
            return (long) STORE_OPEN.invokeExact(file, file.byteSize(), name, name.byteSize());
        } catch (Throwable thrown) {
            throw same(thrown);
        }
    }

    static int storeState(long store, byte[][] texts) {
        try {
            return take((MemorySegment) STORE_STATE.invokeExact(store), texts);
        } catch (Throwable thrown) {
            throw same(thrown);
        }
    }

    static int storeMint(long store, byte[] span, byte[][] texts) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = arena.allocate(HANDLE_MAX);
            MemorySegment length = arena.allocate(JAVA_LONG);
            int status = (int) STORE_MINT.invokeExact(
                store, lend(arena, span), (long) span.length, handle, handle.byteSize(), length);
            if (status == NEWT_OK) {
                texts[0] = handle.asSlice(0, length.get(JAVA_LONG, 0)).toArray(JAVA_BYTE);
            }
            return status;
        } catch (Throwable thrown) {
            throw same(thrown);
        }
    }

    static int storeFetch(long store, byte[] address, byte[][] texts) {
        return ask(STORE_FETCH, store, address, texts);
    }

    static int storeAnswer(long store, byte[] arguments, byte[][] texts) {
        return ask(STORE_ANSWER, store, arguments, texts);
    }

    private static int ask(MethodHandle function, long store, byte[] question, byte[][] texts) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = (MemorySegment) function.invokeExact(
                store, lend(arena, question), (long) question.length);
            return take(text, texts);
        } catch (Throwable thrown) {
            throw same(thrown);
        }
    }

    static int storeForget(long store) {
        try {
            return (int) STORE_FORGET.invokeExact(store);
        } catch (Throwable thrown) {
            throw same(thrown);
        }
    }

    static void storeClose(long store) {
        try {
            STORE_CLOSE.invokeExact(store);
        } catch (Throwable thrown) {
            throw same(thrown);
        }
    }

    private static int take(MemorySegment text, byte[][] texts) throws Throwable {
        try {
            texts[0] = bytes(text(text, TEXT));
            texts[1] = string(text, TEXT_ERROR);
            return text.get(JAVA_INT, TEXT_STATUS);
        } finally {
            TEXT_FREE.invokeExact(text);
        }
    }

    private static MemorySegment lend(Arena arena, byte[] bytes) {
        return bytes == null ? MemorySegment.NULL : arena.allocateFrom(JAVA_BYTE, bytes);
    }

    private static MemorySegment config(Arena arena, int[] config, byte[] names, int keepTools) {
        MemorySegment cfg = newConfig(arena);
        if (config != null) {
            MemorySegment.copy(config, 0, cfg, JAVA_INT, KEEP_LAST, config.length);
            setNames(arena, cfg, names, keepTools);
        }
        return cfg;
    }

    private static MemorySegment newConfig(Arena arena) {
        MemorySegment cfg = arena.allocate(CONFIG_SIZE, Long.BYTES);
        try {
            CONFIG_INIT.invokeExact(cfg, CONFIG_SIZE);
        } catch (Throwable thrown) {
            throw same(thrown);
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
            MemorySegment outcome, MemorySegment into, long[] numbers, byte[][] texts) {
        numbers[0] = outcome.get(JAVA_INT, STATUS);
        numbers[1] = outcome.get(JAVA_INT, VERDICT);
        MemorySegment.copy(outcome, JAVA_LONG, ERROR_OFFSET, numbers, 2, OUTCOME_NUMBERS);
        numbers[2 + OUTCOME_NUMBERS] = outcome.get(JAVA_LONG, JSON + 8);
        MemorySegment json = text(outcome, JSON);
        if (into == null) {
            texts[0] = bytes(json);
        } else if (json != null) {
            into.copyFrom(json);
        }
        texts[1] = bytes(text(outcome, HANDLE));
        texts[2] = string(outcome, ERROR);
        texts[3] = bytes(text(outcome, RECEIPT));
    }

    /** A pointer with its length behind it. */
    private static MemorySegment text(MemorySegment struct, long at) {
        MemorySegment text = struct.get(ADDRESS, at);
        return text.address() == 0 ? null : text.reinterpret(struct.get(JAVA_LONG, at + 8));
    }

    /** A C string. */
    private static byte[] string(MemorySegment struct, long at) {
        MemorySegment string = struct.get(ADDRESS, at);
        return string.address() == 0
            ? null
            : string.reinterpret(Long.MAX_VALUE).getString(0).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] bytes(MemorySegment text) {
        return text == null ? null : text.toArray(JAVA_BYTE);
    }

    /** One call's callback. An exception that left an upcall would end the JVM: it waits here. */
    private static final class Host {
        private final Mint mint;
        private final Fetch fetch;
        private Throwable thrown;

        Host(Mint mint, Fetch fetch) {
            this.mint = mint;
            this.fetch = fetch;
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
                return NEWT_OK;
            } catch (Throwable thrown) {
                this.thrown = thrown;
                return -1;
            }
        }

        int fetch(MemorySegment userData, MemorySegment handle, long length, MemorySegment sink) {
            try (Arena arena = Arena.ofConfined()) {
                byte[] span =
                    NewtFold.fetch(fetch, handle.reinterpret(length).toArray(JAVA_BYTE));
                if (span == null) {
                    return NEWT_ERR_NOT_FOUND;
                }
                SINK_WRITE.invokeExact(sink, lend(arena, span), (long) span.length);
                return NEWT_OK;
            } catch (Throwable thrown) {
                this.thrown = thrown;
                return NEWT_ERR_STORE;
            }
        }
    }

    /** Throws what it is given, checked or not: callers say what that may be. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> RuntimeException same(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
