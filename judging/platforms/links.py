"""Links from the researcher, one for all or a personal one (`judging.studies.personal_links`).

Nobody learns that somebody is done: the completion code is the receipt.
"""

from judging.platforms.platform import Platform

LINKS = Platform("links", "Links")
