"""Searches with measurements of its own: the chunk in which a sum over a list is fastest."""

import time

import wattune

NUMBERS = list(range(200_000))


def measure(chunk: int) -> float:
    """Returns the seconds that the sum takes."""
    begin = time.perf_counter()
    for at in range(0, len(NUMBERS), chunk):
        sum(NUMBERS[at : at + chunk])
    return time.perf_counter() - begin


def main() -> None:
    search = wattune.Search({"chunk": [2**i for i in range(18)]}, ["chunk > 4"])
    for configuration in search:
        search.tell(configuration, [measure(**configuration) for _ in range(3)])
    print(search.results())


if __name__ == "__main__":
    main()
