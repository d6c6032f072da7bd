-- Where large namespaces of vectors are indexed, as the api that started last is configured; no row: nowhere.
create table svc.vector_store (
  is_only boolean primary key default true check (is_only),
  name text not null,
  -- A namespace is indexed from so many vectors on.
  index_from integer not null,
  max_dimensions integer not null
);

-- A namespace that has an index in that store. The vectors themselves stay in svc.vector.
create table svc.vector_space (
  baton_id uuid not null,
  namespace text collate "C" not null,
  state text not null check (state in ('building', 'ready', 'dropping')),
  metric text not null,
  dimensions integer not null,
  -- Vectors with higher numbers are not in the index yet.
  indexed_to integer not null default 0,
  primary key (baton_id, namespace)
);

-- Vectors that were removed or got other metadata and are not so in the index yet.
create table svc.vector_change (
  baton_id uuid not null,
  namespace text collate "C" not null,
  number integer not null,
  change bigint not null,
  primary key (baton_id, namespace, number)
);
