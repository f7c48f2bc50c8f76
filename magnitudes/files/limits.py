"""How much the readers take before they refuse a file: more than any good file needs.

A file that is larger, deeper or longer than it looks must not fill the memory or keep a command
busy for hours. Plain files may be of any size, as may archives of many members: members are read
one after the other.
"""

NESTED = 8  # archives and compressions around a file, one within another
LONGEST_ZIP_LIST = 1 << 23  # bytes: what a zip archive says of all its files is read at once
LONGEST_LINE = 1 << 24  # bytes
LONGEST_RECORD = 1 << 24  # characters of one document, topic or row, over all its lines
# Runs and labels are read whole.
LARGEST_WHOLE = (1 << 31) - 1  # bytes

# What comes out of a compressed file: some bytes for nothing, then so many for each byte on disk.
# Text shrinks to a third or a tenth of its size, the most repetitive runs to a fiftieth.
EXPANDED_FREELY = 1 << 26
EXPANDED_TIMES = 100
