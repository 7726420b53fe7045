# The README's own steps in a container: the locked packages by hash, then Tabiya, then every game compiled.
#   docker build -t tabiya .  &&  docker run -p 8080:8080 -p 8765:8765 -e TABIYA_INVITE_SECRET=... tabiya
# The same layers twice, and what differs all the same: docs/how-to/containers.md

# Of the tag's own index, as docker-library/repo-info lists it; a newer one: docker buildx imagetools inspect python:3.11-slim-bookworm
ARG BASE=python:3.11-slim-bookworm@sha256:0bee7276f83efd4a1ee05bbbf4281d95ed28e079220a9457f25a93e3f1e3c31b

FROM ${BASE} AS build
ARG SOURCE_DATE_EPOCH=0
WORKDIR /src
RUN python -m venv /opt/tabiya
ENV PATH=/opt/tabiya/bin:$PATH PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_COMPILE=1
# The lock alone first: this layer is built again only when a dependency changes.
COPY requirements/image.txt requirements/
RUN pip install --require-hashes --no-deps -r requirements/image.txt
COPY pyproject.toml README.md LICENSE ./
COPY tabiya tabiya
COPY games games
COPY protocol protocol
COPY storage storage
COPY server server
COPY bots bots
COPY docs docs
RUN pip install --no-build-isolation --no-deps . \
    # by their contents and not by the time of their files: the same bytes each time, and never stale
    && python -m compileall -q --invalidation-mode unchecked-hash /opt/tabiya

FROM ${BASE}
ARG SOURCE_DATE_EPOCH=0
# The cache key holds the processor unless it is named: with `generic` here and at run time the image's compiled
# kernels load on every host of its architecture (research: nodes per second did not change).
ENV PATH=/opt/tabiya/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    NUMBA_CPU_NAME=generic \
    NUMBA_CPU_FEATURES= \
    NUMBA_CACHE_DIR=/var/cache/tabiya \
    TABIYA_CONFIG=/var/lib/tabiya/client.toml
RUN useradd --uid 10001 --create-home --shell /usr/sbin/nologin tabiya \
    && mkdir -p /var/cache/tabiya /var/lib/tabiya \
    && chown tabiya:tabiya /var/cache/tabiya /var/lib/tabiya
COPY --from=build /opt/tabiya /opt/tabiya
# a number, by which Kubernetes sees that it is not root
USER 10001:10001
WORKDIR /var/lib/tabiya
# Nothing compiles while a clock runs: the kernels are part of the image. The user must own the cache (above).
RUN tabiya warmup
# From here on the file system may be read-only, but for /tmp and the volume.
ENV TABIYA_KERNELS_READ_ONLY=1
# An embedded database, where no TABIYA_DATABASE_URL names another, lives in the working folder.
VOLUME /var/lib/tabiya
EXPOSE 8080 8765
HEALTHCHECK --start-period=30s --interval=10s --timeout=3s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8080/readyz', timeout=2)"]
ENTRYPOINT ["tabiya"]
CMD ["serve", "--host", "0.0.0.0"]
