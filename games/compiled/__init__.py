"""All that ties the rules to the compiler: types that select methods, 64-bit helpers, the cache stamp.

Importing this package installs the cache locators, so it comes before any kernel is defined.
"""

from tabiya.games.compiled.cache import install

install()
