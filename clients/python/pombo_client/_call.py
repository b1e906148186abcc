"""One call: where it goes, what it carries, and whether it may be made again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, TypeVar, Union
from urllib.parse import quote, urlencode


class NotGiven:
    """The value of arguments that are left out. None is something else: it removes a field."""

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN = NotGiven()

Value = TypeVar("Value")
Maybe = Union[Value, NotGiven]


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    repeatable: str
    """Whether a call may be repeated that may have happened: "always", "with-key" or "never"."""
    query: Optional[Mapping[str, Any]] = None
    body: Optional[Mapping[str, Any]] = None
    headers: Optional[Mapping[str, str]] = None
    idempotency_key: Optional[str] = None
    timeout: Optional[float] = None

    @property
    def target(self) -> str:
        query = {name: _to_text(value) for name, value in given(self.query).items()}
        return f"{self.path}?{urlencode(query)}" if query else self.path

    @property
    def payload(self) -> Optional[bytes]:
        return None if self.body is None else json.dumps(given(self.body)).encode()

    @property
    def own_key(self) -> Optional[str]:
        """The idempotency key that the body has."""
        key = given(self.body).get("idempotency_key")
        return key if isinstance(key, str) else None


def given(fields: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    return {name: value for name, value in (fields or {}).items() if not isinstance(value, NotGiven)}


def _to_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def path(template: str, **values: object) -> str:
    """The path with its values encoded. One that is empty or a dot would name another resource."""
    for value in values.values():
        if str(value) in ("", ".", ".."):
            raise ValueError(f'"{value}" is not an id')
    return template.format(**{name: quote(str(value), safe="") for name, value in values.items()})
