"""Each device as the wire sees it, byte for byte: sans-IO, in whatever time its owner lets pass."""
