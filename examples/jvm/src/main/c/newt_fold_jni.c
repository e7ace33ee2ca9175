// newt.fold.Native over JNI.
//
// An exception of the mint's or the fetch's is left pending: the library's call
// comes to nothing, only releases follow, and the JVM throws the exception when
// the native method returns.

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "newt_fold.h"

// The fields of newt_config from keep_last to flags, as Java numbers them.
enum { CONFIG_NUMBERS = 12 };
_Static_assert(offsetof(newt_config, flags) - offsetof(newt_config, keep_last) ==
                   (CONFIG_NUMBERS - 1) * sizeof(jint),
               "the numbers of newt_config stand side by side");

static jint *config_numbers(newt_config *cfg) {
    return (jint *)((char *)cfg + offsetof(newt_config, keep_last));
}

static jclass newt_fold_class;
static jmethodID mint_method;
static jmethodID fetch_method;

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
    (void)reserved;
    JNIEnv *env;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_6) != JNI_OK)
        return JNI_ERR;
    jclass class = (*env)->FindClass(env, "newt/fold/NewtFold");
    if (class == NULL)
        return JNI_ERR;
    newt_fold_class = (*env)->NewGlobalRef(env, class);
    if (newt_fold_class == NULL)
        return JNI_ERR;
    mint_method = (*env)->GetStaticMethodID(env, class, "mint", "(Lnewt/fold/Mint;[B)[B");
    if (mint_method == NULL)
        return JNI_ERR;
    fetch_method = (*env)->GetStaticMethodID(env, class, "fetch", "(Lnewt/fold/Fetch;[B)[B");
    return fetch_method == NULL ? JNI_ERR : JNI_VERSION_1_6;
}

#define OUT_OF_MEMORY "java/lang/OutOfMemoryError"

static void throw_new(JNIEnv *env, const char *name, const char *sentence) {
    jclass class = (*env)->FindClass(env, name);
    if (class != NULL)
        (*env)->ThrowNew(env, class, sentence);
}

// NULL with an exception pending when Java cannot hold the text.
static jbyteArray to_java(JNIEnv *env, const char *text, size_t len) {
    if (len > INT32_MAX) {
        throw_new(env, OUT_OF_MEMORY, "a text of 2 GiB or more does not fit an array of Java's");
        return NULL;
    }
    jbyteArray array = (*env)->NewByteArray(env, (jsize)len);
    if (array != NULL)
        (*env)->SetByteArrayRegion(env, array, 0, (jsize)len, (const jbyte *)text);
    return array;
}

// The callback of one call: a Mint or a Fetch.
struct host {
    JNIEnv *env;
    jobject callback;
};

// Asks the host. Local references live until the native method returns,
// however often one call asks: so the argument is given back here, and the
// answer by the caller. NULL if the host has none, or threw.
static jbyteArray ask(const struct host *host, jmethodID method, const char *text, size_t len) {
    JNIEnv *env = host->env;
    jbyteArray argument = to_java(env, text, len);
    if (argument == NULL)
        return NULL;
    jbyteArray answer = (*env)->CallStaticObjectMethod(env, newt_fold_class, method,
                                                       host->callback, argument);
    bool thrown = (*env)->ExceptionCheck(env);
    (*env)->DeleteLocalRef(env, argument);
    return thrown ? NULL : answer;
}

static int32_t mint(void *user_data, const char *span, size_t span_len, char *handle,
                    size_t handle_cap, size_t *handle_len) {
    const struct host *host = user_data;
    JNIEnv *env = host->env;
    jbyteArray answer = ask(host, mint_method, span, span_len);
    if (answer == NULL)
        return -1;
    *handle_len = (size_t)(*env)->GetArrayLength(env, answer);
    // One that is too long is refused by its length, with a sentence.
    if (*handle_len <= handle_cap)
        (*env)->GetByteArrayRegion(env, answer, 0, (jsize)*handle_len, (jbyte *)handle);
    (*env)->DeleteLocalRef(env, answer);
    return 0;
}

