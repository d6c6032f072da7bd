-- Vectors of batons with the preset `vector`, and the words of their texts.
create table svc.vector_index (
  baton_id uuid primary key,
  metric text not null check (metric in ('cosine', 'dot', 'l2')),
  -- Null until the first write decides them.
  dimensions integer,
  model text,
  -- Every vector gets a number of its own, also one that replaces another: what a number stands for never changes.
  next_number integer not null default 1,
  changes bigint not null default 0
) with (fillfactor = 70);

-- What the processes that keep vectors in memory compare with theirs.
create table svc.vector_namespace (
  baton_id uuid not null,
  name text collate "C" not null,
  count integer not null,
  text_count integer not null,
  word_count bigint not null,
  last_number integer not null,
  -- The change that removed a vector last.
  removed_at bigint not null,
  primary key (baton_id, name)
) with (fillfactor = 50);

create table svc.vector (
  baton_id uuid not null,
  number integer not null,
  namespace text collate "C" not null,
  id text collate "C" not null,
  metadata jsonb not null,
  body text,
  -- How often each word occurs in the text.
  words jsonb not null,
  word_count integer not null,
  size_bytes integer not null,
  primary key (baton_id, namespace, number)
);

-- The number of each id. Each table has one index, so that no plan can choose a wrong one before there are statistics.
create table svc.vector_id (
  baton_id uuid not null,
  namespace text collate "C" not null,
  id text collate "C" not null,
  number integer not null,
  primary key (baton_id, namespace, id)
);

-- Apart from the rest, so that filters and words are searched without reading them. Each is its 32-bit floats, little-endian.
create table svc.vector_floats (
  baton_id uuid not null,
  namespace text collate "C" not null,
  number integer not null,
  floats bytea not null,
  primary key (baton_id, namespace, number)
);
-- Floats do not compress.
alter table svc.vector_floats alter column floats set storage external;
