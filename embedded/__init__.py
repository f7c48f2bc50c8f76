"""PostgreSQL and Valkey run by the product itself, and what `make run` starts: for one machine.

Used where DATABASE_URL or REDIS_URL is unset. The image is without this room.
"""
