"""Invents faults: a statement left out, a condition negated, a bound off by one."""
import re

# Statements that can be left out: calls, assignments, counts. Declarations begin with two words.
STATEMENT = re.compile(r"^\s+(?!return|using|case|break|continue|throw|default|static|delete|else|CONCH_)"
                       r"(?:\+\+|--)?[\w:]+(?:\.|->|\(|\[|\+\+|--| = | \+= | -= |;).*;$")
CONDITION = re.compile(r"^(\s*(?:\} else )?(?:if|while) \()([^;]*)(\)(?: \{)?)$")
TESTED = re.compile(r"^\s*(?:\} else )?(?:if|while) \(|^\s+return |^\s+bool \w+ = |^\s+.* \? .* : ")
SWAPS = [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" == ", " != "), (" != ", " == "),
         (" && ", " || "), (" || ", " && "), ("true", "false"), ("false", "true"), ("std::min(", "std::max("),
         ("std::max(", "std::min("), (".front()", ".back()"), (".begin()", ".rbegin()"), (" + ", " - ")]


def changes(line):
    """The faults that this line could have: a word for each, and the line with the fault."""
    if re.search(r"\b(log|complain|tell)\(", line):  # only people read this
        return
    code = re.sub(r"\s*//.*$", "", line)
    if STATEMENT.match(code) and code.count("(") == code.count(")"):
        yield "left-out", ""
    if whole := CONDITION.match(code):
        yield "turned", f"{whole[1]}!({whole[2]}){whole[3]}"
    if TESTED.match(code) or STATEMENT.match(code):
        for old, new in SWAPS:
            for place in re.finditer(re.escape(old), code):
                yield "changed", code[:place.start()] + new + code[place.end():]


def with_context(lines, number):
    """This line, with up to three before it to make it unique in the file; None if it is not."""
    text = "\n" + "\n".join(lines) + "\n"
    for first in range(number, max(number - 4, -1), -1):
        block = lines[first:number + 1]
        if text.count("\n" + "\n".join(block) + "\n") == 1:
            return block
    return None


def in_file(path, text):
    """(name, what, before, after) for every fault that a single line could have."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        block = with_context(lines, number)
        if block is None:
            continue
        for count, (kind, changed) in enumerate(changes(line)):
            name = f"{path.split('/', 1)[1]}:{number + 1}.{count}"
            yield name, f"{kind}: {line.strip()}", block, block[:-1] + ([changed] if changed else [])
