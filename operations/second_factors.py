"""The adapter of allauth for second factors."""

from allauth.mfa.adapter import DefaultMFAAdapter

from accounts.sealed_factors import opened, seal
from operations.upgrading.before import v0_1_may_run


class Adapter(DefaultMFAAdapter):
    """Sealed, unless version 0.1 may have to read them."""

    def encrypt(self, text: str) -> str:
        return text if v0_1_may_run() else seal(text)

    def decrypt(self, encrypted_text: str) -> str:
        return opened(encrypted_text)
