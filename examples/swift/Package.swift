// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "NewtFold",
    products: [.library(name: "NewtFold", targets: ["NewtFold"])],
    targets: [
        // The installed library. On Apple's systems take what xcframework.sh
        // makes in its place:
        //     .binaryTarget(name: "CNewtFold", path: "CNewtFold.xcframework")
        .systemLibrary(name: "CNewtFold", pkgConfig: "newt_fold"),
        .target(name: "NewtFold", dependencies: ["CNewtFold"]),
        .executableTarget(name: "Example", dependencies: ["NewtFold"]),
        .testTarget(name: "NewtFoldTests", dependencies: ["NewtFold"]),
    ],
    swiftLanguageModes: [.v6]
)
