"""Makes the static table of token vectors that the coding engine carries."""
