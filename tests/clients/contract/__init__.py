"""What every client of a server does, whatever its vendor: run through the real SDK."""
