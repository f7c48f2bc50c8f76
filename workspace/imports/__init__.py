"""What comes into a workspace: files, data sets, archives and opinions."""
