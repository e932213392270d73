"""Puts many faults into one program, each behind a switch: one build serves all of them.

Most faults replace a statement, the value of a variable or a condition. The program then has both
versions, and takes the faulty one if CONCH_FAULT is the number of the fault. The other faults have
to be planted one by one.
"""
import re

# This header is included before everything else.
HEADER = """#pragma once
#include <cstdlib>
inline const int conch_fault = std::getenv("CONCH_FAULT") ? std::atoi(std::getenv("CONCH_FAULT")) : 0;
"""

CONDITION = re.compile(r"^((?:\} else )?(?:if|while) )\((.*)\)( \{)?$")
FUNCTION = re.compile(r"^((?!if |for |while |switch )[^;{}]+\) (?:const |override |const override )?)\{ (.*) \}$")
DECLARATION = re.compile(r"^((?:const |auto |[\w:]+(?:<.*>)? )[\w&*:<>, \[\]]*?) = (.*);$")


def is_balanced(text):
    depth = 0
    for mark in re.sub(r"'[^']'|\"[^\"]*\"", "", text):
        depth += (mark in "([{") - (mark in ")]}")
        if depth < 0:
            return False
    return depth == 0


def is_whole(text):
    """Whether the text is a list of statements, without declarations of types or functions."""
    return not text or (is_balanced(text) and text[-1] in ";}" and not re.match(r"(case|default|else|static|using) ", text))


def choice(number, faulty, right, kind=""):
    return f"(conch_fault == {number} ? {kind}({faulty}) : {kind}({right}))"


def parts(before, after):
    """Four lists: lines before the change; changed lines as they are and would be; lines after."""
    head, tail = [], []
    before, after = list(before), list(after)
    while before and after and before[0] == after[0]:
        head.append(before.pop(0))
        after.pop(0)
    while before and after and before[-1] == after[-1]:
        tail.insert(0, before.pop())
        after.pop()
    return head, before, after, tail


def one_line(lines):
    return " ".join(re.sub(r"\s*//.*", "", line).strip() for line in lines).strip()


def switched(number, right, faulty):
    """Code with both versions, `right` and `faulty`; None if their kind cannot be switched."""
    for pattern in (CONDITION, FUNCTION, DECLARATION):
        old, new = pattern.match(right), pattern.match(faulty)
        if not old or not new or old[1] != new[1]:
            continue
        if pattern is CONDITION:
            (first, test), (second, faulty_test) = (each[2].rpartition("; ")[::2] for each in (old, new))
            if first != second or old[3] != new[3] or not is_balanced(test) or not is_balanced(faulty_test):
                return None
            test = choice(number, faulty_test, test, "bool")
            return f"{old[1]}({first + '; ' if first else ''}{test}){old[3] or ''}"
        if pattern is FUNCTION:
            return f"{old[1]}{{ if (conch_fault == {number}) {{ {new[2]} }} else {{ {old[2]} }} }}"
        return f"{old[1]} = {choice(number, new[2], old[2])};"
    if not is_whole(right) or not is_whole(faulty) or FUNCTION.match(right):
        return None
    return f"if (conch_fault == {number}) {{ {faulty} }} else {{ {right} }}"


def rewritten(faults, text):
    """The text of a file with these faults switched, and the lines of each fault, by number.
    Leaves out faults that cannot be switched, and faults at the place of another one."""
    places = {}
    for number, fault in faults.items():
        old = "".join(line + "\n" for line in fault.before)
        head, right, faulty, tail = parts(fault.before, fault.after)
        both = switched(number, one_line(right), one_line(faulty))
        if both is None or text.count("\n" + old) != 1:
            continue
        # Keeps the number of lines, so that all later lines keep their numbers.
        lines = head + [both] + [""] * (len(right) - 1) + tail
        if not right:
            lines = [*head[:-1], f"{head[-1]} {both}", *tail]
        first = text[: text.index("\n" + old) + 1].count("\n") + 1
        text = text.replace("\n" + old, "\n" + "".join(line + "\n" for line in lines))
        places[number] = range(first, first + len(lines))
    return text, places
