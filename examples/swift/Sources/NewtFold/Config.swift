import CNewtFold

/// What a fold may do: `newt_config` of `newt_fold.h`, field by field.
public struct Config: Sendable {
    /// Wire format of the transcript.
    public enum Format: UInt32, Sendable { case auto, chat, anthropic, responses, gemini }
    /// Which results let a round fold.
    public enum Results: UInt32, Sendable { case oneLined, any }
    /// One card a run of rounds, or one for all.
    public enum Grouping: UInt32, Sendable { case runs, all }
    /// Whose message a card is.
    public enum Card: UInt32, Sendable { case user, assistant, tool }

    /// Messages at the end that are never touched.
    public var keepLast: UInt32
    /// Fewer rounds than this fold nothing.
    public var minRounds: UInt32
    public var format = Format.auto
    public var results = Results.oneLined
    public var grouping = Grouping.runs
    public var card = Card.user
    /// Lines of rounds in a card, at least 1.
    public var maxCardLines: UInt32
    /// Characters of the prose beside a call that the card keeps.
    public var noteChars: UInt32
    /// With `Results.any`: results this short are shown whole.
    public var resultChars: UInt32
    /// Estimated tokens that a fold must win.
    public var minReclaim: UInt32
    /// Bytes that make a token in the estimate, at least 1.
    public var bytesPerToken: UInt32
    /// Whether `Outcome.receipt` is wanted.
    public var receipt = false
    /// The tool that a card tells the model to call; nil is the library's default, "" is none.
    public var fetchTool: String?
    /// Rounds that call one of these tools never fold.
    public var keepTools: [String] = []

    /// The library's defaults.
    public init() {
        let defaults = newt_config.defaults
        keepLast = defaults.keep_last
        minRounds = defaults.min_rounds
        maxCardLines = defaults.max_card_lines
        noteChars = defaults.note_chars
        resultChars = defaults.result_chars
        minReclaim = defaults.min_reclaim
        bytesPerToken = defaults.bytes_per_token
    }

    /// Lends C the same configuration, until `body` returns.
    func withC<Result>(_ body: (UnsafePointer<newt_config>) throws -> Result) throws -> Result {
        var config = newt_config.defaults
        config.keep_last = keepLast
        config.min_rounds = minRounds
        config.format = format.rawValue
        config.results = results.rawValue
        config.grouping = grouping.rawValue
        config.card = card.rawValue
        config.max_card_lines = maxCardLines
        config.note_chars = noteChars
        config.result_chars = resultChars
        config.min_reclaim = minReclaim
        config.bytes_per_token = bytesPerToken
        config.flags = receipt ? UInt32(NEWT_FLAG_RECEIPT) : 0

        // All names as C strings, one behind another: one block to lend.
        var names: [CChar] = []
        var starts: [Int] = []
        for tool in keepTools + [fetchTool].compactMap({ $0 }) {
            if tool.utf8.contains(0) {
                throw FoldError.argument(Refusal(
                    sentence: "the name of a tool, \(tool.debugDescription), has a NUL, "
                        + "where C would end it; expected a tool's name",
                    offset: nil))
            }
            starts.append(names.count)
            names += tool.utf8CString
        }
        return try names.withUnsafeBufferPointer { names in
            // No start without a string, so there is a base address where one is asked for.
            let strings = starts.map { UnsafePointer<CChar>?(names.baseAddress! + $0) }
            return try strings.withUnsafeBufferPointer { strings in
                config.keep_tools = strings.baseAddress
                config.keep_tools_len = keepTools.count
                config.fetch_tool = fetchTool == nil ? nil : strings[keepTools.count]
                return try body(&config)
            }
        }
    }
}

extension newt_config {
    static var defaults: newt_config {
        var config = newt_config()
        newt_config_init(&config, MemoryLayout<newt_config>.size)
        return config
    }
}
