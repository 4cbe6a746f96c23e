"""The scale of attention weights: even steps from one colour to another, as an eye sees them."""

import numpy as np
from jaxtyping import Float
from matplotlib.colors import ListedColormap, to_rgb
from numpy import ndarray as Array

from attnlib.checks import as_array

_TO_LMS = np.array([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
                    [0.0883024619, 0.2817188376, 0.6299787005]])  # fmt: skip
_TO_LAB = np.array([[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
                    [0.0259040371, 0.7827717662, -0.8086757660]])  # fmt: skip


def oklab(colours: Float[Array, "n 3"]) -> Float[Array, "n 3"]:
    """Colours as an eye tells them apart (Björn Ottosson, 2020).

    Args:
        colours: rows of sRGB, entries from 0 to 1, (n, 3).

    Returns:
        Rows of lightness, green–red and blue–yellow, (n, 3).

    >>> oklab(np.array([[1.0, 1.0, 1.0]])).round(3) + 0.0
    array([[1., 0., 0.]])
    """
    colours = as_array("colours", colours)
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    lab: Array = np.cbrt(linear @ _TO_LMS.T) @ _TO_LAB.T
    return lab


def _from_oklab(lab: Float[Array, "n 3"]) -> Float[Array, "n 3"]:
    linear = (lab @ np.linalg.inv(_TO_LAB).T) ** 3 @ np.linalg.inv(_TO_LMS).T
    return np.where(linear <= 0.0031308, linear * 12.92, 1.055 * np.abs(linear) ** (1 / 2.4) - 0.055).clip(0, 1)


def even_scale(first: str, last: str, name: str) -> ListedColormap:
    """256 colours from `first` to `last`, each the same step of OKLab from the one before.

    >>> even_scale("black", "white", "grey")(0.5)[0].round(2)  # sRGB of the middle
    np.float64(0.39)
    """
    ends = oklab(np.array([to_rgb(first), to_rgb(last)]))
    return ListedColormap(_from_oklab(np.linspace(ends[0], ends[1], 256)), name=name)
