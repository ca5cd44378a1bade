"""What only the Mistral client does; the rest is in the contract suite."""