static newt_status fetch(void *user_data, const char *handle, size_t handle_len, newt_sink *sink) {
    const struct host *host = user_data;
    JNIEnv *env = host->env;
    jbyteArray answer = ask(host, fetch_method, handle, handle_len);
    if (answer == NULL)
        return (*env)->ExceptionCheck(env) ? NEWT_ERR_STORE : NEWT_ERR_NOT_FOUND;
    jbyte *span = (*env)->GetByteArrayElements(env, answer, NULL);
    if (span != NULL) {
        newt_sink_write(sink, (const char *)span, (size_t)(*env)->GetArrayLength(env, answer));
        (*env)->ReleaseByteArrayElements(env, answer, span, JNI_ABORT);
    }
    (*env)->DeleteLocalRef(env, answer);
    return span == NULL ? NEWT_ERR_STORE : NEWT_OK;
}

JNIEXPORT void JNICALL Java_newt_fold_Native_defaults(JNIEnv *env, jclass class, jintArray config) {
    (void)class;
    newt_config cfg;
    newt_config_init(&cfg, sizeof cfg);
    (*env)->SetIntArrayRegion(env, config, 0, CONFIG_NUMBERS, config_numbers(&cfg));
}

// Points `cfg` at `names`: as many C strings as `keep_tools` says, then, if
// anything is left, the fetch tool's. `entries` has room for the former.
static void set_names(newt_config *cfg, const char **entries, const char *names, size_t len,
                      size_t keep_tools) {
    const char *end = names + len;
    for (size_t i = 0; i < keep_tools; i++) {
        entries[i] = names;
        names += strlen(names) + 1;
    }
    cfg->keep_tools = entries;
    cfg->keep_tools_len = keep_tools;
    cfg->fetch_tool = names < end ? names : NULL;
}

static bool put_text(JNIEnv *env, jobjectArray texts, jsize at, const char *text, size_t len) {
    if (text == NULL)
        return true;
    jbyteArray array = to_java(env, text, len);
    if (array == NULL)
        return false;
    (*env)->SetObjectArrayElement(env, texts, at, array);
    return !(*env)->ExceptionCheck(env);
}

static void put_outcome(JNIEnv *env, const newt_outcome *out, jobject into, jlongArray numbers,
                        jobjectArray texts) {
    const jlong values[] = {
        out->status,
        out->verdict,
        out->error_offset == SIZE_MAX ? -1 : (jlong)out->error_offset,
        (jlong)out->rounds_eligible,
        (jlong)out->rounds_folded,
        (jlong)out->cards,
        (jlong)out->messages_before,
        (jlong)out->messages_after,
        (jlong)out->tokens_before,
        (jlong)out->tokens_after,
        (jlong)out->prefix_len,
        (jlong)out->json_len,
    };
    (*env)->SetLongArrayRegion(env, numbers, 0, sizeof values / sizeof *values, values);
    const char *json = out->json;
    if (into != NULL && json != NULL) {
        // A document never grows, and the caller made room for its length; but
        // no promise is worth a write beyond a buffer.
        if (out->json_len > (size_t)(*env)->GetDirectBufferCapacity(env, into)) {
            throw_new(env, "java/lang/IndexOutOfBoundsException", "the document grew");
            return;
        }
        memcpy((*env)->GetDirectBufferAddress(env, into), json, out->json_len);
        json = NULL;
    }
    (void)(put_text(env, texts, 0, json, out->json_len) &&
           put_text(env, texts, 1, out->handle, out->handle_len) &&
           put_text(env, texts, 2, out->error, out->error == NULL ? 0 : strlen(out->error)) &&
           put_text(env, texts, 3, out->receipt, out->receipt_len));
}

// A byte[] as C bytes. Elements and no critical section: while they are lent,
// callbacks run Java code.
struct bytes {
    jbyteArray array;
    jbyte *elements;
    size_t len;
};

