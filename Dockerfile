# The README's own steps in a container: the locked packages by hash, then Tabiya, then every game compiled.
#   docker build -t tabiya .  &&  docker run -p 8080:8080 -p 8765:8765 -e TABIYA_INVITE_SECRET=... tabiya

FROM python:3.11-slim AS build
WORKDIR /src
RUN python -m venv /opt/tabiya
ENV PATH=/opt/tabiya/bin:$PATH PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
# The lock alone first: this layer is built again only when a dependency changes.
COPY requirements/runtime.txt requirements/
RUN pip install --require-hashes --no-deps -r requirements/runtime.txt
COPY pyproject.toml README.md LICENSE ./
COPY tabiya tabiya
COPY games games
COPY protocol protocol
COPY storage storage
COPY server server
COPY bots bots
COPY docs docs
RUN pip install --no-build-isolation --no-deps .

FROM python:3.11-slim
# The cache key holds the processor unless it is named: with `generic` here and at run time the image's compiled
# kernels load on every host of its architecture (research: nodes per second did not change).
ENV PATH=/opt/tabiya/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    NUMBA_CPU_NAME=generic \
    NUMBA_CPU_FEATURES= \
    NUMBA_CACHE_DIR=/var/cache/tabiya
RUN useradd --system --create-home tabiya \
    && mkdir -p /var/cache/tabiya /var/lib/tabiya \
    && chown tabiya:tabiya /var/cache/tabiya /var/lib/tabiya
COPY --from=build /opt/tabiya /opt/tabiya
USER tabiya
WORKDIR /var/lib/tabiya
# Nothing compiles while a clock runs: the kernels are part of the image. The user must own the cache (above).
RUN tabiya warmup
# An embedded database, where no TABIYA_DATABASE_URL names another, lives in the working folder.
VOLUME /var/lib/tabiya
EXPOSE 8080 8765
HEALTHCHECK --start-period=30s --interval=10s --timeout=3s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8080/healthz', timeout=2)"]
ENTRYPOINT ["tabiya"]
CMD ["serve", "--host", "0.0.0.0"]
