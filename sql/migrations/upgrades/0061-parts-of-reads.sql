-- The bytes of an entry that a token with a cap has had by ranges. All of them together are one read.
alter table svc.baton_token add column covered int8multirange;
alter table svc.baton_token add column covered_seq bigint;
