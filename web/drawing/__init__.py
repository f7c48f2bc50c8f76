"""Charts as SVG without scripts or styles, and as PDF: plain rows in, text out; knows no Django.

`charts` lays out plots, `marks` draws rows in them, `scales` turns values into pixels and chooses
ticks, `texts` knows how wide words may be. docs/decisions/0022-charts-are-drawn-here.md says why.
"""
