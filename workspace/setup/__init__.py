"""Setting up a study in a browser, in steps: forms over judging."""
