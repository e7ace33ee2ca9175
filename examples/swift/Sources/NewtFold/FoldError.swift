import CNewtFold

/// A refusal: the document is as it was.
public enum FoldError: Error, Equatable, Sendable {
    /// An argument or a field of the configuration is out of range.
    case argument(Refusal)
    /// The document is not UTF-8.
    case utf8(Refusal)
    /// The document is not JSON.
    case json(Refusal)
    /// The document is JSON, but no transcript.
    case transcript(Refusal)
    /// A stated limit was reached.
    case limit(Refusal)
    /// The mint returned an unusable handle.
    case handle(Refusal)
    /// The store failed.
    case store(Refusal)
    /// Nothing is held under this handle.
    case notFound(Refusal)
    /// Memory ran out.
    case memory(Refusal)
    /// A defect of the library. Please report it.
    case panic(Refusal)
    /// A status that this package is too old to know.
    case unknown(Int32, Refusal)

    init(status: newt_status, _ refusal: Refusal) {
        switch status {
        case NEWT_ERR_ARGUMENT: self = .argument(refusal)
        case NEWT_ERR_UTF8: self = .utf8(refusal)
        case NEWT_ERR_JSON: self = .json(refusal)
        case NEWT_ERR_TRANSCRIPT: self = .transcript(refusal)
        case NEWT_ERR_LIMIT: self = .limit(refusal)
        case NEWT_ERR_HANDLE: self = .handle(refusal)
        case NEWT_ERR_STORE: self = .store(refusal)
        case NEWT_ERR_NOT_FOUND: self = .notFound(refusal)
        case NEWT_ERR_MEMORY: self = .memory(refusal)
        case NEWT_ERR_PANIC: self = .panic(refusal)
        default: self = .unknown(status, refusal)
        }
    }
}

/// Why a call was refused.
public struct Refusal: Equatable, Sendable {
    /// What was expected, what was found, where, what to do.
    public let sentence: String
    /// The byte of the input at fault.
    public let offset: Int?
}
