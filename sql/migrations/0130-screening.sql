-- A list of names to screen against: a public one, the sample, or one that an account has uploaded.
create table svc.screening_list (
  id integer generated always as identity primary key,
  key text not null unique,
  account_id uuid references svc.account (id),
  title text not null,
  families text[] not null,
  -- Of an uploaded list: which column is what.
  columns json,
  current_version integer,
  etag text,
  checked_at timestamptz,
  failure text,
  failed_at timestamptz,
  created_at timestamptz not null default now()
);
create index screening_list_of_account on svc.screening_list (account_id) where account_id is not null;

-- A list as it was published once. Of an old one its entries are kept as long as there are few versions after it.
create table svc.screening_version (
  id integer generated always as identity primary key,
  list_id integer not null references svc.screening_list (id) on delete cascade,
  state text not null default 'loading' check (state in ('loading', 'active', 'refused', 'abandoned', 'forgotten')),
  index_version integer not null,
  entries integer not null default 0,
  added integer not null default 0,
  removed integer not null default 0,
  sha256 text,
  published_at text,
  begun_at timestamptz not null default now(),
  loaded_at timestamptz
);
create index screening_version_of_list on svc.screening_version (list_id, id desc);

-- A word of names, by numbers that words share which sound alike.
create table svc.screening_word (
  id integer generated always as identity primary key,
  word text collate "C" not null unique,
  keys integer[] not null,
  entries integer not null default 0
);
create index screening_word_by_key on svc.screening_word using gin (keys);

-- An entry, from the first version that has it in this wording to the one that has it no more.
create table svc.screening_entity (
  id bigint generated always as identity primary key,
  list_id integer not null,
  source_id text collate "C" not null,
  first_version integer not null,
  end_version integer,
  hash text not null,
  families text[] not null,
  words integer[] not null,
  names jsonb not null,
  body jsonb not null
);
create index screening_entity_by_word on svc.screening_entity using gin (words);
create index screening_entity_of_list on svc.screening_entity (list_id, source_id, first_version);
create index screening_entity_ended on svc.screening_entity (list_id, end_version) where end_version is not null;

-- What a load has met in its file so far.
create table svc.screening_seen (
  version_id integer not null,
  source_id text collate "C" not null,
  hash text not null,
  primary key (version_id, source_id)
);

create table svc.screening (
  id uuid primary key,
  account_id uuid not null references svc.account (id),
  job_id uuid,
  subject_key text not null,
  reference_id text,
  subject jsonb not null,
  result jsonb not null,
  created_at timestamptz not null default now(),
  purge_at timestamptz not null
);
create index screening_of_account on svc.screening (account_id, created_at desc, id);
create index screening_to_purge on svc.screening (purge_at);

-- A match that its account has found to be someone else, until the entry changes.
create table svc.screening_dismissal (
  account_id uuid not null references svc.account (id),
  subject_key text not null,
  entity_id text not null,
  hash text not null,
  reason text not null,
  created_at timestamptz not null default now(),
  primary key (account_id, subject_key, entity_id)
);

-- A subject that is screened again whenever a list changes.
create table svc.screening_monitor (
  id uuid primary key,
  account_id uuid not null references svc.account (id),
  job_id uuid,
  state text not null default 'active',
  state_at timestamptz not null default now(),
  reference_id text,
  request jsonb not null,
  -- The entries that it matches, with the hash and the status of each.
  matches jsonb not null,
  status text not null,
  checked_version integer not null default 0,
  checked_at timestamptz not null default now(),
  changed_at timestamptz,
  created_at timestamptz not null default now(),
  ends_at timestamptz not null
);
create index screening_monitor_of_account on svc.screening_monitor (account_id, created_at desc, id);
create index screening_monitor_active on svc.screening_monitor (id) where state = 'active';
