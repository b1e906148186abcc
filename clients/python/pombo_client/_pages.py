"""A list: iterate over its items, which loads page after page, or take pages yourself."""

from __future__ import annotations

from typing import Any, Callable, Generic, Iterator, Optional, TypeVar, cast

Item = TypeVar("Item")
Page = TypeVar("Page")


class Pages(Generic[Item, Page]):
    def __init__(self, load: Callable[[Optional[str]], Page]) -> None:
        self._load = load

    def page(self) -> Page:
        """The first page as the API answers it: with `next_cursor`, and with `total` where you asked for it."""
        return self._load(None)

    def pages(self) -> Iterator[Page]:
        cursor: Optional[str] = None
        while True:
            page = self._load(cursor)
            yield page
            cursor = cast(Any, page).get("next_cursor")
            if cursor is None:
                return

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from cast(Any, page)["items"]
