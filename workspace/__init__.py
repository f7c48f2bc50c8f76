"""Where researchers work: teams, and what stands above judging and evaluation."""
