-- Prepaid storage: batons, what is written to them, who may use them, and what was done with them.
create table svc.baton (
  id uuid primary key,
  account_id uuid not null,
  job_id uuid not null,
  preset text not null,
  tier text not null,
  behaviour text not null,
  -- What was paid for, and what is used of it.
  size_bytes bigint not null,
  egress_bytes bigint not null,
  max_writes bigint not null,
  max_reads bigint not null,
  stored_bytes bigint not null default 0,
  egress_used bigint not null default 0,
  writes_used bigint not null default 0,
  reads_used bigint not null default 0,
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
  on_expiration text not null,
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
  deletion text,
  -- When the content is to be removed; null once it is.
  purge_at timestamptz,
  witness_prepaid boolean not null default false,
  witnessed_at timestamptz,
  -- Until then someone waits for its next entry, so its changes are announced.
  tailed_until timestamptz,
  -- Postgres reads every check again for each update. The terms do not change after they were made, so
  -- `baton.check_invariants` looks after them; what is used is checked here.
  constraint used_within_quotas check (stored_bytes <= size_bytes and egress_used <= egress_bytes
    and reads_used <= max_reads and writes_used <= max_writes)
) with (fillfactor = 50);
create index baton_of_account on svc.baton (account_id, created_at);
create index baton_purge on svc.baton (purge_at) where purge_at is not null;
-- An upload through the api is taken over when it arrives, so its baton is found by the key of its form.
create index baton_of_upload on svc.baton (upload_key) where upload_key is not null;
-- A baton whose file is still to be taken over has to be sealed too.
create index baton_to_seal on svc.baton (expires_at)
  where witness_prepaid and witnessed_at is null and deleted_at is null and purge_at is not null
    and (entry_count > 0 or upload_key is not null);

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

-- A token follows from its id.
create table svc.baton_token (
  hash bytea primary key,
  -- Names it in logs and entries without revealing it.
  id uuid not null,
  baton_id uuid not null,
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
  -- The bytes of an entry that a token with a cap has had by ranges. All of them together are one read.
  covered int8multirange,
  covered_seq bigint,
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

-- Sources that jobs have drawn from batons: a job draws once, however often it is attempted, and what it has drawn is kept until
-- it must have ended.
create table svc.baton_draw (
  job_id uuid not null,
  place integer not null,
  baton_id uuid not null,
  object_key text,
  until timestamptz not null,
  primary key (job_id, place)
);
create index baton_draw_end on svc.baton_draw (until);
create index baton_draw_of_object on svc.baton_draw (object_key) where object_key is not null;

-- A caller who was admitted to a baton: its owner, an account of its list, or a token.
create type svc.baton_visit as (baton svc.baton, token svc.baton_token, writer text);
