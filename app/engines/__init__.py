"""Other implementations of speculative decoding behind one interface, and their audit."""
