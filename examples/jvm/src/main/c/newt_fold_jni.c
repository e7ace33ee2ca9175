// newt.fold.Native over JNI.
//
// An exception of the mint's is left pending: newt_fold comes back declined,
// nothing but releases follow, and the JVM throws it when the native method
// returns.

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
    return mint_method == NULL ? JNI_ERR : JNI_VERSION_1_6;
}

static void throw_out_of_memory(JNIEnv *env, const char *sentence) {
    jclass class = (*env)->FindClass(env, "java/lang/OutOfMemoryError");
    if (class != NULL)
        (*env)->ThrowNew(env, class, sentence);
}

// NULL with an exception pending when Java cannot hold the text.
static jbyteArray to_java(JNIEnv *env, const char *text, size_t len) {
    if (len > INT32_MAX) {
        throw_out_of_memory(env, "a text of 2 GiB or more does not fit an array of Java's");
        return NULL;
    }
    jbyteArray array = (*env)->NewByteArray(env, (jsize)len);
    if (array != NULL)
        (*env)->SetByteArrayRegion(env, array, 0, (jsize)len, (const jbyte *)text);
    return array;
}

struct host {
    JNIEnv *env;
    jobject mint;
};

// Local references live until the native method returns, however many spans
// one fold mints: so each is given back here.
static int32_t mint(void *user_data, const char *span, size_t span_len, char *handle,
                    size_t handle_cap, size_t *handle_len) {
    const struct host *host = user_data;
    JNIEnv *env = host->env;
    jbyteArray argument = to_java(env, span, span_len);
    if (argument == NULL)
        return -1;
    jbyteArray answer =
        (*env)->CallStaticObjectMethod(env, newt_fold_class, mint_method, host->mint, argument);
    bool thrown = (*env)->ExceptionCheck(env);
    (*env)->DeleteLocalRef(env, argument);
    if (thrown || answer == NULL)
        return -1;
    *handle_len = (size_t)(*env)->GetArrayLength(env, answer);
    // One that is too long is refused by its length, with a sentence.
    if (*handle_len <= handle_cap)
        (*env)->GetByteArrayRegion(env, answer, 0, (jsize)*handle_len, (jbyte *)handle);
    (*env)->DeleteLocalRef(env, answer);
    return 0;
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

static void put_outcome(JNIEnv *env, const newt_outcome *out, char *into, jlongArray numbers,
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
        memcpy(into, json, out->json_len);
        json = NULL;
    }
    (void)(put_text(env, texts, 0, json, out->json_len) &&
           put_text(env, texts, 1, out->handle, out->handle_len) &&
           put_text(env, texts, 2, out->error, out->error == NULL ? 0 : strlen(out->error)) &&
           put_text(env, texts, 3, out->receipt, out->receipt_len));
}

static void fold(JNIEnv *env, const char *json, size_t len, const newt_config *cfg, jobject mint_of,
                 char *into, jlongArray numbers, jobjectArray texts) {
    struct host host = {env, mint_of};
    const newt_outcome *out = newt_fold(json, len, cfg, mint_of == NULL ? NULL : mint, &host);
    if (!(*env)->ExceptionCheck(env))
        put_outcome(env, out, into, numbers, texts);
    newt_outcome_free(out);
}

JNIEXPORT void JNICALL Java_newt_fold_Native_fold(JNIEnv *env, jclass class, jbyteArray json,
                                                  jobject from, jobject into, jintArray config,
                                                  jbyteArray names, jint keep_tools,
                                                  jobject mint_of, jlongArray numbers,
                                                  jobjectArray texts) {
    (void)class;
    newt_config cfg;
    newt_config_init(&cfg, sizeof cfg);
    jbyte *name_bytes = NULL;
    const char **entries = NULL;
    if (config != NULL) {
        (*env)->GetIntArrayRegion(env, config, 0, CONFIG_NUMBERS, config_numbers(&cfg));
        name_bytes = (*env)->GetByteArrayElements(env, names, NULL);
        if (name_bytes == NULL)
            return;
        entries = malloc(((size_t)keep_tools + 1) * sizeof *entries);
        if (entries == NULL)
            throw_out_of_memory(env, "no memory for the names of tools");
        else
            set_names(&cfg, entries, (const char *)name_bytes,
                      (size_t)(*env)->GetArrayLength(env, names), (size_t)keep_tools);
    }
    if (config == NULL || entries != NULL) {
        if (json == NULL) {
            fold(env, (*env)->GetDirectBufferAddress(env, from),
                 (size_t)(*env)->GetDirectBufferCapacity(env, from), &cfg, mint_of,
                 (*env)->GetDirectBufferAddress(env, into), numbers, texts);
        } else {
            // Elements and no critical section: the mint runs Java code.
            jbyte *bytes = (*env)->GetByteArrayElements(env, json, NULL);
            if (bytes != NULL) {
                fold(env, (const char *)bytes, (size_t)(*env)->GetArrayLength(env, json), &cfg,
                     mint_of, NULL, numbers, texts);
                (*env)->ReleaseByteArrayElements(env, json, bytes, JNI_ABORT);
            }
        }
    }
    free(entries);
    if (name_bytes != NULL)
        (*env)->ReleaseByteArrayElements(env, names, name_bytes, JNI_ABORT);
}
