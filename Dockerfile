# The image of twibase: the binary with the IDE on an empty file system. The user is 65532, and nothing is written outside
# of /data: docker run --read-only -v twibase:/data -p 8080:8080 twibase
FROM node:22.21.1-bookworm-slim AS ide
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY graph/playground graph/playground
RUN node graph/playground/ide/build.mjs

FROM golang:1.26.8-bookworm AS binary
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=ide /src/graph/playground/dist graph/playground/dist
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=auto -o /root-fs/twibase . \
 && mkdir -p /root-fs/data /root-fs/etc/ssl/certs \
 && cp /etc/ssl/certs/ca-certificates.crt /root-fs/etc/ssl/certs/ \
 && chown 65532:65532 /root-fs/data

FROM scratch
COPY --from=binary /root-fs/ /
USER 65532:65532
WORKDIR /
VOLUME /data
EXPOSE 8080 9090
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s CMD ["/twibase", "health", "http://127.0.0.1:9090/readyz"]
ENTRYPOINT ["/twibase"]
CMD ["serve", "--listen", ":8080", "--metrics-listen", ":9090"]
