# HBase for deploy/compose.yaml. The command chooses ZooKeeper, a master or a region server. Its data are in /hbase.
FROM eclipse-temurin:17-jre-noble
ARG HBASE=2.6.4
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
WORKDIR /opt/hbase
RUN file="hbase-$HBASE-hadoop3-bin.tar.gz" && url="https://archive.apache.org/dist/hbase/$HBASE/$file" \
 && curl -fsSLO "$url" \
 && sum=$(curl -fsSL "$url.sha512" | tr -d ' \n' | sed 's/.*://' | tr 'A-F' 'a-f') \
 && echo "$sum  $file" | sha512sum -c \
 && tar -xzf "$file" --strip-components 1 && rm "$file"
COPY hbase-site.xml conf/
RUN useradd --uid 10001 hbase && mkdir -p /hbase logs && chown hbase /hbase logs
USER 10001
VOLUME /hbase
ENTRYPOINT ["bin/hbase"]
