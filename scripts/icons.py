#!/usr/bin/env python3
"""Draws the icons that a home screen shows (public/icons): the mark of public/favicon.svg as PNG."""

import math
import pathlib
import struct
import zlib

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "public/icons"
BLUE, WHITE, PALE = (0x0B, 0x5F, 0xCC), (0xFF, 0xFF, 0xFF), (0x9F, 0xD0, 0xFF)
# On a square of 32, strokes of 3: the two posts, and the water between them.
POSTS = [((7, 9), (7, 23)), ((25, 9), (25, 23))]
WATER = [((7, 14), (12, 14)), ((12, 14), (16, 18)), ((16, 18), (25, 18))]


def to_segment(x, y, segment):
    """The distance of a point to a segment."""
    (ax, ay), (bx, by) = segment
    along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2)
    along = min(1, max(0, along))
    return math.hypot(x - ax - along * (bx - ax), y - ay - along * (by - ay))


def to_square(x, y, radius=7):
    """How far a point is outside of the square of 32 with round corners."""
    across, down = abs(x - 16) - 16 + radius, abs(y - 16) - 16 + radius
    return math.hypot(max(across, 0), max(down, 0)) + min(max(across, down), 0) - radius


def draw(size, scale=1.0, is_round=True):
    """The rows of a PNG; `scale` leaves an edge around the mark, which a mask may cut off."""
    pixel = 32 / size

    def cover(distance):
        return min(1, max(0, 0.5 - distance / pixel))

    for row in range(size):
        line = bytearray([0])
        for column in range(size):
            x, y = (column + 0.5) * pixel, (row + 0.5) * pixel
            alpha = cover(to_square(x, y)) if is_round else 1
            x, y, colour = (x - 16) / scale + 16, (y - 16) / scale + 16, BLUE
            for segments, ink in ((POSTS, WHITE), (WATER, PALE)):
                share = cover((min(to_segment(x, y, each) for each in segments) - 1.5) * scale)
                colour = tuple(a + (b - a) * share for a, b in zip(colour, ink, strict=True))
            line += bytes(round(part) for part in (*colour, 255 * alpha))
        yield bytes(line)


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def write(name, size, **how):
    header = struct.pack(">IIBBBBB", size, size, 8, 6, 0, 0, 0)
    image = zlib.compress(b"".join(draw(size, **how)), 9)
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", image) + chunk(b"IEND", b"")
    (FOLDER / name).write_bytes(b"\x89PNG\r\n\x1a\n" + parts)


FOLDER.mkdir(exist_ok=True)
write("192.png", 192)
write("512.png", 512)
write("maskable-512.png", 512, scale=0.8, is_round=False)
write("apple-touch-180.png", 180, scale=0.9, is_round=False)
