"""What only the client of OpenAI-compatible servers does; the rest is in the contract suite."""
