"""Making a study in a browser, in steps that can be left and come back to: forms over judging."""
