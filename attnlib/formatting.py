"""How the book writes numbers for readers: two decimals, a true minus sign, and units for what is large.

attnlib/widgets/ui.mjs writes them in the same way in a page.
"""

from decimal import ROUND_HALF_UP, Context, Decimal

COUNT = [
    (1000**i, name)
    for i, name in enumerate(
        ["", "thousand", "million", "billion", "trillion", "quadrillion", "quintillion", "sextillion"]
    )
]
BYTES = [(1000**i, name) for i, name in enumerate(["B", "kB", "MB", "GB", "TB", "PB", "EB"])]
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def text(number: float, digits: int = 2) -> str:
    """Two decimals, or `digits`; an exact half is rounded away from 0.

    >>> text(-0.125), text(-0.001)
    ('−0.13', '0.00')
    """
    number = float(number)
    if abs(number) >= 1e21:  # as JavaScript writes it; a Decimal keeps 28 digits
        return repr(number).replace("-", "−")
    shown = f"{Decimal(number).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):f}"
    return shown.replace("-", "" if float(shown) == 0 else "−")


def compact(number: float) -> str:
    """Two decimals, or for numbers far from 1 a power of ten."""
    if number == 0 or 0.01 <= abs(number) < 1e4:
        return text(number)
    rounded = Context(prec=2, rounding=ROUND_HALF_UP).create_decimal(float(number))  # as JavaScript does
    mantissa, exponent = f"{rounded:.1e}".split("e")
    return f"{mantissa.replace('-', '−')}×10{str(int(exponent)).translate(_RAISED)}"


def large(number: float, units: list[tuple[int, str]] = COUNT) -> str:
    """Three digits and the largest unit that fits.

    >>> large(84_934_656), large(999_900, BYTES), large(12)
    ('84.9 million', '1.00 MB', '12')
    """

    def three(size: int) -> Decimal:
        rounded = Context(prec=3, rounding=ROUND_HALF_UP).create_decimal(number / size)
        return rounded.quantize(Decimal(1).scaleb(rounded.adjusted() - 2))

    size, name = next((unit for unit in reversed(units) if three(unit[0]) >= 1), units[0])
    if size == 1 and number < 1000 and number == int(number):
        return f"{int(number)} {name}".strip()
    if three(size) >= 1000:
        return f"{int(three(size)):,} {name}".strip()
    return f"{three(size):f} {name}".strip()
