import Foundation
import NewtFold
import Testing

private var golden: Config {
    var config = Config()
    config.results = .any
    return config
}

@Test func aStoreKeepsWhatWasFolded() throws {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("spans.db").path

    let folded = try Store(path: path, session: "one").fold(Golden.transcript, config: golden)
    #expect(folded.verdict == .folded)

    let again = try Store(path: path, session: "one")
    #expect(try again.expand(folded.json).json == Golden.transcript)
    #expect(try again.fetch("compaction:" + folded.handle!).contains("make test"))
    #expect(try again.answer(#"{"address":"compaction:\#(folded.handle!)"}"#).contains("make test"))

    let other = try Store(path: path, session: "two")
    #expect(try other.expand(folded.json).cards == 2)

    try again.forget()
    do {
        _ = try again.fetch(folded.handle!)
        Issue.record("expected a refusal")
    } catch FoldError.notFound {}
}

@Test func aStoreThatCannotBeOpenedSaysWhy() throws {
    do {
        _ = try Store(path: "/nowhere/spans.db")
        Issue.record("expected a refusal")
    } catch FoldError.store(let refusal) {
        #expect(refusal.sentence.contains("/nowhere"))
    }
}

@Test func aStoreMayBeSharedByTasks() async throws {
    let store = try Store()
    let config = golden
    try await withThrowingTaskGroup(of: Data.self) { group in
        for _ in 0..<20 {
            group.addTask {
                try store.expand(store.fold(Golden.transcript, config: config).json).json
            }
        }
        for try await json in group {
            #expect(json == Golden.transcript)
        }
    }
}

@Test func theFetchToolIsDeclaredByItsName() throws {
    var config = Config()
    config.fetchTool = "look_up"
    #expect(try fetchTool(config).contains(#""look_up""#))
}
