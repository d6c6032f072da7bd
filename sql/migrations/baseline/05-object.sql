-- The files in storage, and whom they belong to.
create table svc.object (
  key text primary key,
  account_id uuid not null,
  kind text not null check (kind in ('upload', 'output', 'baton', 'lease')),
  job_id uuid,
  size_bytes bigint,
  content_type text,
  name text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index object_expiry on svc.object (expires_at);
