"""Relevance judgments as real numbers: scaled, aggregated, measured and compared.

`files` reads the formats of information retrieval; `scaling`, `gains`, `measures`, `comparison`,
`agreement`, `spread` and `reading_time` compute; `client` uses the REST API of a site.
"""
