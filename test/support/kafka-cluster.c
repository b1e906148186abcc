/* A Kafka broker for tests: the mock cluster of librdkafka, which speaks the protocol and keeps records in memory. It
 * prints its address, and obeys `down` (refuses connections, keeps its records) and `up`. */
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  char error[512];
  char line[16];
  rd_kafka_t *handle = rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), error, sizeof error);
  rd_kafka_mock_cluster_t *cluster = handle ? rd_kafka_mock_cluster_new(handle, 1) : NULL;
  if (!cluster) return 1;
  printf("%s\n", rd_kafka_mock_cluster_bootstraps(cluster));
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    if (strcmp(line, "down\n") == 0) rd_kafka_mock_broker_set_down(cluster, 1);
    else if (strcmp(line, "up\n") == 0) rd_kafka_mock_broker_set_up(cluster, 1);
    else return 1;
    printf("done\n");
    fflush(stdout);
  }
  rd_kafka_mock_cluster_destroy(cluster);
  rd_kafka_destroy(handle);
  return 0;
}
