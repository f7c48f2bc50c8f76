"""Links that are handed out by the researcher: one for all, or a personal one for each participant.

Nobody is told that somebody is done: the completion code is the receipt. Whom a personal link
names stands in `judging.studies.personal_links`.
"""

from judging.platforms.platform import Platform

LINKS = Platform("links", "Links")
