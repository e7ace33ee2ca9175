import CNewtFold
import Foundation

/// The built-in store: SQLite, addressed by content, seen by its session only.
///
/// Sendable, because the library lets any threads use a store at once; it is closed when the last
/// reference is gone.
public final class Store: @unchecked Sendable {
    private let store: OpaquePointer

    /// Opens a session.
    ///
    /// - Parameters:
    ///   - path: the file, created where there is none; nil is a store in memory.
    ///   - session: who opens the same file with the same name sees the same spans; nil is a new
    ///     session that nobody else can open.
    public init(path: String? = nil, session: String? = nil) throws {
        store = newt_store_open(path, path?.utf8.count ?? 0, session, session?.utf8.count ?? 0)
        // Closed by deinit when this throws: all fields are set.
        try failure()
    }

    deinit {
        newt_store_close(store)
    }

    /// As the function of this name, with this store's mint; throws where the store declines.
    public func fold(_ json: Data, config: Config = Config()) throws -> Outcome {
        let outcome = try call(json, config) {
            newt_fold($0, $1, $2, newt_store_mint, UnsafeMutableRawPointer(store))
        }
        if outcome.verdict == .declined {
            try failure()
        }
        return outcome
    }

    /// As the function of this name, with this store's spans.
    public func expand(_ json: Data, config: Config = Config()) throws -> Outcome {
        try call(json, config) {
            newt_expand($0, $1, $2, newt_store_load, UnsafeMutableRawPointer(store))
        }
    }

    /// The span under an address: a handle, or one after `compaction:`.
    public func fetch(_ address: String) throws -> String {
        try text(newt_store_fetch(store, address, address.utf8.count))
    }

    /// The result of a model's call of the fetch tool, given the arguments as the model wrote them.
    public func answer(_ arguments: String) throws -> String {
        try text(newt_store_answer(store, arguments, arguments.utf8.count))
    }

    /// Removes this session's spans.
    public func forget() throws {
        if newt_store_forget(store) != NEWT_OK {
            try failure()
        }
    }

    /// Throws the latest failure, if there was one.
    private func failure() throws {
        _ = try text(newt_store_state(store))
    }
}

/// The definition of the fetch tool, one element of a request's tools.
public func fetchTool(_ config: Config = Config()) throws -> String {
    try config.withC { try text(newt_fetch_tool_json($0)) }
}

private func text(_ text: UnsafePointer<newt_text>?) throws -> String {
    defer { newt_text_free(text) }
    let it = text!.pointee
    guard it.status == NEWT_OK else {
        throw FoldError(status: it.status, Refusal(
            sentence: it.error.map { String(cString: $0) } ?? "", offset: nil))
    }
    let bytes = UnsafeRawBufferPointer(start: it.text, count: it.text_len)
    return String(decoding: bytes, as: UTF8.self)
}
