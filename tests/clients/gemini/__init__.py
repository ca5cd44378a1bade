"""What only the Gemini client does; the rest is in the contract suite."""
