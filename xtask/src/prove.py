"""Asks z3 and cvc5 about a file of SMT-LIB: prints a line for each, its name, its answer and the seconds it took."""

import sys
import time

import cvc5
import z3

SECONDS = 60


def by_z3(path):
    solver = z3.Solver()
    solver.set("timeout", SECONDS * 1000)
    solver.from_file(path)
    return str(solver.check())


def by_cvc5(path):
    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(SECONDS * 1000))
    parser = cvc5.InputParser(solver)
    parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, path)
    while not (command := parser.nextCommand()).isNull():
        if command.getCommandName() != "check-sat":
            command.invoke(solver, parser.getSymbolManager())
    return str(solver.checkSat())


for name, ask in (("z3", by_z3), ("cvc5", by_cvc5)):
    begun = time.monotonic()
    print(name, ask(sys.argv[1]), f"{time.monotonic() - begun:.2f}s")
