// Folds the transcript on standard input; the spans become files in the folder that is named.

import Foundation
import NewtFold

let spans = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
try FileManager.default.createDirectory(at: spans, withIntermediateDirectories: true)

var config = Config()
config.results = .any
let outcome = try fold(FileHandle.standardInput.readDataToEndOfFile(), config: config) { span in
    let handle = UUID().uuidString
    try span.write(to: spans.appendingPathComponent(handle))
    return handle
}
FileHandle.standardOutput.write(outcome.json)
