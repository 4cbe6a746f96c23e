"""How answers to a graded set are published: right ones and wrong ones, by the name of the task."""


def variants(right: str, *changes: tuple[str, str]) -> list[str]:
    """Wrong answers, each with one change to a right one."""
    found = [right.replace(old, new, 1) for old, new in changes]
    assert right not in found, [old for old, _ in changes if old not in right]
    return found
