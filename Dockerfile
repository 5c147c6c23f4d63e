# The app with its embedded deployment, and one volume.
# With CONVEX_URL and the secrets, the volume contains only a cache of image variants.
# For several architectures: docker buildx build --platform linux/amd64,linux/arm64 .

# Build. The result is JavaScript, so one build on the builder's architecture serves all.
FROM --platform=$BUILDPLATFORM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY engine/package.json engine/
COPY server/package.json server/
RUN npm ci
COPY . .
RUN npm run build

# A CycloneDX list of all packages, also of those in the build. `npm sbom --omit=dev` leaves out packages that are needed.
FROM node:24.21.0-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY engine/package.json engine/
COPY server/package.json server/
RUN npm ci --omit=dev && npm pkg delete devDependencies && npm sbom --sbom-format=cyclonedx > sbom.cdx.json

# Dependencies at run time, for the target architecture. The build includes the app's other libraries.
FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY engine/package.json engine/
COPY server/package.json server/
# npm would keep the engine's development dependencies that optional peers of the app's packages need, too.
# TypeScript is an optional peer of convex-helpers, which npm installs. Node loads no TypeScript from packages.
# With convex's source maps, `setup:convex` and `move` deploy exactly the functions of the build.
RUN npm pkg delete devDependencies --workspace=engine \
  && npm ci --omit=dev --workspace=server --workspace=engine \
  && rm -rf node_modules/typescript node_modules/@typescript node_modules/*/test node_modules/@*/*/test \
  && find node_modules -type f \( -name "*.map" -o -name "*.ts" -o -name "*.[cm]ts" \) ! -path "*/convex/dist/esm/*.map" -delete \
  && find node_modules -type d -empty -delete

FROM node:24.21.0-bookworm-slim
WORKDIR /app
# As process 1, Node would ignore a stop signal that arrives before its first module runs.
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
COPY --from=dependencies /app/node_modules node_modules
COPY --from=packages /app/sbom.cdx.json ./
COPY --from=build /app/build build
COPY package.json LICENSE tsconfig.json ./
COPY server server
COPY engine engine
# `setup:convex` deploys these functions.
COPY convex convex
RUN mkdir /data && chown 1000:1000 /data
# The user `node`, by number: Kubernetes' `runAsNonRoot` rejects names.
USER 1000:1000
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# -s: also where another process is process 1, as with `--init` and Kubernetes' `shareProcessNamespace`.
ENTRYPOINT ["tini", "-s", "--"]
# Without npm, signals reach the server directly.
CMD ["node", "server/start.js"]
