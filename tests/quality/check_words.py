#!/usr/bin/env python3
"""Checks the words of comments and docs, by the rules of CONTRIBUTING.md ("Words").

    check_words.py [PATH...]    files or folders to look at; by default all that git knows

No sentence begins with What, Who, Whoever, Of, As or Those. A comment above a function begins with a verb in the third
person (Returns, Loads, True if). A line of a comment has at most 120 columns. A sentence on a page, or in a comment of
the library, has at most 30 words; the targets of links do not count. Prints a line for each finding.
"""
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence

Found = Callable[[int, str, str], None]  # takes a line's number, a fault and a text
Texts = Sequence[tuple[int, str | None]]  # lines of prose, (number, text) each; a None ends a paragraph

BEGINNINGS = re.compile(r"(What|Who|Whoever|Of|As|Those)\b")
SENTENCE_END = re.compile(r"[.:!?][)\"']?$")
INSIDE = re.compile(r"(?<=[.!?]) (?:What|Who|Whoever|Of|As|Those)\b.{0,50}")
VERB = re.compile(r"(True (if|where|while|once|only|unless)\b|[A-Z][a-z-]*s\b|[A-Z][a-z-]*s,)")
NO_VERBS = {"This", "Its", "His", "Is", "Units", "Results", "Names", "Values", "Times", "Sizes", "Parts", "Members",
            "Parameters", "Errors", "Facts", "Less", "Bytes", "Numbers", "Sources", "Arguments", "Options"}
# The beginning of a declaration or definition of a function.
FUNCTION = re.compile(
    r"^\s*(?!return\b|if\b|for\b|while\b|switch\b|else\b|using\b|typedef\b|struct\b|class\b|enum\b|union\b|namespace\b|"
    r"case\b|throw\b|delete\b|new\b|TEST|INSTANTIATE|EXPECT|ASSERT|WATTUNE_|#|//|\}|\.)"
    r"(?:template <[^;{]*> )?(?:[\w:<>,&*\[\] ]+[ &*>](~?\w+|operator\S+)|(?:explicit )?~?[A-Z]\w*)\(")
# The files whose sentences are counted.
LIBRARY = re.compile(r"(include|src)/.*\.(h|cc)$")
MOST_WORDS = 30
ABBREVIATIONS = {"e.g.", "i.e.", "al.", "vs."}
# Code and list items inside a comment.
EXAMPLE = re.compile(r" {2,}\S")
ITEM = re.compile(r"(?:[-*]|\d+\.)\s")
MEMBER_WITH_VALUE = re.compile(r"^[^(]*=|^[^(]*\{")


def comment_in(line: str) -> str | None:
    match = re.match(r"\s*//\s?(.*)$", line)
    return match.group(1) if match else None


def begins_with_verb(text: str) -> bool:
    word = re.split(r"[\s,.;:]", text, maxsplit=1)[0]
    return bool(VERB.match(text)) and word not in NO_VERBS


def is_function(lines: Sequence[str], at: int, in_header: bool) -> bool:
    """True if a declaration or definition of a function begins in this line."""
    line = lines[at]
    if not in_header and line.startswith("  ") and line.endswith(";"):
        return False  # a statement
    if line.lstrip().startswith("template <") and "(" not in line and at + 1 < len(lines):
        line = lines[at + 1]
    return bool(FUNCTION.match(line)) and not MEMBER_WITH_VALUE.match(line.split("(")[0] + "(")


def check_sentences(texts: Texts, found: Found) -> None:
    """Looks at the beginnings of sentences."""
    before = None
    for number, text in texts:
        if text is None:
            before = None
            continue
        begins = before is None or SENTENCE_END.search(before) or not before
        if begins and BEGINNINGS.match(text):
            found(number, "begins with " + text.split()[0], text)
        for match in INSIDE.finditer(text):
            found(number, "begins with " + match.group(0).split()[0], match.group(0).strip())
        before = text.rstrip()


def ends_part(word: str) -> bool:
    """True if a sentence, or its part up to a colon or semicolon, ends with this word."""
    bare = word.lstrip("(").rstrip(")\"'`")
    return bare.endswith((".", "!", "?", ":", ";")) and not bare.endswith("..") and bare not in ABBREVIATIONS


