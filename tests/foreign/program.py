"""A program for ``process:``, which needs only the standard library. An argument selects a fault."""

import json
import os
import sys

first = json.loads(sys.stdin.readline())
assert first.keys() == {"game", "seed", "move_seconds", "start_seconds", "memory_mb"}, first
for line in sys.stdin:
    question = json.loads(line)
    assert question.keys() == {"game", "position", "legal", "seat", "game_index"}
    if "talk" in sys.argv:
        print("thinking")
    if "fail" in sys.argv:
        raise SystemExit("no idea")
    if "killed" in sys.argv:
        os.kill(os.getpid(), 40)
    answer = {"action": "zz"} if "wrong" in sys.argv else {"action": question["legal"][0], "error": None}
    if "red" in sys.argv:
        answer["error"] = "\x1b[31m no\x00"
    if "long" in sys.argv:
        answer["action"] = "x" * 10**6
    print(json.dumps(answer), flush=True)
