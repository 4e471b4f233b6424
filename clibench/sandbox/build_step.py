"""Run the commands of an installation, inside the sandbox, as process 1: standard library only, mounted into the container.

Reads its orders (JSON: commands, timeout_s) as the only argument. The commands' output goes to stdout; the last line of stderr is the
result (JSON: failed, the index of the command that failed or null; status; timed_out; oom). When stdin ends, the client on the host is gone
and so is the reason to go on: process 1 exits, and the kernel ends all others with it.
"""

import json
import os
import subprocess
import sys
import threading
import time


def _leave_when_alone() -> None:
    while os.read(0, 4096):
        pass
    os._exit(70)


def _out_of_memory() -> int:
    for path in ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"):
        try:
            with open(path) as stream:  # noqa: PTH123 - pathlib would double the start-up time
                for line in stream:
                    name, _, value = line.partition(" ")
                    if name == "oom_kill":
                        return int(value)
        except OSError:
            continue
    return 0


def main() -> None:
    """Run each command until one fails or the time is over."""
    orders = json.loads(sys.argv[1])
    threading.Thread(target=_leave_when_alone, daemon=True).start()
    end = time.monotonic() + orders["timeout_s"]
    result = {"failed": None, "status": 0, "timed_out": False, "oom": 0}
    for index, command in enumerate(orders["commands"]):
        os.write(1, ("$ " + " ".join(command) + "\n").encode(errors="replace"))
        try:
            result["status"] = subprocess.run(
                command, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT, timeout=max(0.0, end - time.monotonic()), check=False
            ).returncode
        except subprocess.TimeoutExpired:
            result["timed_out"] = True
        except OSError as error:
            os.write(1, (str(error) + "\n").encode(errors="replace"))
            result["status"] = 127
        if result["status"] or result["timed_out"]:
            result["failed"] = index
            result["oom"] = _out_of_memory()
            break
    os.write(2, ("\n" + json.dumps(result) + "\n").encode())
    os._exit(0)


main()
