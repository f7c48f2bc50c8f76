"""How gunicorn serves the web application, wherever it runs."""

worker_class = "gthread"
workers = 2
threads = 8
graceful_timeout = 8  # seconds that requests under way get when it stops
accesslog = "-"
access_log_format = "%(m)s %(U)s %(s)s %(D)s"  # no address, user agent or query string
control_socket_disable = True
