"""A model server that says what a script tells it to: real HTTP on loopback, four dialects, faults on demand, no model.

It ships with the package, so that every part that talks to a model can be tried end to end without a key, a network or a price.
"""

from clibench.llm.scripted.script import Fault, Reply, Script, ScriptedUsage, Scripts, Turn, load_scripts
from clibench.llm.scripted.server import ScriptedServer, serve

__all__ = ["Fault", "Reply", "Script", "ScriptedServer", "ScriptedUsage", "Scripts", "Turn", "load_scripts", "serve"]
