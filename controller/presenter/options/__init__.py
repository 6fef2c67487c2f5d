"""What can be done now: by the seat in turn, and by the dealer."""
