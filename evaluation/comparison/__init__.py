"""Comparing systems by the values of a measure.

Arrays in, arrays out. Nothing here knows of a database, a file or a web page.
"""
