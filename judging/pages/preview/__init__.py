"""Every page of a worker's way, shown with a study's own texts. Nothing is stored."""
