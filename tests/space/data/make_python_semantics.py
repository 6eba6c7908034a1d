#!/usr/bin/env python3
"""Writes python_semantics.txt: expressions, bindings and the results of Python 3.

Each line is `expression<TAB>bindings<TAB>result`; bindings are `name=value` joined by `; `, values and results
Python literals. The result is `overflow` where an integer on the way leaves 64 bits or a float operation overflows,
and `error` where Python raises another exception or leaves the reals. The seed is fixed: same table on every run.
"""

import ast
import math
import pathlib
import random
import warnings

LINES = 900
WRITTEN_BY_HAND = [line for line in r"""
-7 // 2 | -7 % 2 | 7 // -2 | 7 % -2 | -7 // -2 | -7 % -2 | 7 / 2 | 6 / 2 | -7 / 2 | 0 / -5 | 0 // -5 | 0 % -5
7.5 // 2 | -7.5 // 2 | 7.5 % -2 | -7.5 % 2 | 1.0 // 0.1 | 1.0 % 0.1 | -0.0 // 1 | 6.0 % -3.0 | 1e300 // 1e-10
5.0 // (1e308 * 10) | -5.0 // (1e308 * 10) | -5.0 % (1e308 * 10) | 3 % 1e308 | -3 % 1e308
2 ** 10 | 2 ** -1 | 2 ** 0 | 0 ** 0 | 0 ** -1 | (-2) ** 3 | -2 ** 2 | 2 ** 3 ** 2 | 2 ** -3 ** 2 | -2 ** -2
2 ** 62 | 2 ** 63 | (-2) ** 63 | (-2) ** 64 | -2 ** 63 | (-1) ** 1000000007 | 1 ** 9223372036854775807
(-8) ** 21 | 3 ** 39 | 3 ** 40 | (-3) ** 39 | 10 ** 18 | 10 ** 19 | True ** 2 | 2 ** True | 2.0 ** 3 | 2 ** 0.5
4 ** 0.5 | (-8) ** 0.5 | (-8) ** (1 / 3) | (-8.0) ** 3 | 0.0 ** -1 | 0.0 ** 0 | 2.0 ** 2000 | 10.0 ** 308 * 10
2.0 ** -2000 | (1e308 * 10) ** 0 | (1e308 * 10) ** -1 | 0.0 ** (1e308 * -10)
9223372036854775807 + 1 | 9223372036854775807 + 0 | -9223372036854775807 - 1 | -9223372036854775807 - 2
-(-9223372036854775807 - 1) | abs(-9223372036854775807 - 1) | (-9223372036854775807 - 1) // -1
(-9223372036854775807 - 1) % -1 | (-9223372036854775807 - 1) * -1 | 3037000500 * 3037000500
3037000499 * 3037000499 | 4294967296 * 2147483648 | 4294967296 * 2147483647 | 9223372036854775807 * 0
9223372036854775807 / 3 | 9223372036854775807 / 9223372036854775806 | 9007199254740993 / 1 | 9007199254740993 / 2
9007199254740993 / 3 | 1 / 9223372036854775807 | -9223372036854775807 / 7 | 9223372036854775807 / -1 | 0 / -9223372036854775807
18014398509481985 / 18014398509481983 | 3 / 9007199254740993 | 1 / 3 | 2 / 3 | 10 / 4 | 1 / 0 | 1 // 0 | 1 % 0
1.0 / 0 | 1.0 // 0.0 | 1.0 % 0 | 0 / 0 | 0.0 / 0.0 | 1 / 0.0 | True / 2 | True + True | True * 3 | -True | +True
9007199254740993 == 9007199254740992.0 | 9007199254740993 > 9007199254740992.0 | 9007199254740993 < 9007199254740994.0
9223372036854775807 < 9223372036854775808.0 | 9223372036854775807 == 9223372036854775808.0 | 1 < 1.5 | -1 > -1.5
2 > 1.5 | 1.5 < 2 | -1.5 >= -1 | -9223372036854775807 - 1 == -9223372036854775808.0 | 1e300 > 9223372036854775807
1 == 1.0 | 1 == True | 1.0 == True | 0 == False | '1' == 1 | '1' != 1 | 'a' == 'a' | "a" == 'b' | 'a' < 'b'
'B' < 'a' | 'a' < 'ab' | 'é' > 'z' | 'a' < 1 | 1 >= 'a' | 'a' in 'abc' | 'd' in 'abc' | '' in 'abc' | 'd' not in 'abc'
1 in 'abc' | 'a' in 5 | 1 in 5 | 16 in (16,) | 16 in (16, 32) | 8 not in [16, 32] | 1.0 in (1, 2) | True in (1, 2)
'a' in ('a', 'b') | 'c' not in ['a', 'b'] | 1 in () | 1 not in [] | 1 in (1, 1 // 0) | 3 in [1 + 1, 1 + 2] | '1' in (1, 2)
1 < 2 < 3 | 1 < 3 < 2 | 3 > 2 > 1 | 1 < 2 > 1 | 1 == 1 == 1.0 | 2 < 1 < 1 // 0 | 1 < 2 < 1 // 0 | 1 < 2 in (2, 3)
1 != 2 != 1 | 1 <= 1 >= 1 | 5 == 5 in [5] | not 1 == 2 | not 0 | not 1.5 | not '' | not not 3
0 or 5 | 3 or 5 | 0 and 5 | 3 and 5 | 0 or 0.0 | '' or 'a' | 'a' and 'b' | 0 and 1 // 0 | 1 or 1 // 0 | 1 and 1 // 0
0 or '' or False | 1 and 'x' and 2.5 | 1 or 0 and 0 | (1 or 0) and 0 | not 0 and 0 | not (0 and 0) | 1 if 0 else 2
1 if 1 else 1 // 0 | 1 // 0 if 0 else 2 | 1 if 0 else 2 if 0 else 3 | (1 if 1 else 0) + 1 | 1 if 1 else 0 + 1 | 0 or 1 if 1 else 2
'a' if 2.0 else 'b' | 5 if 'a' else 6 | 1 if not 1 else 2 | 1 + 2 * 3 | (1 + 2) * 3 | 2 * 3 // 4 | 2 * (3 // 4) | 7 % 4 * 2
1 - 2 - 3 | 1 - (2 - 3) | 8 // 2 // 2 | 8 / 2 / 2 | 2 * 3 % 4 | - - 3 | -+-3 | - 3 % 2 | -(3 % 2) | 5 - -3 | 5--3 | 2*-3 | 2**-1
min(3, 1, 2) | max(3, 1, 2) | min(1, 1.0) | min(1.0, 1) | max(1, True) | max(True, 1) | min(2, 1.5) | max('a', 'b')
min('a', 1) | max([3, 5, 4]) | min((2, 1)) | max(1, 2.5, 2) | min(0.0, -0.0) | max(-1, -2, -1.0)
abs(-3) | abs(3) | abs(-2.5) | abs(True) | abs(-0.0) | abs('a') | ceil(2.1) | ceil(-2.1) | ceil(3) | ceil(True) | ceil(1e300)
floor(2.9) | floor(-2.1) | floor(7) | floor(-0.0) | math.ceil(7 / 2) | math.floor(-7 / 2) | ceil('a') | floor(1e308 * 10)
round(0.5) | round(1.5) | round(2.5) | round(-0.5) | round(-1.5) | round(2.6) | round(7) | round(True) | round(1e300)
round(0.49999999999999994) | round(4503599627370497.5) | round(2.675, 2) | round(0.125, 2) | round(0.375, 2) | round(1234.5678, 1)
round(1234.5678, -2) | round(1250.0, -2) | round(1350.0, -2) | round(-1250.0, -2) | round(1250, -2) | round(1350, -2)
round(-1250, -2) | round(1249, -2) | round(15, -1) | round(25, -1) | round(5, -1) | round(123, 2) | round(2.5, 0) | round(-0.4, 0)
round(9223372036854775807, -1) | round(9223372036854775807, -18) | round(9223372036854775807, -19) | round(-4611686018427387904, -19)
round(1e22, -5) | round(0.1, 400) | round(5e-324, 323) | round(2.5, 'a') | round(2.5, 1.0) | round(1e16, 2) | round(0.15, 1) | round(True, 1)
sqrt(16) | sqrt(2) | sqrt(-1) | sqrt(0) | sqrt(True) | sqrt('a') | log2(8) | log2(3) | log2(0) | log2(-1) | log2(0.5) | log2(9223372036854775807)
math.sqrt(2.25) | math.log2(1024) | math.pow(2, 3) | math.pow(2, 0.5) | pow(2, 3) | pow(2, -1) | pow(2.0, 3) | int(2.9) | int(-2.9)
int(True) | int(7) | int(1e18) | int(9.3e18) | int(-9223372036854775808.0) | int(1e308 * 10) | int(1e308 * 10 - 1e308 * 10)
float(3) | float(True) | float(2.5) | float(9007199254740993) | bool(0) | bool(2.5) | bool('') | bool('a') | len('abc') | len('') | len('aéb') | len(3)
1e3 | 1E3 | 1e-3 | .5 | 5. | 1_000 | 0x10 | 0XfF | 0b101 | 0o17 | 1_0.0_1 | 1e+3 | 00 | 1e1_0 | 0x_ff | 9223372036854775807 | 09.5
'a' - 1 | 1 - 'a' | 'a' // 'b' | -'a' | +'a' | 1 + 'a' | 1e308 * 10 | -1e308 * 10 | 1e308 * 10 - 1e308 * 10 | 1e308 * 10 > 9223372036854775807
1e308 * 10 == 1e308 * 10 | (1e308 * 10 - 1e308 * 10) == (1e308 * 10 - 1e308 * 10) | (1e308 * 10 - 1e308 * 10) < 1 | 'it\'s' | "say \"x\"" | 'a\\b'
""".strip().split("\n") for line in line.split(" | ")]


