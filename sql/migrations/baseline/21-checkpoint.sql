-- The versions that checkpoints hold.
create table svc.checkpoint_version (
  lease_id uuid not null,
  version integer not null,
  body bytea not null,
  -- Of the write that made it.
  idempotency_key text,
  created_at timestamptz not null default now(),
  -- Null for JSON.
  content_type text,
  primary key (lease_id, version)
);
