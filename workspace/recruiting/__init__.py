"""Recruiting on Prolific by its API: what is asked of it, what it says, and what follows."""
