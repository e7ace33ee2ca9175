import CNewtFold
import Foundation

/// What a call did: `newt_outcome` of `newt_fold.h`.
public struct Outcome: Sendable {
    /// Why `roundsFolded` is what it is.
    public enum Verdict: UInt32, Sendable {
        /// The document changed.
        case folded = 1
        /// Too few rounds would go.
        case nothing
        /// The document would not have become smaller, or not by enough.
        case notSmaller
        /// The mint declined.
        case declined
        /// It was a plan, and a fold would go ahead.
        case planned
    }

    /// nil is a verdict that this package is too old to know.
    public let verdict: Verdict?
    /// The document, folded: UTF-8 JSON.
    public let json: Data
    /// The handle of the newest card that this call wrote.
    public let handle: String?
    /// Complete, aged rounds that the configuration admits.
    public let roundsEligible: Int
    /// Rounds that this call folded.
    public let roundsFolded: Int
    /// Cards that stand in `json`, older ones counted.
    public let cards: Int
    public let messagesBefore: Int
    public let messagesAfter: Int
    /// Estimated tokens of the input.
    public let tokensBefore: Int
    /// Estimated tokens of `json`.
    public let tokensAfter: Int
    /// Bytes at the start of `json` that equal the input's.
    public let prefixLength: Int
    /// What went, what stayed and why, as JSON; nil unless `Config.receipt`.
    public let receipt: String?

    /// Copies what the library says; throws what it refused.
    init(_ outcome: newt_outcome) throws {
        guard outcome.status == NEWT_OK else {
            throw FoldError(status: outcome.status, Refusal(
                sentence: outcome.error.map { String(cString: $0) } ?? "",
                // size_t is an Int in Swift, and SIZE_MAX -1.
                offset: outcome.error_offset < 0 ? nil : outcome.error_offset))
        }
        verdict = Verdict(rawValue: outcome.verdict)
        json = Data(bytes: outcome.json, count: outcome.json_len)
        handle = outcome.handle.map { String(cString: $0) }
        roundsEligible = outcome.rounds_eligible
        roundsFolded = outcome.rounds_folded
        cards = outcome.cards
        messagesBefore = outcome.messages_before
        messagesAfter = outcome.messages_after
        tokensBefore = outcome.tokens_before
        tokensAfter = outcome.tokens_after
        prefixLength = outcome.prefix_len
        receipt = outcome.receipt.map { String(cString: $0) }
    }
}
