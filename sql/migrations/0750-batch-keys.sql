-- The envelopes of a batch count against the limits of the key with which it was made. Null: it was made without a key.
alter table svc.envelope_batch add column key_hash bytea;
