"""The figures of the monitoring page: what they say, their data, their drawing."""
