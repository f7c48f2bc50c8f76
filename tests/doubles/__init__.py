"""What stands in for services that tests cannot ask."""
