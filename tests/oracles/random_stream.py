"""The random numbers of the core (support/random.hpp): SplitMix64, a counter that is hashed, with children by number.

The draws of a forest by this stream, so that an oracle makes the very same: tree number t of the seed s owns
`RandomStream(s).child(t)`; its child 0 draws the rows, and the first number of its child 1 is the key of the root.
Branch j of a node owns the child j of the node's stream.
"""

from __future__ import annotations

from collections.abc import Sequence

MASK = 2**64 - 1


def mix(z: int) -> int:
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


class RandomStream:
    def __init__(self, key: int) -> None:
        self.state = mix(key)

    def child(self, number: int) -> RandomStream:
        return RandomStream(self.state ^ mix((number + 0x632BE59BD9B4E019) & MASK))

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        return mix(self.state)

    def below(self, bound: int) -> int:
        return self.next() * bound >> 64


def drawn_rows(seed: int, tree: int, weights: Sequence[int]) -> list[int]:
    """As many rows as there are, drawn in proportion to their whole weights."""
    stream = RandomStream(seed).child(tree).child(0)
    rows = []
    for _ in weights:
        ticket = stream.below(sum(weights))
        row = 0
        while ticket >= weights[row]:
            ticket -= weights[row]
            row += 1
        rows.append(row)
    return sorted(rows)


def stream_of_root(seed: int, tree: int) -> RandomStream:
    return RandomStream(RandomStream(seed).child(tree).child(1).next())


def drawn_features(stream: RandomStream, others: Sequence[int], count: int) -> list[int]:
    """`count` of the others, by the first steps of a shuffle of their ascending list."""
    shuffled = sorted(others)
    # A node's own numbers; its children's streams come from the stream before any draw.
    numbers = RandomStream.__new__(RandomStream)
    numbers.state = stream.state
    for place in range(min(count, len(shuffled))):
        other = place + numbers.below(len(shuffled) - place)
        shuffled[place], shuffled[other] = shuffled[other], shuffled[place]
    return shuffled[:count]
