"""What runs the site: how it is watched, checked, kept and brought back."""
