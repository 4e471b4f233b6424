"""Agent frameworks behind one small protocol."""
