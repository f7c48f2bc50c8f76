import re
from urllib.parse import urlsplit

CODE = re.compile("[A-Za-z0-9_-]{3,64}")


def code_fault(code: str) -> str:
    if CODE.fullmatch(code):
        return ""
    if "cc=" in code:
        return f"{code}; expected the code alone, which stands after cc= in the address."
    return f"{code}; expected 3 to 64 letters, digits, hyphens and underscores."


def address_fault(address: str) -> str:
    try:
        parts = urlsplit(address)
        is_of_web = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_of_web = False
    if is_of_web and not any(character.isspace() for character in address):
        return ""
    return f"{address}; expected an address that begins with https://."
