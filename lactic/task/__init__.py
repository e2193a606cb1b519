"""What a character is asked to do: what it sees, how it starts, when it has failed, what it is paid for."""
