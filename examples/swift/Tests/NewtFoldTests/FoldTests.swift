import Foundation
import NewtFold
import Testing

private var golden: Config {
    var config = Config()
    config.results = .any
    return config
}

private func bytes(_ text: String) -> Data { Data(text.utf8) }

@Test func theGoldenTranscriptGivesTheGoldenCards() throws {
    let outcome = try fold(Golden.transcript, config: golden, mint: Golden.handle)
    let cards = try Golden.cards(of: outcome.json)
    print(cards)
    #expect(cards == Golden.cards)
    #expect(outcome.verdict == .folded)
    #expect(cards.contains("compaction:" + outcome.handle! + "\""))
    #expect(outcome.messagesBefore == 30)
    #expect(outcome.messagesAfter == 19)
    #expect(outcome.roundsEligible == 6)
    #expect(outcome.roundsFolded == 6)
    #expect(outcome.cards == 2)
    #expect(outcome.tokensAfter < outcome.tokensBefore)
    #expect(outcome.json.prefix(outcome.prefixLength)
        == Golden.transcript.prefix(outcome.prefixLength))
    #expect(outcome.receipt == nil)
}

@Test func spansAreTheBytesThatWent() throws {
    var spans: [Data] = []
    _ = try fold(Golden.transcript, config: golden) { span in
        spans.append(span)
        return Golden.handle(span)
    }
    #expect(spans.count == 2)
    for message in spans.flatMap({ $0.split(separator: UInt8(ascii: "\n")) }) {
        #expect(Golden.transcript.range(of: message) != nil)
    }
}

private struct DiskFull: Error, Equatable { let path: String }

@Test func whatTheMintThrowsReachesTheCaller() {
    #expect(throws: DiskFull(path: "/spans")) {
        try fold(Golden.transcript, config: golden) { _ in throw DiskFull(path: "/spans") }
    }
    var calls = 0
    #expect(throws: DiskFull(path: "the second")) {
        try fold(Golden.transcript, config: golden) { span in
            calls += 1
            if calls == 2 { throw DiskFull(path: "the second") }
            return Golden.handle(span)
        }
    }
    #expect(calls == 2)
}

@Test func aMintMayDecline() throws {
    let outcome = try fold(Golden.transcript, config: golden) { _ in nil }
    #expect(outcome.verdict == .declined)
    #expect(outcome.json == Golden.transcript)
    #expect(outcome.handle == nil)
}

@Test func aPlanStoresNothing() throws {
    let outcome = try plan(Golden.transcript, config: golden)
    #expect(outcome.verdict == .planned)
    #expect(outcome.json == Golden.transcript)
    #expect(outcome.messagesAfter == 19)
}

@Test func aMintMayFold() throws {
    let outcome = try fold(Golden.transcript, config: golden) { _ in
        try fold(Golden.transcript, config: golden, mint: Golden.handle).handle
    }
    #expect(outcome.verdict == .folded)
}

@Test func refusalsAreCasesWithTheByteAtFault() throws {
    do {
        _ = try plan(bytes(#"[{"role":"user",]"#))
        Issue.record("expected a refusal")
    } catch FoldError.json(let refusal) {
        #expect(refusal.offset == 16)
        #expect(refusal.sentence.count > 20)
    }
    #expect(throws: FoldError.self) { try plan(Data()) }
    do {
        _ = try plan(bytes("true"))
        Issue.record("expected a refusal")
    } catch FoldError.transcript {}
    do {
        _ = try plan(Data([0x5b, 0x22, 0xff]))
        Issue.record("expected a refusal")
    } catch FoldError.utf8 {}
}

@Test(arguments: ["", "with space", "l\u{f6}we", "a\tb", String(repeating: "x", count: 257)])
func unusableHandlesAreRefused(_ handle: String) throws {
    do {
        _ = try fold(Golden.transcript, config: golden) { _ in handle }
        Issue.record("expected a refusal")
    } catch FoldError.handle {}
}

@Test func theLongestHandleIsTaken() throws {
    var config = golden
    config.grouping = .all
    let handle = String(repeating: "x", count: 256)
    #expect(try fold(Golden.transcript, config: config) { _ in handle }.handle == handle)
}

@Test func configurationsReachTheLibrary() throws {
    #expect(Config().keepLast == 12)
    #expect(try fold(Golden.transcript, mint: Golden.handle).verdict == .nothing)

    var config = golden
    config.keepTools = ["read_file", "write_file"]
    config.fetchTool = "look_up"
    config.receipt = true
    let outcome = try fold(Golden.transcript, config: config, mint: Golden.handle)
    #expect(outcome.roundsEligible == 4)
    #expect(try Golden.cards(of: outcome.json).contains("[exact text: look_up(\"compaction:"))
    #expect(outcome.receipt != nil)

    config = golden
    config.fetchTool = ""
    let bare = try fold(Golden.transcript, config: config, mint: Golden.handle)
    #expect(try Golden.cards(of: bare.json).contains("[exact text: compaction:"))
}

@Test func configurationsOutOfRangeAreRefused() throws {
    var config = Config()
    config.bytesPerToken = 0
    do {
        _ = try plan(Golden.transcript, config: config)
        Issue.record("expected a refusal")
    } catch FoldError.argument(let refusal) {
        #expect(refusal.offset == nil)
    }
    config = Config()
    config.keepTools = ["a\0b"]
    do {
        _ = try plan(Golden.transcript, config: config)
        Issue.record("expected a refusal")
    } catch FoldError.argument {}
}

@Test func whatFoldedComesBack() throws {
    var spans: [String: Data] = [:]
    let folded = try fold(Golden.transcript, config: golden) { span in
        let handle = Golden.handle(span)
        spans[handle] = span
        return handle
    }
    #expect(try expand(folded.json) { spans[$0] }.json == Golden.transcript)
    let without = try expand(folded.json) { _ in nil }
    #expect(without.verdict == .nothing)
    #expect(without.cards == 2)
    #expect(throws: DiskFull(path: "/spans")) {
        try expand(folded.json) { _ in throw DiskFull(path: "/spans") }
    }
}

@Test func tasksDoNotMeet() async throws {
    let config = golden
    let alone = try fold(Golden.transcript, config: config, mint: Golden.handle).json
    try await withThrowingTaskGroup(of: Data.self) { group in
        for _ in 0..<200 {
            group.addTask {
                try fold(Golden.transcript, config: config, mint: Golden.handle).json
            }
        }
        for try await json in group {
            #expect(json == alone)
        }
    }
}
