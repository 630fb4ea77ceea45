"""Evidence: how a claim's statements are decided, refuted, mended and attacked."""
