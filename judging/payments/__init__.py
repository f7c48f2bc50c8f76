"""What people are owed, and what a study's team does about it."""
