"""A plan before money is spent: what a study will cost, and what it can be expected to tell."""