// False with an exception pending when memory ran out. NULL is NULL.
static bool lend(JNIEnv *env, jbyteArray array, struct bytes *bytes) {
    *bytes = (struct bytes){array, NULL, 0};
    if (array == NULL)
        return true;
    bytes->len = (size_t)(*env)->GetArrayLength(env, array);
    bytes->elements = (*env)->GetByteArrayElements(env, array, NULL);
    return bytes->elements != NULL;
}

static void give_back(JNIEnv *env, const struct bytes *bytes) {
    if (bytes->elements != NULL)
        (*env)->ReleaseByteArrayElements(env, bytes->array, bytes->elements, JNI_ABORT);
}

struct config {
    newt_config cfg;
    struct bytes names;
    const char **keep_tools;
};

// False with an exception pending when memory ran out; end_config either way.
static bool begin_config(JNIEnv *env, struct config *config, jintArray numbers, jbyteArray names,
                         jint keep_tools) {
    *config = (struct config){0};
    newt_config_init(&config->cfg, sizeof config->cfg);
    if (numbers == NULL)
        return true;
    (*env)->GetIntArrayRegion(env, numbers, 0, CONFIG_NUMBERS, config_numbers(&config->cfg));
    if (!lend(env, names, &config->names))
        return false;
    config->keep_tools = malloc(((size_t)keep_tools + 1) * sizeof *config->keep_tools);
    if (config->keep_tools == NULL) {
        throw_new(env, OUT_OF_MEMORY, "no memory for the names of tools");
        return false;
    }
    set_names(&config->cfg, config->keep_tools, (const char *)config->names.elements,
              config->names.len, (size_t)keep_tools);
    return true;
}

static void end_config(JNIEnv *env, const struct config *config) {
    free(config->keep_tools);
    give_back(env, &config->names);
}

static void fold(JNIEnv *env, const char *json, size_t len, const newt_config *cfg,
                 jobject callback, jobject into, jlongArray numbers, jobjectArray texts) {
    struct host host = {env, callback};
    const newt_outcome *out = newt_fold(json, len, cfg, callback == NULL ? NULL : mint, &host);
    if (!(*env)->ExceptionCheck(env))
        put_outcome(env, out, into, numbers, texts);
    newt_outcome_free(out);
}

JNIEXPORT void JNICALL Java_newt_fold_Native_fold(JNIEnv *env, jclass class, jbyteArray json,
                                                  jintArray numbers_of_config, jbyteArray names,
                                                  jint keep_tools, jobject callback,
                                                  jlongArray numbers, jobjectArray texts) {
    (void)class;
    struct config config;
    struct bytes bytes;
    if (begin_config(env, &config, numbers_of_config, names, keep_tools) &&
        lend(env, json, &bytes)) {
        fold(env, (const char *)bytes.elements, bytes.len, &config.cfg, callback, NULL, numbers,
             texts);
        give_back(env, &bytes);
    }
    end_config(env, &config);
}

JNIEXPORT void JNICALL Java_newt_fold_Native_foldDirect(JNIEnv *env, jclass class, jobject json,
                                                        jobject into, jintArray numbers_of_config,
                                                        jbyteArray names, jint keep_tools,
                                                        jobject callback, jlongArray numbers,
                                                        jobjectArray texts) {
    (void)class;
    struct config config;
    if (begin_config(env, &config, numbers_of_config, names, keep_tools))
        fold(env, (*env)->GetDirectBufferAddress(env, json),
             (size_t)(*env)->GetDirectBufferCapacity(env, json), &config.cfg, callback, into,
             numbers, texts);
    end_config(env, &config);
}

