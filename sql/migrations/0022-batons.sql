-- Prepaid storage: batons, what is written to them, who may use them, and what was done with them.
create table svc.baton (
  id uuid primary key,
  account_id uuid not null,
  job_id uuid not null,
  preset text not null,
  tier text not null,
  behaviour text not null check (behaviour in ('single', 'append', 'chained', 'overwrite')),
  -- What was paid for, and what is used of it.
  size_bytes bigint not null check (size_bytes > 0),
  egress_bytes bigint not null check (egress_bytes >= 0),
  max_writes bigint not null check (max_writes >= 0),
  max_reads bigint not null check (max_reads >= 0),
  stored_bytes bigint not null default 0 check (stored_bytes between 0 and size_bytes),
  egress_used bigint not null default 0 check (egress_used between 0 and egress_bytes),
  writes_used bigint not null default 0 check (writes_used between 0 and max_writes),
  reads_used bigint not null default 0 check (reads_used between 0 and max_reads),
  -- Counts what was paid for: the price of an extension holds for one count.
  terms_version integer not null default 1,
  entry_count bigint not null default 0,
  chain_head bytea,
  content_type text,
  name text,
  description text,
  tags text[] not null default '{}',
  acl jsonb not null default '{}',
  schema_ref text,
  on_expiration text not null check (on_expiration in ('hard_delete', 'tombstone_then_delete')),
  burns boolean not null default false,
  max_reads_per_minute integer,
  max_writes_per_minute integer,
  minute bigint not null default 0,
  minute_reads integer not null default 0,
  minute_writes integer not null default 0,
  quote json not null,
  -- A form was given out for the first content, and its file is not taken over yet.
  upload_key text,
  upload_until timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  deleted_at timestamptz,
  deletion text check (deletion in ('owner', 'burned')),
  -- When the content is to be removed; null once it is.
  purge_at timestamptz
) with (fillfactor = 50);
create index baton_of_account on svc.baton (account_id, created_at);
create index baton_purge on svc.baton (purge_at) where purge_at is not null;

create table svc.baton_entry (
  baton_id uuid not null,
  seq bigint not null,
  -- Where it begins in the whole log.
  start_byte bigint not null,
  size_bytes bigint not null,
  content bytea,
  object_key text,
  content_type text not null,
  sha256 bytea not null,
  writer text not null,
  -- Only of a chained baton.
  prev bytea,
  hash bytea,
  created_at timestamptz not null,
  primary key (baton_id, seq),
  constraint one_place check (num_nonnulls(content, object_key) = 1)
);

create table svc.baton_token (
  hash bytea primary key,
  -- Names it in logs and entries without revealing it.
  id uuid not null,
  baton_id uuid not null,
  sealed text not null,
  type text not null check (type in ('read', 'write', 'read_write')),
  max_reads integer,
  max_writes integer,
  reads_used integer not null default 0,
  writes_used integer not null default 0,
  expires_at timestamptz,
  needs_fingerprint boolean not null default false,
  fingerprint bytea,
  ip_allow inet[] not null default '{}',
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  constraint reads_within_cap check (max_reads is null or reads_used <= max_reads),
  constraint writes_within_cap check (max_writes is null or writes_used <= max_writes)
) with (fillfactor = 70);
create index baton_token_of_baton on svc.baton_token (baton_id, created_at);

create table svc.baton_log (
  id bigint generated always as identity,
  baton_id uuid not null,
  type text not null,
  writer text not null,
  details json,
  created_at timestamptz not null default clock_timestamp(),
  primary key (baton_id, id)
);

-- A caller who was admitted to a baton: its owner, an account of its list, or a token.
create type svc.baton_visit as (baton svc.baton, token svc.baton_token, writer text);

alter table svc.object drop constraint object_kind_check;
alter table svc.object add constraint object_kind_check check (kind in ('upload', 'output', 'baton')) not valid;
alter table svc.object validate constraint object_kind_check;
