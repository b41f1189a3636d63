package gateway;

import graphql.execution.preparsed.PreparsedDocumentEntry;
import graphql.execution.preparsed.PreparsedDocumentProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.graphql.GraphQlSourceBuilderCustomizer;
import org.springframework.boot.web.context.WebServerInitializedEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;

/** Serves GraphQL, or loads the data (arguments: load FOLDER). -Dzookeeper=HOST:PORT is the ZooKeeper of HBase. */
@SpringBootApplication
public class Gateway {
  public static void main(String[] args) throws Exception {
    System.setOut(System.err); // the benchmark reads stderr
    if (args.length == 2 && args[0].equals("load")) {
      try (Connection hbase = connect()) {
        Load.load(hbase, Path.of(args[1]));
      }
      return;
    }
    SpringApplication.run(Gateway.class, args);
  }

  @Bean
  static Connection hbase() throws IOException {
    return connect();
  }

  private static Connection connect() throws IOException {
    var configuration = HBaseConfiguration.create();
    configuration.set("hbase.zookeeper.quorum", System.getProperty("zookeeper"));
    return ConnectionFactory.createConnection(configuration);
  }

  /** Caches parsed and validated documents. */
  @Bean
  static GraphQlSourceBuilderCustomizer documents() {
    var cache = new ConcurrentHashMap<String, PreparsedDocumentEntry>();
    PreparsedDocumentProvider provider = (input, parse) ->
        CompletableFuture.completedFuture(cache.computeIfAbsent(input.getQuery(), query -> parse.apply(input)));
    return builder -> builder.configureGraphQl(graphQl -> graphQl.preparsedDocumentProvider(provider));
  }

  @EventListener
  void onStart(WebServerInitializedEvent event) {
    System.err.println("{\"url\":\"http://127.0.0.1:" + event.getWebServer().getPort() + "\"}");
  }
}