JNIEXPORT void JNICALL Java_newt_fold_Native_expand(JNIEnv *env, jclass class, jbyteArray json,
                                                    jintArray numbers_of_config, jbyteArray names,
                                                    jint keep_tools, jobject callback,
                                                    jlongArray numbers, jobjectArray texts) {
    (void)class;
    struct config config;
    struct bytes bytes;
    if (begin_config(env, &config, numbers_of_config, names, keep_tools) &&
        lend(env, json, &bytes)) {
        struct host host = {env, callback};
        const newt_outcome *out =
            newt_expand((const char *)bytes.elements, bytes.len, &config.cfg, fetch, &host);
        if (!(*env)->ExceptionCheck(env))
            put_outcome(env, out, NULL, numbers, texts);
        newt_outcome_free(out);
        give_back(env, &bytes);
    }
    end_config(env, &config);
}

static newt_store *store_of(jlong store) {
    return (newt_store *)(intptr_t)store;
}

JNIEXPORT jlong JNICALL Java_newt_fold_Native_storeOpen(JNIEnv *env, jclass class, jbyteArray path,
                                                        jbyteArray session) {
    (void)class;
    struct bytes path_bytes, session_bytes;
    newt_store *store = NULL;
    if (lend(env, path, &path_bytes)) {
        if (lend(env, session, &session_bytes)) {
            store = newt_store_open((const char *)path_bytes.elements, path_bytes.len,
                                    (const char *)session_bytes.elements, session_bytes.len);
            give_back(env, &session_bytes);
        }
        give_back(env, &path_bytes);
    }
    return (jlong)(intptr_t)store;
}

static jint take_text(JNIEnv *env, const newt_text *text, jobjectArray texts) {
    newt_status status = text->status;
    (void)(put_text(env, texts, 0, text->text, text->text_len) &&
           put_text(env, texts, 1, text->error, text->error == NULL ? 0 : strlen(text->error)));
    newt_text_free(text);
    return status;
}

JNIEXPORT jint JNICALL Java_newt_fold_Native_storeState(JNIEnv *env, jclass class, jlong store,
                                                        jobjectArray texts) {
    (void)class;
    return take_text(env, newt_store_state(store_of(store)), texts);
}

JNIEXPORT jint JNICALL Java_newt_fold_Native_storeMint(JNIEnv *env, jclass class, jlong store,
                                                       jbyteArray span, jobjectArray texts) {
    (void)class;
    struct bytes bytes;
    if (!lend(env, span, &bytes))
        return NEWT_ERR_MEMORY;
    char handle[256];
    size_t handle_len = 0;
    newt_status status = newt_store_mint(store_of(store), (const char *)bytes.elements, bytes.len,
                                         handle, sizeof handle, &handle_len);
    give_back(env, &bytes);
    if (status == NEWT_OK)
        put_text(env, texts, 0, handle, handle_len);
    return status;
}

JNIEXPORT jint JNICALL Java_newt_fold_Native_storeFetch(JNIEnv *env, jclass class, jlong store,
                                                        jbyteArray address, jobjectArray texts) {
    (void)class;
    struct bytes bytes;
    if (!lend(env, address, &bytes))
        return NEWT_ERR_MEMORY;
    const newt_text *text =
        newt_store_fetch(store_of(store), (const char *)bytes.elements, bytes.len);
    give_back(env, &bytes);
    return take_text(env, text, texts);
}

JNIEXPORT jint JNICALL Java_newt_fold_Native_storeAnswer(JNIEnv *env, jclass class, jlong store,
                                                         jbyteArray arguments, jobjectArray texts) {
    (void)class;
    struct bytes bytes;
    if (!lend(env, arguments, &bytes))
        return NEWT_ERR_MEMORY;
    const newt_text *text =
        newt_store_answer(store_of(store), (const char *)bytes.elements, bytes.len);
    give_back(env, &bytes);
    return take_text(env, text, texts);
}

JNIEXPORT jint JNICALL Java_newt_fold_Native_storeForget(JNIEnv *env, jclass class, jlong store) {
    (void)env;
    (void)class;
    return newt_store_forget(store_of(store));
}

JNIEXPORT void JNICALL Java_newt_fold_Native_storeClose(JNIEnv *env, jclass class, jlong store) {
    (void)env;
    (void)class;
    newt_store_close(store_of(store));
}
