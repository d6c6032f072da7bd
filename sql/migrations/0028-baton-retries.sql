-- Writes that came with an idempotency key, for as long as they can be repeated.
create table svc.baton_write (
  baton_id uuid not null,
  writer text not null,
  key text not null,
  fingerprint bytea not null,
  entry json not null,
  created_at timestamptz not null default now(),
  primary key (baton_id, writer, key)
);
create index baton_write_age on svc.baton_write (created_at);

-- Until then someone waits for its next entry, so its changes are announced.
alter table svc.baton add column tailed_until timestamptz;

-- A token follows from its id.
alter table svc.baton_token drop column sealed;
