"""Commands that are killed in their midst, each on a database of its own, and begun again.

loaded      a command as a process that has loaded what it needs: a kill falls into its work
commands    migrate, import, recompute, backup and restore: what must never be half done of each
cutting     kill one at a moment, look, call it again, and compare with one that nobody killed
"""
