"""SONA Systems: its survey codes are small numbers, and nothing else comes with them."""

from judging.platforms.platform import Platform

SONA = Platform("sona", "id")
