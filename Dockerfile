FROM python:3.13-slim

ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 VAR_DIR=/var/lib/magnitudes PORT=8000
WORKDIR /app
# Of PostgreSQL the programs that make and restore backups, of the server's version: Debian's are older.
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends postgresql-common ca-certificates >/dev/null \
    && /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y \
    && apt-get install -y -qq --no-install-recommends postgresql-client-18 >/dev/null \
    && rm -rf /var/lib/apt/lists/*
# Its servers are containers of their own.
ARG REQUIREMENTS=requirements-image.txt
COPY $REQUIREMENTS .
RUN pip install --no-cache-dir --require-hashes -r $REQUIREMENTS
COPY . .
# Once for all: nothing that runs later writes what it compiles or collects. No server is asked, and
# no key is made that would be in the image.
RUN python -m compileall -q . \
    && SECRET_KEY=- ENCRYPTION_KEY=- \
    DATABASE_URL=postgres://- REDIS_URL=redis://- python manage.py collectstatic --no-input
RUN useradd --system --create-home magnitudes \
    && install -d -o magnitudes -g magnitudes "$VAR_DIR"
USER magnitudes
EXPOSE $PORT
# It listens on $HOST:$PORT: for others than this container set HOST=0.0.0.0 and PROXY=yes.
CMD ["gunicorn", "--config", "config/gunicorn.py", "config.wsgi"]
