"""What comes over a wire: bytes from readers and panel boards become messages, and wishes become bytes."""
