create table svc.object (
  key text primary key,
  account_id uuid not null,
  kind text not null check (kind in ('upload', 'output')),
  job_id uuid,
  size_bytes bigint,
  content_type text,
  name text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index object_expiry on svc.object (expires_at);

create table svc.setting (
  name text primary key,
  value jsonb not null,
  updated_at timestamptz not null default now()
);

create table svc.price (
  service_key text primary key,
  rate_micros bigint not null check (rate_micros >= 0),
  updated_at timestamptz not null default now()
);

create table svc.worker (
  id uuid primary key,
  host text not null,
  pid integer not null,
  pools text[] not null default '{}',
  lanes jsonb not null default '{}',
  tools jsonb not null default '[]',
  started_at timestamptz not null default now(),
  beat_at timestamptz not null default now()
) with (fillfactor = 30);

create unlogged table svc.rate_count (
  bucket text not null,
  window_start bigint not null,
  used integer not null,
  primary key (bucket, window_start)
) with (fillfactor = 50);
