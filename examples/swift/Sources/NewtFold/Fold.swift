import CNewtFold
import Foundation

/// Folds the aged tool rounds of a transcript. May be called from any threads.
///
/// - Parameters:
///   - json: UTF-8, an array of messages or a request body.
///   - mint: stores a span, durably, and names it: 1 to 256 of `A-Z a-z 0-9 . _ ~ : / @ = + -`.
///     Called on the caller's thread, once a card. nil declines, and nothing is folded.
/// - Throws: `FoldError` when the call is refused; what the mint throws, when it does.
public func fold(
    _ json: Data, config: Config = Config(), mint: (_ span: Data) throws -> String?
) throws -> Outcome {
    // It does not escape: newt_fold keeps nothing when it returns.
    try withoutActuallyEscaping(mint) { mint in
        var host = Mint(mint: mint)
        return try withUnsafeMutablePointer(to: &host) { host in
            try call(json, config, thrown: { host.pointee.thrown }) {
                newt_fold($0, $1, $2, callMint, host)
            }
        }
    }
}

/// What `fold` would do, with `Outcome.Verdict.planned` where it would go ahead.
public func plan(_ json: Data, config: Config = Config()) throws -> Outcome {
    try call(json, config) { newt_fold($0, $1, $2, nil, nil) }
}

/// Puts back what was folded. May be called from any threads.
///
/// - Parameter fetch: gives the span of a handle, on the caller's thread; where it gives nil, the
///   card stays.
/// - Throws: `FoldError` when the call is refused; what the fetch throws, when it does.
public func expand(
    _ json: Data, config: Config = Config(), fetch: (_ handle: String) throws -> Data?
) throws -> Outcome {
    try withoutActuallyEscaping(fetch) { fetch in
        var host = Fetch(fetch: fetch)
        return try withUnsafeMutablePointer(to: &host) { host in
            try call(json, config, thrown: { host.pointee.thrown }) {
                newt_expand($0, $1, $2, callFetch, host)
            }
        }
    }
}

func call(
    _ json: Data, _ config: Config, thrown: () -> (any Error)? = { nil },
    _ function: (UnsafePointer<CChar>?, Int, UnsafePointer<newt_config>)
        -> UnsafePointer<newt_outcome>?
) throws -> Outcome {
    try config.withC { config in
        try json.withUnsafeBytes { json in
            let text = json.bindMemory(to: CChar.self)
            let outcome = function(text.baseAddress, text.count, config)!
            defer { newt_outcome_free(outcome) }
            if let thrown = thrown() {
                throw thrown
            }
            return try Outcome(outcome.pointee)
        }
    }
}

/// One call's mint, and what it threw: no error of Swift's can cross C.
private struct Mint {
    let mint: (Data) throws -> String?
    var thrown: (any Error)?
}

private func callMint(
    _ host: UnsafeMutableRawPointer?, _ span: UnsafePointer<CChar>?, _ spanLength: Int,
    _ handle: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ handleLength: UnsafeMutablePointer<Int>?
) -> Int32 {
    let host = host!.assumingMemoryBound(to: Mint.self)
    do {
        guard let answer = try host.pointee.mint(Data(bytes: span!, count: spanLength)) else {
            return -1
        }
        // A handle that is too long is refused by its length, with a sentence.
        handleLength!.pointee = answer.utf8.count
        if answer.utf8.count <= capacity {
            UnsafeMutableRawBufferPointer(start: handle, count: capacity)
                .copyBytes(from: answer.utf8)
        }
        return 0
    } catch {
        host.pointee.thrown = error
        return -1
    }
}

/// One call's fetch, and what it threw.
private struct Fetch {
    let fetch: (String) throws -> Data?
    var thrown: (any Error)?
}

private func callFetch(
    _ host: UnsafeMutableRawPointer?, _ handle: UnsafePointer<CChar>?, _ handleLength: Int,
    _ sink: OpaquePointer?
) -> newt_status {
    let host = host!.assumingMemoryBound(to: Fetch.self)
    do {
        let handle = UnsafeRawBufferPointer(start: handle, count: handleLength)
        guard let span = try host.pointee.fetch(String(decoding: handle, as: UTF8.self)) else {
            return NEWT_ERR_NOT_FOUND
        }
        span.withUnsafeBytes { span in
            newt_sink_write(sink, span.bindMemory(to: CChar.self).baseAddress, span.count)
        }
        return NEWT_OK
    } catch {
        host.pointee.thrown = error
        return NEWT_ERR_STORE
    }
}
