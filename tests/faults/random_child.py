"""An adapter whose every step may go wrong, in an order that a seed decides: `random_child.py SEED`.

Each process of one run draws other numbers: the seed is that of the run, and the process's number is added to it.
"""

import os
import random
import sys
import time

seed, counter = sys.argv[1], sys.argv[2]
sys.argv[1] = "nothing"
sys.path.insert(0, os.path.dirname(__file__))
import faulty as adapter  # noqa: E402

# A line for each process: their number is this one's.
with open(counter, "a") as file:
    file.write(f"{os.getpid()}\n")
with open(counter) as file:
    number = len(file.readlines())
chance = random.Random(f"{seed}/{number}")
harm = chance.choice([0.02, 0.1, 0.4])

AT_HELLO = ["exits before hello", "never says hello", "says half a hello", "prints before hello",
            "speaks another protocol"]
AT_A_RUN = [
    "crashes", "aborts with last words", "ends with a long log", "exits 0 without a reply", "exits 0 in mid-header",
    "exits 0 in mid-payload", "hangs", "hangs, ignores signals, has a child", "writes garbage", "writes binary garbage",
    "writes an endless line", "writes JSON that is no object", "answers with a wrong id", "answers twice",
    "answers what nobody asked", "claims 2^60 elements", "claims a payload of 2^50 bytes",
    "sends fewer bytes than its shape", "points outside its payload", "names an unknown type",
    "names an unknown element type", "answers a run with compiled", "says unsupported", "rejects with escape codes",
    "rejects with markup", "closes stdout and stays", "takes all memory", "changes a bit", "gives another shape",
    "is slow but in time",
]
hello, misbehave = adapter.hello, adapter.misbehave_at_run


def random_hello(id):
    # The first process starts, so that most runs have trials.
    if number > 1 and chance.random() < harm / 4:
        adapter.FAULT = chance.choice(AT_HELLO)
    hello(id)
    adapter.FAULT = "nothing"


def random_run(id, reply, payload):
    if chance.random() >= harm:
        return False
    adapter.FAULT = chance.choice(AT_A_RUN)
    replaced = misbehave(id, reply, payload)
    adapter.FAULT = "nothing"
    return replaced


adapter.hello, adapter.misbehave_at_run = random_hello, random_run
adapter.EVERYWHERE = True
time.sleep(chance.random() / 50)
adapter.main()
