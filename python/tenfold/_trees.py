"""The order of a contraction as a tree, for notebooks."""
import itertools
from html import escape

BOX, GAP, ROW = 96, 16, 56  # width of a node, space beside it, and between the middles of rows


def svg_of(steps, price):
    """The steps of a plan's summary as SVG: inputs at the bottom, the result at the top, with labels and, of each step,
    the text price(step). Empty where there is one step only."""
    if len(steps) < 2:
        return ""
    # Each result but the last is an operand of one later step; all other operands are inputs.
    inputs = sum(len(step["operands"]) for step in steps) - (len(steps) - 1)
    labels = {}
    for index, step in enumerate(steps):
        result, _, factors = step["expression"].partition("=")
        labels[inputs + index] = result
        for operand, text in zip(step["operands"], factors.split("*")):
            labels.setdefault(operand, text)
    places = placed(steps, inputs)
    depth = max(row for _, row in places.values())
    width = max(x for x, _ in places.values()) + BOX + GAP
    parts = []
    for index, step in enumerate(steps):
        x, row = places[inputs + index]
        for operand in step["operands"]:
            below, lower = places[operand]
            parts.append(f'<line x1="{x + BOX / 2:g}" y1="{GAP + row * ROW + 16}" x2="{below + BOX / 2:g}" '
                         f'y2="{GAP + lower * ROW}" stroke="#57606a"/>')
    for number, (x, row) in sorted(places.items()):
        y = GAP + row * ROW
        second = f'input {number + 1}' if number < inputs else escape(price(steps[number - inputs]))
        parts.append(f'<rect x="{x:g}" y="{y - 12}" width="{BOX}" height="32" rx="4" fill="#f6f8fa" stroke="#57606a"/>'
                     f'<text x="{x + BOX / 2:g}" y="{y + 2}">{escape(shortened(labels[number]))}</text>'
                     f'<text x="{x + BOX / 2:g}" y="{y + 15}" font-size="9">{second}</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{GAP * 2 + depth * ROW + 16}" '
            f'font-family="sans-serif" font-size="12" text-anchor="middle">{"".join(parts)}</svg>')


def shortened(text):
    return text if len(text) <= 14 else text[:12] + ".."


def placed(steps, inputs):
    """By number, where each input and result stands: pixels from the left, and row from the top."""
    last = inputs + len(steps) - 1
    places, columns = {}, itertools.count()

    def place(number, row):
        if number < inputs:
            places[number] = (GAP + next(columns) * (BOX + GAP), row)
            return
        below = steps[number - inputs]["operands"]
        for operand in below:
            place(operand, row + 1)
        places[number] = (sum(places[operand][0] for operand in below) / len(below), row)
    place(last, 0)
    return places
