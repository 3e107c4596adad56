"""Bytes as a person can read them."""

from __future__ import annotations

import json
from typing import Any


def text_of(data: bytes | None) -> str | None:
    """The text, if it is text, else its bytes in hexadecimal.

    >>> text_of(b"caf\\xc3\\xa9"), text_of(b"\\x00\\x01"), text_of(None)
    ('café', '0x0001', None)
    """
    if data is None:
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return f"0x{data.hex()}"
    if any(ord(letter) < 32 and letter not in "\t\n\r" for letter in text):
        return f"0x{data.hex()}"
    return text


def value_of(data: bytes | None) -> Any:
    """A JSON object or array as what it says, anything else as text.

    >>> value_of(b'{"a": 1}'), value_of(b"42")
    ({'a': 1}, '42')
    """
    text = text_of(data)
    if text is not None and text.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text
