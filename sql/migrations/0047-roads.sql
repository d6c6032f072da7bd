-- The road graph, built by the operator from an extract of OpenStreetMap. Each load is a data set of its own, so that the
-- new one replaces the old one at once.
create schema if not exists road;

create table svc.road_data (
  id integer generated always as identity primary key,
  -- Name and size of the file, by which a load that broke off is found again.
  file text not null,
  size_bytes bigint not null,
  attribution text not null,
  data_date date not null,
  -- How far the file was read; a load that broke off goes on there.
  progress jsonb not null default '{}',
  -- What the arrays of the graph are; null until it is built.
  manifest jsonb,
  loaded_at timestamptz
);

-- Routes are planned on the current data set. Without one there are none.
create table svc.road_current (
  only_row boolean primary key default true check (only_row),
  data_id integer not null references svc.road_data
);

-- The ways and the points that a load has read, and the arrays of the graph, each in parts of a few megabytes.
create table svc.road_part (
  data_id integer not null references svc.road_data on delete cascade,
  kind text not null check (kind in ('ways', 'points', 'graph')),
  at integer not null,
  bytes bytea not null,
  primary key (data_id, kind, at)
);
-- They are compressed already, or do not compress well.
alter table svc.road_part alter column bytes set storage external;
