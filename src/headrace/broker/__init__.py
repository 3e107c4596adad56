"""The embedded Kafka, and what one does with any Kafka: topics, records, groups."""