class Overflow(Exception):
    """Raised if an integer exceeds 64 bits."""


def checked(value):
    if type(value) is int and not -2**63 <= value < 2**63:
        raise Overflow
    if isinstance(value, complex):
        raise ValueError("leaves the reals")
    return value


def power(base, exponent):
    if isinstance(base, int) and isinstance(exponent, int) and abs(base) > 1 and exponent > 64:
        raise Overflow  # without computing it
    return base**exponent


class Checker(ast.NodeTransformer):
    """Wraps every computed value in checked()."""

    def wrap(self, node):
        self.generic_visit(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            node = ast.Call(ast.Name("power", ast.Load()), [node.left, node.right], [])
        return ast.Call(ast.Name("checked", ast.Load()), [node], [])

    visit_BinOp = visit_UnaryOp = visit_Call = visit_Constant = wrap


FUNCTIONS = {"ceil": math.ceil, "floor": math.floor, "sqrt": math.sqrt, "log2": math.log2, "math": math}


def evaluate(text, bindings):
    tree = ast.fix_missing_locations(Checker().visit(ast.parse(text, mode="eval")))
    try:
        value = eval(compile(tree, text, "eval"), {**FUNCTIONS, **bindings, "checked": checked, "power": power})
    except (Overflow, OverflowError):
        return "overflow"
    except (ZeroDivisionError, TypeError, ValueError):
        return "error"
    return repr(value)


NAMES = "abcd"
INTEGERS = [0, 1, 2, 3, 4, 5, 7, 8, 16, 24, 32, 33, 64, 100, 1024, -1, -2, -3, -7, -16, -100]
EXTREMES = [2**31, 2**32 + 1, -2**31, 2**53 + 1, -2**53 - 1, 2**62, 2**63 - 1, -2**63]
REALS = [0.0, 0.1, 0.5, 1.0, 1.5, 2.0, 2.5, -0.5, -2.5, -7.25, 1e3, 1e16, 1e300, 0.3333333333333333]


def binding(rng):
    kind = rng.random()
    if kind < 0.6:
        return rng.choice(INTEGERS)
    return rng.choice(EXTREMES if kind < 0.72 else REALS if kind < 0.92 else [True, False])


def arithmetic(rng, depth):
    """Returns arithmetic mostly without parentheses, so that precedence and association decide."""
    if depth == 0 or rng.random() < 0.15:
        kind = rng.random()
        return rng.choice(NAMES) if kind < 0.65 else repr(abs(rng.choice(INTEGERS if kind < 0.9 else REALS)))
    kind = rng.random()
    inner = lambda: arithmetic(rng, depth - 1)
    if kind < 0.62:
        return f" {rng.choice(['+', '-', '*', '*', '/', '//', '//', '%', '%', '**'])} ".join([inner(), inner()])
    if kind < 0.70:
        return "-" + inner()
    if kind < 0.80:
        return f"({inner()})"
    if kind < 0.83:
        return f"({inner()} if {condition(rng, depth - 1)} else {inner()})"
    name = rng.choice(["min", "max", "abs", "ceil", "floor", "round", "sqrt", "log2", "int", "float", "math.ceil"])
    return f"{name}({inner()}, {inner()})" if name in ("min", "max") else f"{name}({inner()})"


def condition(rng, depth):
    kind = rng.random()
    if depth > 0 and kind < 0.35:
        return f" {rng.choice(['and', 'or'])} ".join(condition(rng, depth - 1) for _ in range(rng.choice([2, 2, 3])))
    if depth > 0 and kind < 0.45:
        return "not " + condition(rng, depth - 1)
    if depth > 0 and kind < 0.50:
        return f"({condition(rng, depth - 1)})"
    inner = lambda: arithmetic(rng, max(depth - 1, 0))
    if kind < 0.62:
        members = ", ".join(inner() for _ in range(rng.choice([2, 3])))
        return f"{inner()} {rng.choice(['in', 'not in'])} ({members})"
    parts = [inner()]
    for _ in range(rng.choice([1, 1, 1, 2])):
        parts += [rng.choice(["<", "<=", ">", ">=", "==", "!="]), inner()]
    return " ".join(parts)


def main():
    warnings.simplefilter("ignore")
    rng = random.Random(20240607)
    lines = [f"{text}\t\t{evaluate(text, {})}" for text in WRITTEN_BY_HAND]
    failures = 0
    while len(lines) < LINES:
        text = rng.choice([arithmetic, condition])(rng, rng.choice([2, 3, 4]))
        names = sorted({node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)} & set(NAMES))
        bindings = {name: binding(rng) for name in names}
        result = evaluate(text, bindings)
        failures += result in ("overflow", "error")
        if text.isalnum() or len(text) > 100 or (result in ("overflow", "error") and failures > 100):
            continue
        shown = "; ".join(f"{name}={value!r}" for name, value in bindings.items())
        lines.append(f"{text}\t{shown}\t{result}")
    path = pathlib.Path(__file__).with_name("python_semantics.txt")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
