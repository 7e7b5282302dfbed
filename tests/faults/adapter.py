"""The adapter of `faulty.py`, which Python compiles once, as it does with what is imported, and not at each start."""

import faulty

faulty.main()
