"""What the product does with PostgreSQL beside the ORM, where workers wait."""
