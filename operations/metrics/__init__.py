"""Numbers about the site over time, as Prometheus gathers them."""
