package gateway;

import gateway.Store.Page;
import gateway.Store.UserRow;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.springframework.context.annotation.Configuration;
import org.springframework.graphql.execution.BatchLoaderRegistry;
import reactor.core.publisher.Mono;

/** Registers the data loaders of each request. */
@Configuration(proxyBeanMethods = false)
class Loaders {
  private final ExecutorService pool = Executors.newFixedThreadPool(32, work -> {
    var thread = new Thread(work, "loader");
    thread.setDaemon(true);
    return thread;
  });

  Loaders(BatchLoaderRegistry registry, Store store) {
    registry.<String, UserRow>forName("users").registerMappedBatchLoader((keys, env) -> async(keys, store::users));
    registry.<Page, List<String>>forName("followers").registerMappedBatchLoader((keys, env) -> async(keys, store::followers));
    registry.<Page, List<Store.Twit>>forName("twits").registerMappedBatchLoader((keys, env) -> async(keys, store::twits));
  }

  private <K, V> Mono<Map<K, V>> async(Set<K> keys, Function<Set<K>, Map<K, V>> read) {
    return Mono.fromFuture(() -> CompletableFuture.supplyAsync(() -> read.apply(keys), pool));
  }
}
