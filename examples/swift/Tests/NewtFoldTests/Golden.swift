import Foundation

/// The fixture that every host folds: examples/golden.
enum Golden {
    // Read each time: the leak checker does not see what a global Data holds.
    static var transcript: Data { read("transcript.json") }
    static var cards: String { String(decoding: read("cards.txt"), as: UTF8.self) }

    /// FNV-1a, 64 bits.
    static func handle(_ span: Data) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in span {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The cards of a document, a line break behind each.
    static func cards(of json: Data) throws -> String {
        let messages = try JSONSerialization.jsonObject(with: json) as! [[String: Any]]
        return messages.compactMap { $0["content"] as? String }
            .filter { $0.hasPrefix("[NEWT FOLDED TOOL ROUNDS]") }
            .map { $0 + "\n" }
            .joined()
    }

    private static func read(_ name: String) -> Data {
        let file = URL(fileURLWithPath: #filePath)
            .appendingPathComponent("../../../../golden/\(name)").standardized
        return try! Data(contentsOf: file)
    }
}