def check_lengths(texts: Texts, found: Found) -> None:
    """Counts the words of sentences."""
    sentence: list[tuple[int, str]] = []  # the number of the line and the word

    def end_sentence() -> None:
        if len(sentence) > MOST_WORDS:
            found(sentence[0][0], f"{len(sentence)} words", " ".join(word for _, word in sentence))
        sentence.clear()

    for number, text in [*texts, (0, None)]:
        prose = "" if not text or EXAMPLE.match(text) else text
        if not prose or ITEM.match(prose):
            end_sentence()
        for word in prose.split():
            if re.search(r"\w", word):
                sentence.append((number, word))
            if ends_part(word):
                end_sentence()


def without_raw_strings(lines: Sequence[str]) -> list[str]:
    """Empties the lines of raw strings, which hold code of other languages."""
    kept = []
    end = None
    for line in lines:
        inside = end is not None
        begin = None if inside else re.search(r'R"([^( )]*)\(', line)
        if begin:
            end = ")" + begin.group(1) + '"'
        kept.append("" if inside else line)
        if end is not None and end in line[begin.end() if begin else 0 :]:
            end = None
    return kept


def check_source(lines: Sequence[str], found: Found, in_header: bool, in_library: bool) -> None:
    lines = without_raw_strings(lines)
    texts: list[tuple[int, str | None]] = []
    for number, line in enumerate(lines, 1):
        comment = comment_in(line)
        if comment is None:
            tail = re.search(r"[^:\"/]//\s(.*)$", line)
            texts += [(number, None)]
            if tail and line.count('"') % 2 == 0:
                texts += [(number, tail.group(1)), (number, None)]
            continue
        if len(line) > 120:
            found(number, f"{len(line)} columns", line)
        texts.append((number, comment))
    check_sentences(texts, found)
    if in_library:
        check_lengths(texts, found)
    check_functions(lines, found, in_header)


def check_functions(lines: Sequence[str], found: Found, in_header: bool) -> None:
    for at, line in enumerate(lines):
        above = at and comment_in(lines[at - 1])
        if not above or comment_in(line) is not None or not is_function(lines, at, in_header):
            continue
        first = at - 1
        while first and comment_in(lines[first - 1]) is not None:
            first -= 1
        text = comment_in(lines[first]) or ""
        if not begins_with_verb(text):
            found(first + 1, "no verb in front", text)


def plain(text: str) -> str:
    """Returns a line of a page without the targets of its links, and with each piece of code as one word."""
    return re.sub(r"`[^`]*`", "code", re.sub(r"\]\([^)\s]*\)", "]", text))


def check_page(lines: Sequence[str], found: Found) -> None:
    texts: list[tuple[int, str | None]] = []
    in_code = False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        prose = not in_code and not line.lstrip().startswith(("|", "#", "```", "    "))
        text = re.sub(r"^\s*(?:[-*]|\d+\.)\s+", "", line).replace("**", "")
        starts_item = text != line.replace("**", "")
        if not prose or not line.strip() or starts_item:
            texts.append((number, None))
        if prose and line.strip():
            texts.append((number, text.strip()))
    check_sentences(texts, found)
    check_lengths([(number, plain(text) if text else None) for number, text in texts], found)


def main() -> int:
    paths = sys.argv[1:] or ["."]
    files = subprocess.run(["git", "ls-files", *paths], capture_output=True, text=True, check=True).stdout.split("\n")
    count = 0
    for file in files:
        if not file.endswith((".h", ".cc", ".md")) or not os.path.isfile(file):
            continue

        def found(number: int, fault: str, text: str, file: str = file) -> None:
            nonlocal count
            count += 1
            print(f"{file}:{number}: {fault}: {text[:90]}")

        with open(file, encoding="utf-8") as source:
            lines = source.read().split("\n")
        if file.endswith(".md"):
            check_page(lines, found)
        else:
            check_source(lines, found, file.endswith(".h"), bool(LIBRARY.match(file)))
    if count:
        print(f"{count} findings")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
