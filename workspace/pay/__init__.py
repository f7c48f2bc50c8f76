"""What workers are owed, as a page to pay from."""
