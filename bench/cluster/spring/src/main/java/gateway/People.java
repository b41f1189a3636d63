package gateway;

import gateway.Store.Page;
import gateway.Store.Twit;
import gateway.Store.UserRow;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.dataloader.DataLoader;
import org.springframework.graphql.data.method.annotation.Argument;
import org.springframework.graphql.data.method.annotation.QueryMapping;
import org.springframework.graphql.data.method.annotation.SchemaMapping;
import org.springframework.stereotype.Controller;

@Controller
class People {
  record User(String username) {}

  @QueryMapping
  CompletableFuture<User> user(@Argument String username, DataLoader<String, UserRow> users) {
    return users.load(username).thenApply(row -> row == null ? null : new User(username));
  }

  @SchemaMapping
  CompletableFuture<String> name(User user, DataLoader<String, UserRow> users) {
    return users.load(user.username()).thenApply(row -> row == null ? null : row.name());
  }

  @SchemaMapping
  CompletableFuture<List<User>> followers(User user, @Argument int first, DataLoader<Page, List<String>> followers) {
    return followers.load(new Page(user.username(), first)).thenApply(names -> names.stream().map(User::new).toList());
  }

  @SchemaMapping
  CompletableFuture<List<Twit>> twits(User user, @Argument int first, DataLoader<Page, List<Twit>> twits) {
    return twits.load(new Page(user.username(), first));
  }
}
