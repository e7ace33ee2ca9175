// Folds the transcript that is named first and prints the cards that stand in it then.

import com.google.gson.JsonParser
import newt.fold.Config
import newt.fold.NewtFold
import java.io.File
import java.io.PrintStream

fun main(args: Array<String>) {
    val spans = HashMap<String, ByteArray>()
    val config = Config().apply { results = Config.Results.ANY }
    val outcome = NewtFold.fold(File(args[0]).readBytes(), config) { span ->
        fnv1a64(span).also { spans[it] = span }
    }
    val out = PrintStream(System.out, true, Charsets.UTF_8)
    for (message in JsonParser.parseString(outcome.json.toString(Charsets.UTF_8)).asJsonArray) {
        val content = message.asJsonObject["content"]
        if (content.isJsonPrimitive && content.asString.startsWith("[NEWT FOLDED TOOL ROUNDS]")) {
            out.println(content.asString)
        }
    }
    check(outcome.handle in spans) { "the newest card names a span that was stored" }
}

private fun fnv1a64(bytes: ByteArray): String {
    var hash = 0xcbf29ce484222325u
    for (byte in bytes) {
        hash = (hash xor byte.toUByte().toULong()) * 0x100000001b3u
    }
    return hash.toString(16).padStart(16, '0')
}
