"""The pages as they were read, for what holds the whole book to its promises."""

from functools import lru_cache

from docutils import nodes
from sphinx.environment import BuildEnvironment


@lru_cache(maxsize=1)
def trees(env: BuildEnvironment) -> dict[str, nodes.document]:
    """Every page by its name, in their order. Sphinx keeps them in files: each is opened once. They are not to be changed.

    Only from `env-updated` on, when all pages are read.
    """
    return {page: env.get_doctree(page) for page in sorted(env.found_docs)}
