FROM python:3.13-slim

ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 VAR_DIR=/var/lib/magnitudes
WORKDIR /app
COPY requirements.txt .
RUN pip install --no-cache-dir -r requirements.txt
COPY . .
RUN useradd --system --create-home magnitudes \
    && install -d -o magnitudes -g magnitudes "$VAR_DIR"
USER magnitudes
EXPOSE 8000
CMD ["gunicorn", "--config", "config/gunicorn.py", "--bind", "0.0.0.0:8000", "config.wsgi"]
